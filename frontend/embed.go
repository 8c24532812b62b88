// Package frontend holds the built front end, so that the window and the
// headless desk serve the same files. An embed cannot reach upwards: that is why
// this package lies beside dist.
package frontend

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

//go:embed src/i18n/native.json
var words []byte

// Files gives the root of the built front end. It holds index.html once
// `npm run build` has run; before that, a placeholder alone.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(fmt.Errorf("open embedded front end: %w", err)) // "dist" is a valid path
	}
	return files
}

// Words gives the texts of the desktop's own parts, which stand outside of the page:
// JSON by language and key, in one catalogue with the page's languages. A text that
// counts is an object of its plural forms.
func Words() []byte { return words }
