package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// The roles, as the OpenAPI document names its security schemes.
const (
	roleAgent    = "agent"
	roleOperator = "operator"
)

// Keys of an operation's metadata: the code that an agent is refused with, whether
// the row may wait for long, without a turn (lanes.go), whether its path is for
// callers over a connection alone (window.go), and what it reads of its body (reads.go).
const (
	metaForbidden = "forbidden"
	metaWaits     = "waits"
	metaRemote    = "remote"
	metaReads     = "reads"
)

const refPrefix = "#/components/schemas/"

// row is one line of the API as its readers see it.
type row struct {
	method, path string
	id           string // operationId
	summary      string
	about        string
	who          []string // roles; none is anyone
	status       int      // of success; 0 is 200, or 204 without a body
	forbidden    permission.Code
	waits        bool                      // for a change: such a request takes no turn of its agent
	remote       bool                      // for callers over a connection alone: the window has no use for it
	anyQuery     bool                      // query parameters that are not known are passed over
	reads        reads                     // what is read of the body; all else may be what a body may not. nil: all of it
	responses    map[string]*huma.Response // where the handler's type does not say
}

func (r row) operation() huma.Operation {
	op := huma.Operation{
		Method: r.method, Path: r.path, OperationID: r.id, Summary: r.summary, Description: r.about,
		Tags: []string{tag(r.path)}, DefaultStatus: r.status,
		MaxBodyBytes: -1, BodyReadTimeout: -1, SkipValidateBody: true, // body.go and shape.go have seen to it
		RejectUnknownQueryParameters: !r.anyQuery,
		Metadata:                     map[string]any{metaForbidden: r.forbidden, metaWaits: r.waits, metaRemote: r.remote, metaReads: r.reads},
		Responses:                    r.responses,
	}
	for _, role := range r.who {
		op.Security = append(op.Security, map[string][]string{role: {}})
	}
	return op
}

// tag groups rows by the first word of their path.
func tag(path string) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(path, "/v1"), "/"), "/")
	return word
}

func agents() []string    { return []string{roleAgent} }
func operators() []string { return []string{roleOperator} }
func both() []string      { return []string{roleAgent, roleOperator} }

// api takes rows in.
type api struct {
	huma huma.API
	log  *slog.Logger
}

// register adds a row whose handler's errors are told as problems.
func register[I, O any](a *api, r row, handle func(context.Context, *I) (*O, error)) {
	op := r.operation()
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	op.Responses["default"] = &huma.Response{
		Description: "An error, as RFC 9457 says it; code tells which",
		Content:     a.content("application/problem+json", reflect.TypeFor[problem]()),
	}
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, problemOf(ctx, a.log, r.summary, err)
		}
		return out, nil
	})
}

// content describes an answer of type t.
func (a *api) content(kind string, t reflect.Type) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{kind: {Schema: a.huma.OpenAPI().Components.Schemas.Schema(t, true, "")}}
}

// config is huma's without what DefaultConfig adds: schema links in answers,
// pages that load from outside, and other forms of the document.
func config(version string) huma.Config {
	registry := huma.NewMapRegistry(refPrefix, schemaName)
	registry.RegisterTypeAlias(reflect.TypeFor[permission.Time](), reflect.TypeFor[moment]())
	vocabulary(registry)
	format := huma.Format{Marshal: marshal, Unmarshal: json.Unmarshal}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{Title: "Sekisho", Version: version,
				Description: "The permission desk between AI agents and the tools they call. Every answer is JSON in camelCase; times are RFC 3339 UTC with milliseconds, or null."},
			Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{
				roleAgent: {Type: "http", Scheme: "bearer",
					Description: "An agent's token: it can ask, run what is allowed, and see that agent's own calls."},
				roleOperator: {Type: "http", Scheme: "bearer",
					Description: "The operator's token, or one that a login code was changed for. A desk with a window has none."},
			}},
		},
		Formats:       map[string]huma.Format{jsonType: format, "json": format},
		DefaultFormat: jsonType,
		Transformers:  []huma.Transformer{ours, inBytes},
	}
}

// schemaName is huma's, but for one type of permission whose name this door has
// given to what it takes in.
func schemaName(t reflect.Type, hint string) string {
	if t == reflect.TypeFor[permission.RuleForm]() {
		return "SuggestedRule"
	}
	return huma.DefaultSchemaNamer(t, hint)
}

// encoded is an answer in JSON.
type encoded string

// inBytes encodes an answer while it may still become another: the status is written
// between transformers and Format.Marshal. One that cannot be encoded is a fault of ours,
// which ServeHTTP recovers; an error that a transformer returns would be sent as a 200. A
// result is what its tool wrote, and may be no text: it must not spoil the rest. It is
// a huma.Transformer.
func inBytes(_ huma.Context, _ string, v any) (any, error) {
	var buf strings.Builder
	if err := encode(&buf, v); err != nil {
		panic(fmt.Errorf("encode an answer: %w", err))
	}
	return encoded(strings.ToValidUTF8(buf.String(), "\uFFFD")), nil
}

// marshal writes what inBytes encoded. An answer that cannot be sent has no reader.
func marshal(w io.Writer, v any) error {
	_, _ = io.WriteString(w, string(v.(encoded)))
	return nil
}

// moment is how a permission.Time looks in the document.
type moment struct{}

// Schema is a time or null.
func (moment) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Nullable: true,
		Description: "RFC 3339 UTC with milliseconds; null is none"}
}

// document31 finishes what huma cannot say of our types: an object that may be
// null, and that every error is a problem.
func document31(doc *huma.OpenAPI) []byte {
	schemas := doc.Components.Schemas
	for name, schema := range schemas.Map() {
		if t := schemas.TypeFromRef(refPrefix + name); t != nil {
			nullableObjects(schema, t)
		}
	}
	describeWords(schemas.Map())
	for _, schema := range schemas.Map() {
		nullableWords(schema)
	}
	delete(schemas.Map(), "ErrorModel")
	delete(schemas.Map(), "ErrorDetail")
	spec, err := json.Marshal(doc)
	if err != nil {
		panic("openapi document: " + err.Error()) // it is made of constants: only a mistake in this package can do it
	}
	return spec
}

// nullableWords lets the fields of a closed set of words be null where they may be.
func nullableWords(schema *huma.Schema) {
	for _, field := range schema.Properties {
		if field.Nullable && len(field.Enum) > 0 {
			field.Enum = append(field.Enum, nil)
		}
	}
}

// nullableObjects lets fields that are pointers to structs be null.
func nullableObjects(schema *huma.Schema, t reflect.Type) {
	if t.Kind() != reflect.Struct {
		return
	}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := schema.Properties[name]
		if field == nil || field.Ref == "" || f.Type.Kind() != reflect.Pointer || strings.Contains(options, "omitempty") {
			continue
		}
		schema.Properties[name] = &huma.Schema{AnyOf: []*huma.Schema{{Ref: field.Ref}, {Type: "null"}}, Description: field.Description}
	}
}

const jsonType = "application/json"
