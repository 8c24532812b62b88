package restwire

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// Options of an API.
type Options struct {
	Version      string // of the product, for the document
	Agents       Authenticator
	Operator     func(token string) (face string, ok bool)      // whether a token is the operator's, and the page that has it
	Executors    func(token string) (permission.Executor, bool) // the executor of a token; nil: there are none
	Refused      func(a permission.Agent, method, path string)  // an agent tried a row for persons alone
	InputMembers func() int                                     // how many members and elements an input may have
	SchemaName   func(t reflect.Type, hint string) string       // names schemas
	Words        func(words huma.Registry)                      // describes closed sets of words; see Closed
	AllowRemote  bool                                           // takes any address as Host, though no name but localhost
	Logger       *slog.Logger
}

// API is a set of rows, and serves them. It is an http.Handler and safe for use by many
// goroutines once it is finished.
type API struct {
	Lanes *Lanes
	table *table
	huma  huma.API
	opts  Options
}

// New makes an API without rows: Register adds them, and Finish ends that.
func New(opts Options) *API {
	lanes, registry := newLanes(), newRegistry(opts.SchemaName)
	if opts.Executors == nil {
		opts.Executors = func(string) (e permission.Executor, ok bool) { return e, false }
	}
	opts.Words(registry)
	t := &table{
		mux: http.NewServeMux(), window: http.NewServeMux(), paths: map[string]*route{}, refused: opts.Refused,
		gate:   &gate{opts.Agents, opts.Operator, opts.Executors, lanes, opts.Logger},
		bodies: &bodies{lanes, opts.InputMembers, registry},
	}
	t.window.HandleFunc("/", NotFound)
	return &API{lanes, t, huma.NewAPI(config(opts.Version, registry), t), opts}
}

// Register adds a row whose handler's errors are told as problems.
func Register[I, O any](a *API, r Row, handle func(context.Context, *I) (*O, error)) {
	op := r.operation()
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	op.Responses["default"] = a.Answer("An error, as RFC 9457 says it; code tells which", problemType, reflect.TypeFor[Problem]())
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, problemOf(ctx, a.opts.Logger, r.Summary, err)
		}
		return out, nil
	})
}

// Describe puts into the document what another door serves. in and query are the names of a
// parameter in the path and of one in the query; "" is none.
func (a *API) Describe(r Row, body *huma.RequestBody, in, query string) {
	op := r.operation()
	op.RequestBody = body
	op.Responses["default"] = a.Answer("An error, as RFC 9457 says it; code tells which", problemType, reflect.TypeFor[Problem]())
	if in != "" {
		op.Parameters = append(op.Parameters, &huma.Param{Name: in, In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}})
	}
	if query != "" {
		op.Parameters = append(op.Parameters, &huma.Param{Name: query, In: "query", Schema: &huma.Schema{Type: huma.TypeNumber}})
	}
	a.OpenAPI().AddOperation(&op)
}

// Answer describes an answer of type t.
func (a *API) Answer(about, kind string, t reflect.Type) *huma.Response {
	return &huma.Response{Description: about,
		Content: map[string]*huma.MediaType{kind: {Schema: a.OpenAPI().Components.Schemas.Schema(t, true, "")}}}
}

// OpenAPI is the document of the rows that were added.
func (a *API) OpenAPI() *huma.OpenAPI { return a.huma.OpenAPI() }

// Finish serves the rows and their document, which it gives: written when it is first asked
// for, since few ask. meanings describe fields of schemas, by the names of both.
func (a *API) Finish(meanings map[string]map[string]string) (spec func() []byte) {
	a.table.widen()
	doc := a.OpenAPI()
	finish(doc, meanings)
	spec = sync.OnceValue(func() []byte { return written(doc) })
	a.Handle("/openapi.json", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ReadOnly(w, r) { // by anyone on this machine: it holds no secret
			w.Header().Set("Content-Type", "application/openapi+json")
			_, _ = w.Write(spec())
		}
	}))
	return spec
}

// Handle adds what is no row: it is served to anyone who passes the checks of the request's
// source.
func (a *API) Handle(pattern string, h http.Handler) { a.table.mux.Handle(pattern, h) }

// ServeHTTP checks where a request comes from and passes it on.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer a.recovered(w, r)
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	if r.ContentLength != 0 {
		// Whoever reads the body sets a time of its own. This one is for a body that
		// nobody reads, since an answer waits for it.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyGrace))
	}
	if p := checkSource(r, a.opts.AllowRemote); p != nil {
		p.write(w)
		return
	}
	serve(a.table.mux, w, r)
}

// Window gives the rows of a person to a page in this very process. Who calls it is
// the person, without token, Host or Origin: it must stand behind no listener. Rows for
// callers over a connection are not among them.
//
// What came over a connection is refused: should this handler ever be put behind a listener
// by mistake, it makes nobody the operator.
func (a *API) Window() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer a.recovered(w, r)
		if r.Context().Value(http.ServerContextKey) != nil {
			Refuse(http.StatusForbidden, permission.CodeForbidden, "the window's rows are not served over a connection").write(w)
			return
		}
		serve(a.table.window, w, r)
	})
}

// recovered turns a panic into an answer, where none has begun.
func (a *API) recovered(w http.ResponseWriter, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	a.opts.Logger.Error("request panicked", "method", r.Method, "path", r.URL.Path, "panic", v)
	w.Header().Del("ETag") // of the answer that was begun
	Refuse(http.StatusInternalServerError, codeInternal, internalMessage).write(w)
}
