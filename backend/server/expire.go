package server

import (
	"context"
	"time"
)

// expiring ends the sessions of agents that expire, until stop is called: their calls and grants, their
// connections and what the page shows of them.
func (s *Server) expiring() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			rest, err := s.roles.Expire(ctx)
			if err != nil && ctx.Err() == nil {
				s.log.Error("end sessions that expired", "error", err)
			}
			timer := time.NewTimer(rest)
			select {
			case <-ctx.Done():
			case <-timer.C:
			case <-s.roles.Moved():
			}
			timer.Stop()
		}
	}()
	return func() { cancel(); <-done }
}
