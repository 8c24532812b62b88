package rest

import (
	"context"
	"log/slog"
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
	journal Journal
	work    *work
	log     *slog.Logger

	mu   sync.Mutex
	more map[try]int // tries after the one that is in the journal
}

func newTries(journal Journal, work *work, log *slog.Logger) *tries {
	return &tries{journal: journal, work: work, log: log, more: map[try]int{}}
}

// tried puts an agent's try at a row for persons alone into the journal: the first at
// once, those of the minute after it together at its end.
func (s *tries) tried(agent permission.Agent, method, path string) {
	t := try{agent.ID, method, path}
	s.mu.Lock()
	_, again := s.more[t]
	if again {
		s.more[t]++
	} else {
		s.more[t] = 0
	}
	s.mu.Unlock()
	if again || !s.work.begin() {
		return
	}
	s.note(agent, t, 1)
	go func() {
		defer s.work.playing.Done()
		minute := time.NewTimer(foldTries)
		defer minute.Stop()
		select {
		case <-minute.C:
		case <-s.work.done:
		}
		s.mu.Lock()
		more := s.more[t]
		delete(s.more, t)
		s.mu.Unlock()
		if more > 0 {
			s.note(agent, t, more)
		}
	}()
}

func (s *tries) note(agent permission.Agent, t try, count int) {
	if err := s.journal.NoteRefused(context.Background(), agent, t.method, t.path, count); err != nil {
		s.log.Error("keep that an agent was refused", "agent", agent.Name, "row", t.method+" "+t.path, "error", err)
	}
}
