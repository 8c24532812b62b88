package restwire

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// Who is a set of roles, as the OpenAPI document names its security schemes.
type Who string

// The roles.
const (
	Anyone    Who = ""
	Agents    Who = "agent"
	Operators Who = "operator"
	Executors Who = "executor"
	Both          = Agents + " " + Operators
)

// Row is a path and method of the API, as its readers see it and as it is served.
type Row struct {
	Route     string // method and path, with a blank between them
	ID        string // operationId
	Summary   string
	About     string
	Who       Who
	Status    int                       // of success; 0 is 200, or 204 without a body
	Forbidden permission.Code           // what an agent is refused with that may not use it; "" is permission.CodeForbidden
	Waits     bool                      // for a change: such a request takes no turn of its agent
	Remote    bool                      // for callers over a connection alone: the window has no use for it
	AnyQuery  bool                      // query parameters that are not known are passed over
	Reads     Reads                     // what is read of the body; all else may be what a body may not. nil: all of it
	Responses map[string]*huma.Response // where the handler's type does not say
}

// metaRow is the key of an operation's metadata where its row is.
const metaRow = "row"

// rowOf gives the row of an operation.
func rowOf(op *huma.Operation) Row {
	r, _ := op.Metadata[metaRow].(Row)
	return r
}

func (r Row) operation() huma.Operation {
	method, path, _ := strings.Cut(r.Route, " ")
	op := huma.Operation{
		Method: method, Path: path, OperationID: r.ID, Summary: r.Summary, Description: r.About,
		Tags: []string{tag(path)}, DefaultStatus: r.Status,
		MaxBodyBytes: -1, BodyReadTimeout: -1, SkipValidateBody: true, // body.go and shape.go have seen to it
		RejectUnknownQueryParameters: !r.AnyQuery,
		Metadata:                     map[string]any{metaRow: r},
		Responses:                    r.Responses,
	}
	for _, role := range strings.Fields(string(r.Who)) {
		op.Security = append(op.Security, map[string][]string{role: {}})
	}
	return op
}

// tag groups rows by the first word of their path.
func tag(path string) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(path, "/v1"), "/"), "/")
	return word
}
