package restwire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// Codes that only REST has, beside those of permission.
const (
	CodeUnauthorized permission.Code = "unauthorized"
	CodeMethod       permission.Code = "method_not_allowed"
	codeMediaType    permission.Code = "unsupported_media_type"
	CodeTooLarge     permission.Code = "too_large"
	CodeTooSlow      permission.Code = "timeout"
	CodeTooOften     permission.Code = "too_many_tries"
	codeBusy         permission.Code = "too_many_requests"
	codeInternal     permission.Code = "internal"
)

// Codes lists them.
var Codes = [...]permission.Code{CodeUnauthorized, CodeMethod, codeMediaType, CodeTooLarge, CodeTooSlow, CodeTooOften, codeBusy,
	codeInternal}

// problemType is the content type of a problem.
const problemType = "application/problem+json"

const internalMessage = "something went wrong in the desk; its log says what"

const (
	maxDetails  = 20  // errors that one answer lists
	maxLocation = 200 // bytes of a location that an answer shows
)

// Problem is an RFC 9457 answer with our code, the field it is about, and for a
// conflict the call as it stands.
type Problem struct {
	Type   string           `json:"type" doc:"always about:blank: code says it"`
	Title  string           `json:"title"`
	Status int              `json:"status"`
	Detail string           `json:"detail"`
	Code   permission.Code  `json:"code" doc:"what a client branches on"`
	Field  string           `json:"field,omitempty" doc:"path of the first bad field or parameter"`
	Errors []Detail         `json:"errors,omitempty"`
	Call   *permission.Call `json:"call,omitempty" doc:"the call as it stands, for conflicts"`

	Retry int `json:"-"` // seconds for Retry-After; 0 is none
}

// Detail is one bad place of a request.
type Detail struct {
	Location string               `json:"location" doc:"as body.rules[0].priority, query.wait or path.id"`
	Code     permission.FieldCode `json:"code" doc:"what is wrong with it"`
	Params   permission.Params    `json:"params"`
	Message  string               `json:"message" doc:"the same in English"`
}

// Refuse makes a problem.
func Refuse(status int, code permission.Code, message string) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: message, Code: code}
}

// Error is the detail; GetStatus, GetHeaders and ContentType are what else huma asks of an error.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders are those of the answer, beside its type.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.Retry > 0 {
		h.Set("Retry-After", strconv.Itoa(p.Retry))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if p.Code == codeBusy {
		h.Set("Connection", "close") // so that a flood does not keep its connections either
	}
	return h
}

// ContentType is that of RFC 9457.
func (p *Problem) ContentType(string) string { return problemType }

// write answers with the problem where huma has no part. An answer that cannot
// be written has nobody left to read it.
func (p *Problem) write(w http.ResponseWriter) {
	for k, v := range p.GetHeaders() {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_ = encode(w, p)
}

// encode writes v as JSON without touching <, > and &.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// statusOf maps what a client branches on to HTTP. All other codes are conflicts.
func statusOf(code permission.Code) int {
	switch code {
	case permission.CodeInvalid, permission.CodeTooManyMembers:
		return http.StatusUnprocessableEntity
	case permission.CodeMalformed:
		return http.StatusBadRequest
	case permission.CodeNotFound:
		return http.StatusNotFound
	case permission.CodeForbidden, permission.CodeSelfApproval:
		return http.StatusForbidden
	case permission.CodeLostUpdate:
		return http.StatusPreconditionFailed
	case permission.CodeTooMany, permission.CodeTooManyKept:
		return http.StatusTooManyRequests
	case permission.CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusConflict
}

// problemOf tells a client what it can branch on, and the log the rest.
func problemOf(ctx context.Context, log *slog.Logger, doing string, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	var e *permission.Error
	if !errors.As(err, &e) {
		if ctx.Err() != nil { // the client left, or the desk is closing
			return unavailable()
		}
		log.Error("request failed", "doing", doing, "err", err)
		return Refuse(http.StatusInternalServerError, codeInternal, internalMessage)
	}
	p = Refuse(statusOf(e.Code), e.Code, e.Error())
	p.Call = e.Call
	if e.Field != "" {
		p.Field, p.Errors = e.Field, []Detail{{"body." + e.Field, FaultOf(e), e.Params, e.Message}}
	}
	switch p.Status {
	case http.StatusTooManyRequests:
		p.Retry = 5
	case http.StatusServiceUnavailable:
		p.Retry = 1
	}
	return p
}

// busy tells an agent that it has too much under way at once.
func busy(why string) *Problem {
	p := Refuse(http.StatusTooManyRequests, codeBusy, why)
	p.Retry = 1
	return p
}

func unavailable() *Problem {
	p := Refuse(http.StatusServiceUnavailable, permission.CodeUnavailable, "the desk is closing")
	p.Retry = 1
	return p
}

// BadParam is bad content of a query parameter.
func BadParam(name, message string) error {
	return invalidContent([]error{&huma.ErrorDetail{Location: "query." + name, Message: message}})
}

// invalidContent is a 422 out of what huma's validation found.
func invalidContent(errs []error) *Problem {
	p := Refuse(http.StatusUnprocessableEntity, permission.CodeInvalid, "")
	for _, err := range errs[:min(len(errs), maxDetails)] {
		d := Detail{Code: permission.FieldOther, Message: err.Error()}
		var found *huma.ErrorDetail
		if errors.As(err, &found) {
			d = Detail{Location: short(found.Location), Code: shapeFault(found.Message), Message: short(found.Message)}
		}
		p.Errors = append(p.Errors, d)
	}
	if len(p.Errors) == 0 {
		p.Detail = "the request is not valid"
		return p
	}
	first := p.Errors[0]
	_, p.Field, _ = strings.Cut(first.Location, ".")
	p.Detail = fmt.Sprintf("%s: %s", first.Location, first.Message)
	return p
}

// FaultOf is what is wrong with the field of an error.
func FaultOf(e *permission.Error) permission.FieldCode {
	switch {
	case e.Fault != "":
		return e.Fault
	case slices.Contains(permission.FieldCodes[:], permission.FieldCode(e.Code)):
		return permission.FieldCode(e.Code)
	}
	return permission.FieldOther
}

// shapeFaults are the beginnings of what checkShape and huma's validation say of a field,
// the longer before the shorter.
var shapeFaults = []struct {
	said string
	code permission.FieldCode
}{
	{"unknown field", permission.FieldUnknown}, {"unexpected property", permission.FieldUnknown},
	{"required", permission.FieldRequired}, {"expected required property", permission.FieldRequired},
	{"expected value to be one of", permission.FieldNotOneOf},
	{"expected number >", permission.FieldOutOfRange}, {"expected number <", permission.FieldOutOfRange},
	{"expected length >=", permission.FieldTooShort}, {"expected length <=", permission.FieldTooLong},
	{"expected array length <=", permission.FieldTooMany}, {"expected array length >=", permission.FieldTooShort},
	{"expected string to match pattern", permission.FieldPattern}, {"expected string to be RFC 3339", permission.FieldTimeForm},
	{"given more than once", permission.FieldDuplicate},
	{"expected ", permission.FieldWrongType}, {"invalid ", permission.FieldWrongType},
}

func shapeFault(said string) permission.FieldCode {
	for _, f := range shapeFaults {
		if strings.HasPrefix(said, f.said) {
			return f.code
		}
	}
	return permission.FieldOther
}

// short bounds text that a caller made up, at a whole character.
func short(s string) string {
	if len(s) <= maxLocation {
		return s
	}
	return strings.ToValidUTF8(s[:maxLocation], "") + "…"
}

// ours replaces huma's own error answers, whose values would echo what was sent.
// It is a huma.Transformer.
func ours(_ huma.Context, _ string, v any) (any, error) {
	found, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	errs := make([]error, 0, len(found.Errors))
	for _, d := range found.Errors {
		errs = append(errs, d)
	}
	p := invalidContent(errs)
	p.Status, p.Title = found.Status, http.StatusText(found.Status)
	switch found.Status {
	case http.StatusUnprocessableEntity:
	case http.StatusBadRequest:
		p.Code = permission.CodeMalformed
	default:
		p.Code, p.Detail, p.Errors, p.Field = codeInternal, internalMessage, nil, ""
	}
	return p, nil
}

func wrongMethod() *Problem {
	return Refuse(http.StatusMethodNotAllowed, CodeMethod, "this path does not know the method")
}

// Unauthorized asks for a token.
func Unauthorized() *Problem {
	return Refuse(http.StatusUnauthorized, CodeUnauthorized, "a valid bearer token is needed")
}

// Tell answers with the problem, for a door that is no row.
func (p *Problem) Tell(w http.ResponseWriter) { p.write(w) }

// NotFound answers a request for a path that is not served.
func NotFound(w http.ResponseWriter, _ *http.Request) {
	Refuse(http.StatusNotFound, permission.CodeNotFound, "no such page").write(w)
}

// ReadOnly takes GET and HEAD, and answers what is neither.
func ReadOnly(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	wrongMethod().write(w)
	return false
}
