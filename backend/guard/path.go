package guard

import (
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// inside reads a path of the workspace and gives it relative to root. A path with a ".."
// is refused even where it comes back: through a link, it may come back elsewhere.
func inside(root, text string, folder bool) (string, *Refusal) {
	switch {
	case text == "" && folder:
		return ".", nil
	case text == "":
		return "", refuse(PathOutside, "an empty path names nothing")
	case len(text) > maxPath:
		return "", refuse(PathOutside, "a path has at most %d bytes", maxPath)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", refuse(PathOutside, "a path is UTF-8 without NUL")
	}
	for part := range strings.SplitSeq(text, "/") {
		switch {
		case part == "..":
			return "", refuse(PathOutside, "%s leaves its folder by ..", strconv.Quote(text))
		case len(part) > maxName:
			return "", refuse(PathOutside, "a name has at most %d bytes", maxName)
		}
	}
	clean := path.Clean(text)
	if !strings.HasPrefix(text, "/") {
		return clean, nil
	}
	if root != "" && clean == root {
		return ".", nil
	}
	if under, ok := strings.CutPrefix(clean, root+"/"); ok && root != "" && root != "/" {
		return under, nil
	}
	return "", refuse(PathOutside, "%s", strconv.Quote(text))
}
