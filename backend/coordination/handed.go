package coordination

import (
	"context"
	"sync"

	"sekisho/backend/permission"
)

// handed are the messages that went out with an answer which is not confirmed yet: that its session calls
// another tool shows that it has them. Those of a desk that is killed before are handed out again,
// since an answer may be lost with it.
type handed struct {
	mu sync.Mutex
	to map[permission.SessionID][]Message
}

func (h *handed) put(to permission.SessionID, list []Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.to[to] = append(h.to[to], list...)
}

// take gives what a session has, and forgets it.
func (h *handed) take(from permission.SessionID) []Message {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.to[from]
	delete(h.to, from)
	return list
}

// by gives the session that a message was handed to; "" is none.
func (h *handed) by(id MessageID) permission.SessionID {
	h.mu.Lock()
	defer h.mu.Unlock()
	for session, list := range h.to {
		for _, m := range list {
			if m.ID == id {
				return session
			}
		}
	}
	return ""
}

// confirm notes that a session has what was handed to it.
func (c *Coordination) confirm(ctx context.Context, s Session) error {
	list := c.handed.take(s.ID)
	err := c.Deliver(ctx, s.ProjectID, OfAgent(s.AgentID), list)
	if err != nil {
		c.handed.put(s.ID, list)
	}
	return err
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
			c.handed.take(to)
			list = append(list, m)
		}
	}
	return list, nil
}
