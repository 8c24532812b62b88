package era

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// Bounds of what a server of 2026-07-28 is asked to bring news of.
const (
	maxStreams = 100
	firstAgain = time.Second // until a stream that ended is asked for again; longer each time
	lastAgain  = time.Minute
)

// news is what a server of 2026-07-28 says by itself, to the client of a session: one
// subscriptions/listen for lists that change, and one for each resource. A stream stays open
// when the client has unsubscribed, and is not heard: servers are known that forget the others
// of a process when one ends. It is safe for use by many goroutines.
type news struct {
	server *statelessServer

	mu      sync.Mutex
	streams map[string]*stream // by the key of its request
	wanted  map[string]bool    // resources; "" is for lists
	again   time.Duration      // until the next stream that ends is asked for again
}

// stream is a subscriptions/listen at the server.
type stream struct {
	uri    string // "" is for lists
	id     []byte
	agreed chan bool // has room for the one answer: whether the server agrees
	up     bool      // it has answered; guarded by news
}

// errNoNews says that a server does not bring the news that it was asked for.
var errNoNews = errors.New("the server does not bring them")

// begin listens for lists that change, once the client is there.
func (n *news) begin() {
	can := &n.server.can
	if can.Tools.ListChanged || can.Prompts.ListChanged || can.Resources.ListChanged {
		n.mu.Lock()
		n.wanted[""] = true
		n.mu.Unlock()
		go n.open(n.server.life, "") // one that does not bring them is as one that has none
	}
}

// change begins or ends the news of a resource.
func (n *news) change(ctx context.Context, m mcpwire.Message) ([]byte, *mcpwire.Error) {
	uri := wordOf(m.Params, "uri")
	switch {
	case uri == "":
		return nil, mcpwire.Errorf(mcpwire.CodeParams, "uri of %s is a string", m.Method)
	case !n.server.can.Resources.Subscribe:
		return nil, mcpwire.Errorf(mcpwire.CodeNoMethod, "the server brings no news of resources: it has no %s", m.Method)
	}
	n.mu.Lock()
	if m.Method == mcpwire.Unsubscribe {
		delete(n.wanted, uri)
		n.mu.Unlock()
		return []byte("{}"), nil
	}
	had := n.wanted[uri]
	n.wanted[uri] = true
	for _, s := range n.streams {
		had = had || s.uri == uri
	}
	n.mu.Unlock()
	if had {
		return []byte("{}"), nil
	}
	if err := n.open(ctx, uri); err != nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.wanted, uri)
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "news of the resource %.200q cannot be had: %s", uri, err)
	}
	return []byte("{}"), nil
}

// open asks for a stream, and waits until the server agrees.
func (n *news) open(ctx context.Context, uri string) error {
	can := &n.server.can
	want := Wanted{Tools: can.Tools.ListChanged, Prompts: can.Prompts.ListChanged, Resources: can.Resources.ListChanged}
	if uri != "" {
		want = Wanted{URIs: []string{uri}}
	}
	filter, err := json.Marshal(want)
	if err != nil {
		return err
	}
	f := n.server
	p := own(mcpwire.Listen, fmt.Appendf(nil, `{"notifications":%s,"_meta":%s}`, filter, f.client().meta()),
		http.Header{mcpwire.VersionHeader: {mcpwire.Stateless}, mcpwire.MethodHeader: {mcpwire.Listen}})
	s := &stream{uri: uri, id: mcpwire.Quote(p.Key[1:]), agreed: make(chan bool, 1)}
	if !n.add(p.Key, s) {
		return fmt.Errorf("a session has news of at most %d resources", maxStreams-1)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, askWithin, errSilent)
	defer cancel()
	if err = f.far.Send(ctx, p); err == nil {
		select {
		case agreed := <-s.agreed:
			if !agreed {
				err = errNoNews
			}
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-f.life.Done():
			err = upstream.ErrEnded
		}
	}
	if err != nil && n.take(p.Key) != nil {
		f.hangUp(p.Key, s.id)
	}
	return err
}

// add keeps a stream, in the place of one that is not heard where there are very many; false
// where all are.
func (n *news) add(key string, s *stream) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for old, o := range n.streams {
		if len(n.streams) < maxStreams {
			break
		}
		if !n.wanted[o.uri] {
			delete(n.streams, old)
			n.server.hangUp(old, o.id)
		}
	}
	if len(n.streams) >= maxStreams {
		return false
	}
	n.streams[key] = s
	return true
}

func (n *news) take(key string) *stream {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.streams[key]
	delete(n.streams, key)
	return s
}

// hear takes a message of a stream of news; false where it is of none. The client gets news as
// it gets all that a server says by itself.
func (n *news) hear(m mcpwire.Message, key string) bool {
	if id, ok := mcpwire.IDKey(mcpwire.MetaOf(m, mcpwire.MetaSubscription)); ok && key == "" {
		key = id
	}
	n.mu.Lock()
	s := n.streams[key]
	heard := s != nil && n.wanted[s.uri]
	n.mu.Unlock()
	switch {
	case s == nil:
		return false
	case m.Kind == mcpwire.Response:
		n.broken(key)
	case m.Method == mcpwire.ListeningNote:
		var agreed struct{ Notifications Wanted }
		_ = json.Unmarshal(m.Params, &agreed) // what cannot be read was not agreed to
		n.mu.Lock()
		defer n.mu.Unlock()
		if !s.up {
			s.agreed <- s.uri == "" || slices.Contains(agreed.Notifications.URIs, s.uri)
			s.up, n.again = true, firstAgain
		}
	case m.Kind == mcpwire.Notification && heard:
		n.server.to.Heard(m.Raw, upstream.Origin{Apart: true})
	}
	return true
}

// broken takes note that a stream has ended, and asks for it again; false where there is no
// such stream.
func (n *news) broken(key string) bool {
	s := n.take(key)
	switch {
	case s == nil:
		return false
	case s.up: // it was taken: nobody changes it
		n.later(s.uri)
	default:
		s.agreed <- false // whoever opens it goes on from here
	}
	return true
}

// later opens a stream again after a while, if it is wanted then.
func (n *news) later(uri string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	time.AfterFunc(n.again, func() {
		n.mu.Lock()
		wants := n.wanted[uri]
		n.mu.Unlock()
		if wants && n.server.life.Err() == nil && n.open(n.server.life, uri) != nil {
			n.later(uri)
		}
	})
	n.again = min(2*n.again, lastAgain)
}

func (n *news) waits(key string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.streams[key] != nil
}
