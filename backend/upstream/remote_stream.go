package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"sekisho/backend/mcpwire"
)

// How long until a stream that broke off is asked for again.
const (
	leastRetry = 100 * time.Millisecond // whatever the server wishes
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
	maxRetries = 5               // of an answer's stream, without a single event in between
	longEnough = 5 * time.Second // for a stream to be a good one, though nothing was said on it
)

// follow reads the stream of a request's answer. One that breaks off before the
// answer is continued where its last event had an id.
func (r *Remote) follow(ctx context.Context, p Message, s *mcpwire.Events, from Origin) {
	r.hear(s, from)
	for failures := 0; s.ID != "" && failures < maxRetries && r.to.Waits(p.Key); failures++ {
		if !pause(ctx, r.delay(s, failures)) {
			return
		}
		next, err := r.open(ctx, p.Header, s.ID)
		if err != nil {
			continue
		}
		if next.ID, next.Retry = s.ID, s.Retry; r.hear(next.Events, from) {
			failures = -1
		}
		next.Close()
		*s = *next.Events
	}
}

// hear passes on what a stream says until it ends, and reports whether it said
// anything.
func (r *Remote) hear(s *mcpwire.Events, from Origin) (any bool) {
	for {
		e, err := s.Next()
		if err != nil {
			return any
		}
		any = true
		switch {
		case e.Long:
			from.Head = e.Head
			r.to.Long(from)
			from.Head = nil
		case len(e.Data) > 0 && (e.Name == "" || e.Name == "message"):
			r.to.Heard(e.Data, from)
		}
	}
}

// delay is how long to wait before a stream is asked for again: what the server says,
// else longer each time.
func (r *Remote) delay(s *mcpwire.Events, failures int) time.Duration {
	if s.Retry > 0 {
		return max(leastRetry, min(s.Retry, lastRetry))
	}
	return min(firstRetry<<min(failures, maxRetries), lastRetry)
}

// pause waits; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// opened is a GET stream.
type openStream struct {
	*mcpwire.Events
	Close func() error
}

// errNoStream says that a server has nothing to say by itself.
var errNoStream = errors.New("the server offers no stream")

// open asks for a GET stream, from after an event on if last is not empty.
func (r *Remote) open(ctx context.Context, header http.Header, last string) (openStream, error) {
	h := header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Accept", "text/event-stream")
	if last != "" {
		h.Set("Last-Event-ID", last)
	}
	resp, err := r.do(ctx, http.MethodGet, Message{Header: h}, r.name())
	if err != nil {
		return openStream{}, err
	}
	switch {
	case resp.StatusCode == http.StatusOK:
		return openStream{mcpwire.NewEvents(resp.Body, r.limit), resp.Body.Close}, nil
	case resp.StatusCode < 500:
		err = errNoStream
	default:
		err = fmt.Errorf("the server answered HTTP %s", resp.Status)
	}
	resp.Body.Close()
	return openStream{}, err
}

// listen opens the stream of what the server says by itself, unless it is open. It
// lasts as long as the connection, or until the server has none in this session.
func (r *Remote) listen() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped || r.listens {
		return
	}
	r.listens = true
	r.work.Add(1)
	go func() {
		defer r.work.Done()
		for r.attend() {
			continue
		}
	}()
}

// attend listens in the session that there is now. It reports whether another one has begun
// meanwhile, whose stream nobody has opened.
func (r *Remote) attend() (again bool) {
	r.mu.Lock()
	name, header := r.session, r.opened.Header
	r.mu.Unlock()
	r.overhear(header)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listens = r.session != name && !r.stopped
	return r.listens
}

// overhear opens the stream again and again, until the server has none or the connection
// ends. What goes wrong in between makes it wait longer, and does not end it.
func (r *Remote) overhear(header http.Header) {
	last, failures := "", 0
	for {
		s, err := r.open(r.life, header, last)
		if errors.Is(err, errNoStream) {
			return
		}
		retry := &mcpwire.Events{}
		if err == nil {
			began := time.Now()
			if s.ID = last; r.hear(s.Events, Origin{Apart: true}) || time.Since(began) >= longEnough {
				failures = 0
			}
			s.Close()
			last, retry = s.ID, s.Events
		}
		if !pause(r.life, r.delay(retry, failures)) {
			return
		}
		failures++
	}
}

// tellRenewed tells who wants to know that the session is another one. It does not wait for
// what they say to the server thereupon.
func (r *Remote) tellRenewed() {
	if r.Renewed == nil || !r.enter() {
		return
	}
	go func() {
		defer r.work.Done()
		r.Renewed(r.life)
	}()
}

// renew opens the server's session again under a new name, unless that has happened
// since old was its name. What the server kept in the old one is gone.
func (r *Remote) renew(ctx context.Context, old string) (name string, err error) {
	r.renewal.Lock()
	defer r.renewal.Unlock()
	if name = r.name(); name != old {
		return name, nil
	}
	r.mu.Lock()
	opening, opened := r.opening, r.opened
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, renewWithin)
	defer cancel()
	resp, err := r.do(ctx, http.MethodPost, opening, "")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", r.refusedBy(resp)
	}
	name = resp.Header.Get(mcpwire.SessionHeader)
	if opened.Raw != nil {
		told, err := r.do(ctx, http.MethodPost, opened, name)
		if err != nil {
			return "", err
		}
		told.Body.Close()
	}
	r.mu.Lock()
	r.session = name
	r.mu.Unlock()
	if opened.Raw != nil {
		r.listen()
		r.tellRenewed()
	}
	return name, nil
}
