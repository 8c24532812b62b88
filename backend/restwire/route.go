package restwire

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"sekisho/backend/permission"
)

// table is the list of served rows. It is a huma.Adapter over an
// http.ServeMux that knows paths only, so that the caller is known before a
// wrong method is told of.
type table struct {
	mux     *http.ServeMux
	window  *http.ServeMux // the same rows, for a page in this process; see API.Window
	gate    *gate
	bodies  *bodies
	refused func(a permission.Agent, method, path string)
	paths   map[string]*route
}

// route is one path, with its rows by method.
type route struct {
	*table
	rows map[string]endpoint
	all  map[string]endpoint // rows, and those of a path with a wildcard that this one is a case of
}

type endpoint struct {
	op    *huma.Operation
	serve http.HandlerFunc
}

// Handle adds a row; huma calls it.
func (t *table) Handle(op *huma.Operation, serve func(huma.Context)) {
	at := t.paths[op.Path]
	if at == nil {
		at = &route{table: t, rows: map[string]endpoint{}}
		t.paths[op.Path] = at
		t.mux.Handle(op.Path, at)
		if !rowOf(op).Remote {
			t.window.HandleFunc(op.Path, at.serveWindow)
		}
	}
	at.rows[op.Method] = endpoint{op, func(w http.ResponseWriter, r *http.Request) { serve(humago.NewContext(op, r, w)) }}
}

// widen gives a path the rows of the wildcard path that it is a case of, where it
// has none of its own: POST /v1/rules/lint does not hide a rule whose id is lint.
func (t *table) widen() {
	for p, at := range t.paths {
		at.all = maps.Clone(at.rows)
		folder, last := path.Split(p)
		for q, wider := range t.paths {
			in, name := path.Split(q)
			if in != folder || !strings.HasPrefix(name, "{") || q == p {
				continue
			}
			name = strings.Trim(name, "{}")
			for method, row := range wider.rows {
				if _, own := at.rows[method]; !own {
					at.all[method] = endpoint{row.op, func(w http.ResponseWriter, r *http.Request) {
						r.SetPathValue(name, last)
						row.serve(w, r)
					}}
				}
			}
		}
	}
}

// ServeHTTP is the rest of what huma asks of an adapter.
func (t *table) ServeHTTP(w http.ResponseWriter, r *http.Request) { t.mux.ServeHTTP(w, r) }

// ServeHTTP takes a request to an existing path through the remaining checks.
func (t *route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	leave, p := t.gate.takeTurn(r, t.all[r.Method].op)
	if p != nil {
		p.write(w)
		return
	}
	defer leave()
	t.answer(w, r, leave, t.gate.authenticate)
}

// serveWindow takes a request of the window through the checks that remain.
func (t *route) serveWindow(w http.ResponseWriter, r *http.Request) {
	t.answer(w, r, func() {}, func(*http.Request) (Caller, *Problem) { return Caller{Face: faceWindow}, nil })
}

// answer serves a request once its caller is known; leave gives its turn back.
func (t *route) answer(w http.ResponseWriter, r *http.Request, leave func(), authenticate func(*http.Request) (Caller, *Problem)) {
	c, row, p := t.admit(r, authenticate)
	if p != nil {
		if p.Status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(t.all)), ", "))
		}
		p.write(w)
		return
	}
	if rowOf(row.op).Waits {
		leave()
	}
	r = r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
	r.Header.Del("Accept") // there is one form of answer, and huma would look for others
	if row.op.RequestBody != nil {
		parsed, p := t.bodies.take(w, r, row.op)
		if p != nil {
			p.write(w)
			return
		}
		defer parsed()
	}
	if p := checkQueryOnce(row.op, r.URL.RawQuery); p != nil {
		p.write(w)
		return
	}
	row.serve(w, r)
}

// checkQueryOnce refuses a query of which a part would be passed over in silence: none
// of our parameters is a list. Names that are not known are huma's to refuse.
func checkQueryOnce(op *huma.Operation, query string) *Problem {
	if !op.RejectUnknownQueryParameters {
		return nil
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return invalidContent([]error{&huma.ErrorDetail{Location: "query", Message: err.Error()}})
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > 1 {
			errs = append(errs, &huma.ErrorDetail{Location: "query." + name, Message: "given more than once"})
		}
	}
	if errs == nil {
		return nil
	}
	return invalidContent(errs)
}

// admit finds the row and decides whether the caller may use it, without a look
// at what the request says beyond its path.
func (t *route) admit(r *http.Request, authenticate func(*http.Request) (Caller, *Problem)) (Caller, endpoint, *Problem) {
	row, known := t.all[r.Method]
	if known && len(row.op.Security) == 0 {
		return Caller{}, row, nil
	}
	if !known && t.open() {
		return Caller{}, row, wrongMethod()
	}
	c, p := authenticate(r)
	switch {
	case p != nil:
		return c, row, p
	case known && !admits(row.op, c.role()):
		if c.Agent != nil && c.Executor == nil {
			t.refused(*c.Agent, r.Method, row.op.Path)
		}
		return c, row, forbidden(c, rowOf(row.op).Forbidden)
	case known:
		return c, row, nil
	}
	for _, other := range t.all {
		if admits(other.op, c.role()) {
			return c, row, wrongMethod()
		}
	}
	first := t.rows[slices.Min(slices.Collect(maps.Keys(t.rows)))] // one row, to say why all are closed
	return c, row, forbidden(c, rowOf(first.op).Forbidden)
}

// open reports whether all rows of the path are for anyone.
func (t *route) open() bool {
	for _, row := range t.rows {
		if len(row.op.Security) > 0 {
			return false
		}
	}
	return true
}

// serve hands a request to a mux, unless that would answer with a redirect of its own,
// which would tell of a path before the caller is known. http.ServeMux takes a segment that
// is an escaped slash and nothing else for the end of the path, and "/" is as good a name for
// a run or a session as any: such a path is matched with another name in its place.
func serve(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	given := r.URL.EscapedPath()
	if given != "/" && (given == "" || path.Clean(given) != strings.TrimSuffix(given, "/")) {
		NotFound(w, r)
		return
	}
	segments := strings.Split(given, "/")
	if !slices.ContainsFunc(segments, isSlash) {
		mux.ServeHTTP(w, r)
		return
	}
	like := *r
	like.URL = &url.URL{}
	for _, s := range segments[1:] {
		if isSlash(s) {
			s = "slash"
		}
		like.URL.Path += "/" + s
	}
	handler, pattern := mux.Handler(&like)
	for i, s := range strings.Split(pattern, "/") {
		if name, ok := strings.CutPrefix(s, "{"); ok && i < len(segments) {
			value, _ := url.PathUnescape(segments[i]) // the server has read it once
			r.SetPathValue(strings.TrimSuffix(name, "}"), value)
		}
	}
	handler.ServeHTTP(w, r)
}

func isSlash(segment string) bool { return strings.EqualFold(segment, "%2F") }
