package gateway

import (
	"context"
	"errors"
	"net/http"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// upstream is the server's side of one session: a process, or a connection over HTTP.
type upstream interface {
	// send hands a message over. An error says that the server has not seen it.
	send(ctx context.Context, p parcel) error
	// stop asks for the end and does not wait for it: over tells.
	stop()
	// over is closed when the server has ended and nothing more comes from it.
	over() <-chan struct{}
	// last is the last line that the server said of its own troubles, for a message to
	// the caller; said is the end of all that it said, at most limit bytes.
	last() string
	said(limit int) string
}

// parcel is a message on its way to a server.
type parcel struct {
	raw    []byte
	kind   mcpwire.Kind
	key    string      // of a request's id
	method string      // of a request or notification
	header http.Header // what the caller sent beside it, of the headers of MCP
}

func parcelOf(m mcpwire.Message) parcel {
	return parcel{raw: m.Raw, kind: m.Kind, key: m.Key, method: m.Method, header: m.Header}
}

// origin is where on its way from a server a message was met.
type origin struct {
	request string // on the stream of this request's answer; empty where that is not known
	apart   bool   // on the stream of what a server says by itself
	status  int    // of HTTP, where the message is all of an answer; else 0
	head    []byte // of a message over the limit: how it begins, where that is known
}

// loss says that no answer to a request will come.
type loss struct {
	request string
	why     string
	refused bool // the server refused the request: it has not run
}

// ears are told what comes from a server. Of one stream it comes in order, one after
// the other; the streams of a server over HTTP come at once.
type ears struct {
	heard func(raw []byte, from origin)
	long  func(from origin)         // a message was over the limit, and was dropped
	lost  func(loss)                // no further answer to a request will come
	waits func(request string) bool // whether one is still waited for
}

// connect makes the upstream of a session.
func (g *Gateway) connect(server permission.Server, limit int, to ears) (upstream, error) {
	if server.Lacks != "" {
		return nil, errors.New(server.Lacks)
	}
	if server.Transport == permission.TransportHTTP {
		return dial(g.client, server, limit, to), nil
	}
	return start(server, limit, to)
}
