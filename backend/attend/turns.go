package attend

import (
	"context"
	"sync"

	"sekisho/backend/permission"
)

// turns lets one attempt at a time go on with a call: a caller that lost its connection may
// ask for the same again before its first attempt has ended. It is safe for use by many
// goroutines.
type turns struct {
	mu sync.Mutex
	of map[turnKey]*turn
}

type turnKey struct {
	agent permission.AgentID
	run   permission.RunID
	call  string
}

// turn is an attempt that goes on.
type turn struct {
	cancel context.CancelCauseFunc
	ended  chan struct{}
}

// take begins an attempt, with the context that it goes on by, and end ends it. One that is
// there again takes the place of an earlier one, whose caller is gone, and waits for its end:
// what is executed then is executed to its end. An error says that ctx ended meanwhile.
func (t *turns) take(ctx context.Context, req *Request) (mine context.Context, end func(), err error) {
	key := turnKey{req.Agent.ID, req.Call.RunID, req.Call.ToolCallID}
	mine, cancel := context.WithCancelCause(ctx)
	here := &turn{cancel, make(chan struct{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.of[key] != nil && req.Call.Again {
		before := t.of[key]
		t.mu.Unlock()
		before.cancel(errReplaced)
		select {
		case <-before.ended:
		case <-ctx.Done():
		}
		t.mu.Lock()
		if ctx.Err() != nil {
			cancel(nil)
			return nil, nil, context.Cause(ctx)
		}
	}
	if t.of == nil {
		t.of = map[turnKey]*turn{}
	}
	t.of[key] = here
	return mine, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.of[key] == here {
			delete(t.of, key)
		}
		cancel(nil)
		close(here.ended)
	}, nil
}
