package gateway

import (
	"net/http"
	"time"
)

const (
	writeWithin = 30 * time.Second       // for a client to accept one message
	lastWithin  = 300 * time.Millisecond // the same when the session ends
)

// stream is the way of one HTTP answer: JSON when the first message is also the
// last, else an event stream. One goroutine uses it, but for hurry.
type stream struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	events bool            // the answer has begun as an event stream
	ending <-chan struct{} // of the session, once there is one
}

func newStream(w http.ResponseWriter) *stream {
	return &stream{w: w, rc: http.NewResponseController(w)}
}

// hurry cuts a write short that waits for its client. It is called after ending was
// closed, so that a later write knows by itself.
func (o *stream) hurry() { o.rc.SetWriteDeadline(time.Now().Add(lastWithin)) }

// begin makes the answer an event stream, if it is not one already.
func (o *stream) begin() error {
	if o.events {
		return nil
	}
	o.events = true
	h := o.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	o.w.WriteHeader(http.StatusOK)
	return o.put()
}

// event sends one message.
func (o *stream) event(raw []byte) error {
	if err := o.begin(); err != nil {
		return err
	}
	return o.put([]byte("event: message\ndata: "), oneLine(raw), []byte("\n\n"))
}

// comment is a sign of life that clients pass over.
func (o *stream) comment(words string) error {
	if err := o.begin(); err != nil {
		return err
	}
	return o.put([]byte(": " + words + "\n\n"))
}

// answer sends the last message.
func (o *stream) answer(raw []byte) error {
	if o.events {
		return o.event(raw)
	}
	o.w.Header().Set("Content-Type", "application/json")
	return o.put(raw)
}

// put writes and flushes. A client that accepts nothing for a while counts as gone.
// The limit is taken back afterwards, since it belongs to the connection, which
// serves other requests later. Writers that know no limits or flushes go without.
func (o *stream) put(parts ...[]byte) error {
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
