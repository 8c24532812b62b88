package coordination

import (
	"context"
	"slices"
	"sync"

	"sekisho/backend/permission"
)

// handed are the messages that went out with an answer which is not confirmed yet: that its session calls
// another tool shows that it has them. Those of a desk that is killed before are handed out again,
// since an answer may be lost with it.
type handed struct {
	// choosing is held from the look at what waits until it is handed out, and while a parcel is taken
	// away: of two answers that are made at once, one has a message.
	choosing sync.Mutex

	mu sync.Mutex
	to map[permission.SessionID][]*parcel
}

// parcel is the messages of one answer.
type parcel struct {
	list    []Message
	settled chan struct{} // closed when the answer was written, or could not be
	written bool          // read after settled
}

// by gives the session that a message was handed to; "" is none.
func (h *handed) by(id MessageID) permission.SessionID {
	h.mu.Lock()
	defer h.mu.Unlock()
	for session, parcels := range h.to {
		for _, p := range parcels {
			if slices.ContainsFunc(p.list, func(m Message) bool { return m.ID == id }) {
				return session
			}
		}
	}
	return ""
}

// of gives the parcels of a session.
func (h *handed) of(s permission.SessionID) []*parcel {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.to[s])
}

func (h *handed) put(s permission.SessionID, p *parcel) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.to[s] = append(h.to[s], p)
}

// remove takes parcels of a session away.
func (h *handed) remove(s permission.SessionID, gone ...*parcel) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.to[s] = slices.DeleteFunc(h.to[s], func(p *parcel) bool { return slices.Contains(gone, p) })
	if len(h.to[s]) == 0 {
		delete(h.to, s)
	}
}

// handOut hands messages to a session that nobody else was handed meanwhile; nil where there are none.
func (c *Coordination) handOut(s *Session, choose func() ([]Message, error)) (*parcel, error) {
	c.handed.choosing.Lock()
	defer c.handed.choosing.Unlock()
	list, err := choose()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	p := &parcel{list: list, settled: make(chan struct{})}
	c.handed.put(s.ID, p)
	return p, nil
}

// takeBack frees the messages of an answer that reached nobody.
func (c *Coordination) takeBack(s *Session, p *parcel) {
	c.handed.choosing.Lock()
	c.handed.remove(s.ID, p)
	c.handed.choosing.Unlock()
	close(p.settled)
	c.bells.ring(s.ProjectID)
}

// confirm notes that a session has what was handed to it. An answer that is being written is waited
// for: only then is it known whether the session has it.
func (c *Coordination) confirm(ctx context.Context, s Session) error {
	var has []*parcel
	var list []Message
	for _, p := range c.handed.of(s.ID) {
		select {
		case <-p.settled:
		case <-ctx.Done():
			return ctx.Err()
		}
		if p.written {
			has, list = append(has, p), append(list, p.list...)
		}
	}
	if err := c.Deliver(ctx, s.ProjectID, OfAgent(s.AgentID), list); err != nil || len(has) == 0 {
		return err
	}
	c.handed.choosing.Lock()
	defer c.handed.choosing.Unlock()
	c.handed.remove(s.ID, has...)
	return nil
}

// free gives those of some messages that no live session was handed. What one that has ended was
// handed is forgotten.
func (c *Coordination) free(ctx context.Context, all []Message) (list []Message, err error) {
	for _, m := range all {
		to := c.handed.by(m.ID)
		live, err := c.live(ctx, to)
		if err != nil {
			return nil, err
		}
		if !live {
			c.handed.remove(to, c.handed.of(to)...)
			list = append(list, m)
		}
	}
	return list, nil
}
