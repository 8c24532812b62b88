package rest

import (
	"bytes"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"sekisho/backend/restwire"
)

// pagePolicy lets the page load and run what this desk serves, and nothing else.
const pagePolicy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pages is the front end.
type pages struct{ files fs.FS }

// ServeHTTP serves the front end, to anyone on this machine: the page has no
// power without a login.
func (h pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, name, ok := h.file(r.URL.Path)
	switch {
	case !ok:
		restwire.NotFound(w, r)
	case restwire.ReadOnly(w, r):
		w.Header().Set("Content-Security-Policy", pagePolicy)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	}
}

func (h pages) file(path string) (body []byte, name string, ok bool) {
	if h.files == nil {
		return nil, "", false
	}
	name = strings.TrimPrefix(path, "/")
	if name == "" {
		name = "index.html"
	}
	if !fs.ValidPath(name) {
		return nil, "", false
	}
	body, err := fs.ReadFile(h.files, name) // a folder is not readable as a file
	return body, name, err == nil
}
