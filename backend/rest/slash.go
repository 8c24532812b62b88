package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// serve hands a request to a mux. http.ServeMux takes a segment that is an escaped slash
// and nothing else for the end of the path, and "/" is as good a name for a run or a
// session as any: such a path is matched with another name in its place.
func serve(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	segments := strings.Split(r.URL.EscapedPath(), "/")
	if !slices.ContainsFunc(segments, isSlash) {
		mux.ServeHTTP(w, r)
		return
	}
	for i, s := range segments {
		if isSlash(s) {
			segments[i] = "slash"
		}
	}
	like := *r
	like.URL = &url.URL{Path: strings.Join(segments, "/")}
	handler, pattern := mux.Handler(&like)
	given := strings.Split(r.URL.EscapedPath(), "/")
	for i, s := range strings.Split(pattern, "/") {
		if name, ok := strings.CutPrefix(s, "{"); ok && i < len(given) {
			value, _ := url.PathUnescape(given[i]) // the server has read it once
			r.SetPathValue(strings.TrimSuffix(name, "}"), value)
		}
	}
	handler.ServeHTTP(w, r)
}

func isSlash(segment string) bool { return strings.EqualFold(segment, "%2F") }
