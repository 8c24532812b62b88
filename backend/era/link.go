package era

import (
	"context"
	"sync"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/upstream"
)

// Bounds of what a bridge asks a server by itself.
const (
	probeWithin = 10 * time.Second // for server/discover, before initialize is tried as well
	startWithin = 5 * time.Minute  // for initialize: some servers are downloaded first
	askWithin   = 30 * time.Second
	noteWithin  = 5 * time.Second
	maxNotes    = 256 // messages that wait for a server to read them
)

// link is the way of a bridge to its server and to its client.
type link struct {
	server permission.Server
	far    upstream.Server
	to     upstream.Listener
	life   context.Context // ends with the server
	end    context.CancelFunc
	asked  asking
	notes  chan upstream.Message
	noting sync.Once
}

// answer answers a client's request as the bridge.
func (l *link) answer(request string, raw []byte) {
	l.to.Heard(raw, upstream.Origin{Request: request})
}

// note tells the server something, in the order in which it is called, without waiting until
// it is read. Of very much that is not read something is left out.
func (l *link) note(p upstream.Message) {
	l.noting.Do(func() { go l.write() })
	select {
	case l.notes <- p:
	default:
	}
}

func (l *link) write() {
	for {
		select {
		case p := <-l.notes:
			ctx, cancel := context.WithTimeout(l.life, noteWithin)
			_ = l.far.Send(ctx, p) // one that ends or does not read has missed it
			cancel()
		case <-l.life.Done():
			return
		}
	}
}
