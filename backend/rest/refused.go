package rest

import (
	"context"
	"sync"
	"time"

	"sekisho/backend/permission"
)

// foldTries is how long further tries of an agent at one row are only counted, so that it
// cannot fill the journal with them.
const foldTries = time.Minute

// try is an agent and the row for persons alone that it tried.
type try struct {
	agent        permission.AgentID
	method, path string // path is the row's, with its placeholders
}

// tries are the tries of the last minute. It is safe for use by many goroutines.
type tries struct {
	mu   sync.Mutex
	more map[try]int // tries after the one that is in the journal
}

// tried puts an agent's try at a row for persons alone into the journal: the first at
// once, those of the minute after it together at its end.
func (h *Handler) tried(agent permission.Agent, method, path string) {
	t := try{agent.ID, method, path}
	h.tries.mu.Lock()
	_, again := h.tries.more[t]
	if again {
		h.tries.more[t]++
	} else {
		h.tries.more[t] = 0
	}
	h.tries.mu.Unlock()
	if again || !h.begin() {
		return
	}
	h.noteTries(agent, t, 1)
	go func() {
		defer h.playing.Done()
		minute := time.NewTimer(foldTries)
		defer minute.Stop()
		select {
		case <-minute.C:
		case <-h.done:
		}
		h.tries.mu.Lock()
		more := h.tries.more[t]
		delete(h.tries.more, t)
		h.tries.mu.Unlock()
		if more > 0 {
			h.noteTries(agent, t, more)
		}
	}()
}

// begin counts something in that Close waits for; false once the door is closed.
func (h *Handler) begin() bool {
	h.closing.Lock()
	defer h.closing.Unlock()
	select {
	case <-h.done:
		return false
	default:
		h.playing.Add(1)
		return true
	}
}

func (h *Handler) noteTries(agent permission.Agent, t try, count int) {
	if err := h.desk.NoteRefused(context.Background(), agent, t.method, t.path, count); err != nil {
		h.opts.Logger.Error("keep that an agent was refused", "agent", agent.Name, "row", t.method+" "+t.path, "error", err)
	}
}
