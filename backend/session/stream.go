package session

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"sekisho/backend/mcpwire"
)

const (
	writeWithin = 30 * time.Second       // for a client to accept one message
	lastWithin  = 300 * time.Millisecond // the same when the session ends
)

// Stream is the way of one HTTP answer: JSON when the first message is also the
// last, else an event stream. One goroutine uses it, but for hurry.
type Stream struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	events bool // the answer has begun as an event stream
	prefer bool // the caller named event streams before plain JSON
	Modern bool // errors have their own status
	// Bridged is what "sekisho mcp" says of the request, where it comes through that: whoever
	// gets no answer there sends the request again.
	Bridged *mcpwire.Bridged
	ending  <-chan struct{} // of the session, once there is one
}

func NewStream(w http.ResponseWriter, r *http.Request) *Stream {
	all := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	first := strings.Index(all, "text/event-stream")
	o := &Stream{w: w, rc: http.NewResponseController(w), prefer: first >= 0 && first < strings.Index(all, "application/json")}
	if b, ok := mcpwire.ReadBridged(r.Header.Get(mcpwire.BridgeHeader)); ok {
		o.Bridged = &b
	}
	return o
}

// Patience tells "sekisho mcp" how long its client waits, before the answer begins.
func (o *Stream) Patience(d time.Duration) {
	if o.Bridged != nil {
		o.w.Header().Set(mcpwire.PatienceHeader, strconv.FormatInt(int64(d/time.Second), 10))
	}
}

// hurry cuts a write short that waits for its client. It is called after ending was
// closed, so that a later write knows by itself.
func (o *Stream) hurry() { o.rc.SetWriteDeadline(time.Now().Add(lastWithin)) }

// Begin makes the answer an event stream, if it is not one already.
func (o *Stream) Begin() error {
	if o.events {
		return nil
	}
	o.streams()
	o.w.WriteHeader(http.StatusOK)
	return o.put()
}

// streams says in the headers that an event stream follows.
func (o *Stream) streams() {
	o.events = true
	h := o.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
}

// Event sends one message.
func (o *Stream) Event(raw []byte) error {
	if err := o.Begin(); err != nil {
		return err
	}
	return o.put(eventOf(raw)...)
}

// eventOf is a message as an event, in pieces.
func eventOf(raw []byte) [][]byte {
	return [][]byte{[]byte("event: message\ndata: "), mcpwire.OneLine(raw), []byte("\n\n")}
}

// Comment is a sign of life that clients pass over.
func (o *Stream) Comment(words string) error {
	if err := o.Begin(); err != nil {
		return err
	}
	return o.put([]byte(": " + words + "\n\n"))
}

// Answer sends the last message, of the desk's own.
func (o *Stream) Answer(raw []byte) error { return o.last(raw, http.StatusOK) }

// Refuse answers that a request goes no further: in the era without sessions with the status
// of HTTP that belongs to the error.
func (o *Stream) Refuse(id []byte, e *mcpwire.Error) error {
	if o.Modern {
		return o.last(mcpwire.ErrorAnswer(id, e), StatusOf(e.Code))
	}
	return o.Answer(mcpwire.ErrorAnswer(id, e))
}

// Final sends the server's answer, in the era without sessions with the status of HTTP
// that belongs to its error.
func (o *Stream) Final(in Inbound) error {
	status := http.StatusOK
	if o.Modern && !in.OK {
		if status = in.status; status == 0 {
			status = StatusOf(mcpwire.CodeOf(in.Value))
		}
	}
	return o.last(in.Raw, status)
}

func (o *Stream) last(raw []byte, status int) error {
	switch {
	case o.events:
		return o.Event(raw)
	case o.prefer && status == http.StatusOK:
		o.streams()
		return o.whole(status, eventOf(raw)...)
	}
	o.w.Header().Set("Content-Type", "application/json")
	return o.whole(status, raw)
}

// whole sends all of an answer. Its length is said, so that its end is no chunk of its
// own, which the client would be woken for again.
func (o *Stream) whole(status int, parts ...[]byte) error {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	o.w.Header().Set("Content-Length", strconv.Itoa(size))
	o.w.WriteHeader(status)
	return o.put(parts...)
}

// StatusOf is the status of HTTP that goes with an error of this era.
func StatusOf(code int) int {
	switch code {
	case mcpwire.CodeNoMethod:
		return http.StatusNotFound
	case mcpwire.CodeParams, mcpwire.CodeMismatch, -32021, mcpwire.CodeUnsupported:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// put writes and flushes. A client that accepts nothing for a while counts as gone.
// The limit is taken back afterwards, since it belongs to the connection, which
// serves other requests later. Writers that know no limits or flushes go without.
func (o *Stream) put(parts ...[]byte) error {
	o.rc.SetWriteDeadline(time.Now().Add(writeWithin))
	defer o.rc.SetWriteDeadline(time.Time{})
	select {
	case <-o.ending:
		o.hurry()
	default:
	}
	for _, p := range parts {
		if _, err := o.w.Write(p); err != nil {
			return err
		}
	}
	return o.rc.Flush()
}
