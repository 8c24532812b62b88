package rest

import (
	"net/http"

	"sekisho/backend/permission"
)

// Window gives the rows of a person to a page in this very process. Who calls it is
// the person, without token, Host or Origin: it must stand behind no listener. Logins
// and the event stream are not among the rows: a window needs neither.
func (h *Handler) Window() http.Handler { return windowDoor{h} }

type windowDoor struct{ door *Handler }

// ServeHTTP refuses what came over a connection: should this handler ever be put
// behind a listener by mistake, it makes nobody the operator.
func (d windowDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer d.door.recovered(w, r)
	switch {
	case r.Context().Value(http.ServerContextKey) != nil:
		refuse(http.StatusForbidden, permission.CodeForbidden, "the window's rows are not served over a connection").write(w)
	case !canonicalPath(r.URL.EscapedPath()):
		notFound().write(w)
	default:
		serve(d.door.table.window, w, r)
	}
}
