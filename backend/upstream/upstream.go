package upstream

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"sekisho/backend/mcpwire"
)

// Server is the server's side of one session: a process, a connection over HTTP, or a handler
// in the desk's own process.
type Server interface {
	// Send hands a message over. An error says that the server has not seen it.
	Send(ctx context.Context, p Message) error
	// Stop asks for the end and does not wait for it: Over tells.
	Stop()
	// Over is closed when the server has ended and nothing more comes from it.
	Over() <-chan struct{}
	// Last is the most telling of the last lines that the server said of its own troubles, for
	// a message to the caller; Said is the end of all that it said, at most limit bytes.
	Last() string
	Said(limit int) string
}

// Drop ends what is left of a request on its way to a server; false where that is a process,
// which has no such way.
func Drop(far Server, request string) bool {
	r, ok := far.(interface{ Drop(request string) bool })
	return ok && r.Drop(request)
}

// unwrapped is the server itself, behind whatever stands before it.
func unwrapped(far Server) Server {
	if w, ok := far.(interface{ Unwrap() Server }); ok {
		return unwrapped(w.Unwrap())
	}
	return far
}

// Message is a message on its way to a server.
type Message struct {
	Raw    []byte
	Kind   mcpwire.Kind
	Key    string      // of a request's id
	Method string      // of a request or notification
	Header http.Header // what the caller sent beside it, of the headers of MCP
}

// MessageOf is a message that goes on as it came.
func MessageOf(m mcpwire.Message) Message {
	return Message{Raw: m.Raw, Kind: m.Kind, Key: m.Key, Method: m.Method, Header: m.Header}
}

// Origin is where on its way from a server a message was met.
type Origin struct {
	Request string // on the stream of this request's answer; empty where that is not known
	Apart   bool   // on the stream of what a server says by itself
	Status  int    // of HTTP, where the message is all of an answer; else 0
	Head    []byte // of a message over the limit: how it begins, where that is known
}

// Loss says that no answer to a request will come.
type Loss struct {
	Request string
	Why     string
	Refused bool // the server refused the request: it has not run
	Status  int  // of HTTP, by which it did; else 0
}

// Listener is told what comes from a server. Of one stream it comes in order, one after
// the other; the streams of a server over HTTP come at once.
type Listener struct {
	Heard func(raw []byte, from Origin)
	Long  func(from Origin)         // a message was over the limit, and was dropped
	Lost  func(Loss)                // no further answer to a request will come
	Waits func(request string) bool // whether one is still waited for
}

// ErrEnded says that a server's process has ended.
var ErrEnded = errors.New("the server has ended")

// maxExcuse bounds what is read of an answer that nobody waits for, or that says no, in bytes.
const maxExcuse = 4 << 10

// maxExcerpt bounds what an error repeats of a server's words, in bytes.
const maxExcerpt = 300

// Excerpt is as much of a server's words as an error repeats.
func Excerpt(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxExcerpt)], "?")
}
