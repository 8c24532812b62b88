package mcpwire

import (
	"encoding/json"
	"fmt"
	"strings"
)

// JSON-RPC error codes, and those that MCP servers use by custom.
const (
	CodeParse       = -32700
	CodeInvalid     = -32600
	CodeNoMethod    = -32601
	CodeParams      = -32602
	CodeInternal    = -32603
	CodeNoSession   = -32001
	CodeNoServer    = -32002
	CodeMismatch    = -32020 // a header says something else than the body
	CodeUnsupported = -32022 // the version that was asked for is not spoken here
)

// CodeRefused says of a judged request that has no other way to say so that it was not
// executed. Its data has a word for why, and the call's id.
const CodeRefused = -32001

// Error is what a caller is told in JSON-RPC's terms.
type Error struct {
	Code      int
	Message   string
	Supported []string // the versions that are, with the one that was requested
	Requested string
	Data      []byte // what else there is to say, in JSON; nil is nothing
}

// Error is the message alone.
func (e *Error) Error() string { return e.Message }

// Errorf makes an Error of a code and words.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// ErrorAnswer is a JSON-RPC error for the request with this id; nil is null.
func ErrorAnswer(id []byte, e *Error) []byte {
	if id == nil {
		id = []byte("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, ErrorValue(e))
}

// ResultAnswer is the answer to a request that succeeded.
func ResultAnswer(id, result []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// ErrorValue is an Error as the value of a message's "error".
func ErrorValue(e *Error) []byte {
	if e.Supported != nil {
		return fmt.Appendf(nil, `{"code":%d,"message":%s,"data":{"supported":["%s"],"requested":%s}}`, e.Code, Quote(e.Message),
			strings.Join(e.Supported, `","`), Quote(e.Requested))
	}
	if e.Data != nil {
		return fmt.Appendf(nil, `{"code":%d,"message":%s,"data":%s}`, e.Code, Quote(e.Message), e.Data)
	}
	return fmt.Appendf(nil, `{"code":%d,"message":%s}`, e.Code, Quote(e.Message))
}

// CodeOf is the code of an error object; 0 where it has none.
func CodeOf(fault []byte) int {
	var e struct{ Code int }
	if json.Unmarshal(fault, &e) != nil {
		return 0
	}
	return e.Code
}

// ToolError is a tools/call result that tells the model why nothing came of it. What it
// says of its kind is for the era without sessions; older clients pass over it.
func ToolError(id []byte, words string) []byte {
	return fmt.Appendf(nil,
		`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}],"isError":true,"resultType":"complete"}}`, id, Quote(words))
}
