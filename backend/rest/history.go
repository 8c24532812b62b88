package rest

import (
	"context"
	"sync"
	"time"

	"sekisho/backend/learn"
	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// History reads what agents have written on the desk's machine and says what the rules in
// force would have made of it. Only ctx ends it early.
type History func(ctx context.Context, progress func(files int, bytes int64, calls int)) (*learn.Result, error)

const (
	longestReading = time.Hour
	historyKept    = 15 * time.Minute // its result, unless it is deleted before
)

// historyRows read histories, one at a time, and have the last result until it is deleted
// or is old. It is nowhere but in memory.
type historyRows struct {
	read   History
	work   *work
	mu     sync.Mutex
	now    historyState
	cancel context.CancelFunc // ends the reading, and forgets the result
	turn   int                // of the reading that now tells of
}

// historyState is how far a reading is.
type historyState struct {
	State  string        `json:"state" enum:"none,reading,done" doc:"none: nothing is read or known"`
	Files  int           `json:"files"`
	Bytes  int64         `json:"bytes"`
	Calls  int           `json:"calls"`
	Result *learn.Result `json:"result"`
}

type historyOut struct{ Body historyState }

func (h *historyRows) addHistory(a *restwire.API) {
	h.now.State = "none"
	restwire.Register(a, restwire.Row{Route: "POST /v1/history", ID: "readHistory", Who: restwire.Operators,
		Summary: "Read what agents have already written on the desk's machine",
		About: "Of the user whom the desk runs as: the transcripts, sessions and permission lists of Claude Code, Codex, Gemini CLI and opencode. " +
			"Answers at once; GET tells how far it is. One is read at a time: while one is, that one goes on. " +
			"Nothing is written or logged, and no connection is opened."}, h.begin)
	restwire.Register(a, restwire.Row{Route: "GET /v1/history", ID: "getHistory", Who: restwire.Operators,
		Summary: "Say how far the reading of histories is, and what came of it",
		About: "The calls are judged by the rules that were in force when the reading began. Each rule can be saved as it is. " +
			"The result is forgotten after 15 minutes."}, h.get)
	restwire.Register(a, restwire.Row{Route: "DELETE /v1/history", ID: "forgetHistory", Who: restwire.Operators,
		Summary: "End the reading of histories, and forget what came of it"}, h.forget)
}

func (h *historyRows) begin(context.Context, *struct{}) (*historyOut, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.read == nil:
		return nil, &permission.Error{Code: permission.CodeUnavailable, Message: "this desk reads no histories"}
	case h.now.State == "reading":
		return &historyOut{h.now}, nil
	case !h.work.begin():
		return nil, &permission.Error{Code: permission.CodeUnavailable, Message: "the desk is closing"}
	}
	h.drop()
	ctx, cancel := h.work.waiting(context.Background(), longestReading)
	h.now, h.cancel = historyState{State: "reading"}, cancel
	go h.run(ctx, h.turn)
	return &historyOut{h.now}, nil
}

// drop ends what goes on and forgets the result.
func (h *historyRows) drop() {
	if h.cancel != nil {
		h.cancel()
	}
	h.now, h.cancel, h.turn = historyState{State: "none"}, nil, h.turn+1
}

// run reads, and forgets the result after a while, or when ctx ends.
func (h *historyRows) run(ctx context.Context, turn int) {
	defer h.work.playing.Done()
	defer h.end(turn)
	result, err := h.read(ctx, func(files int, bytes int64, calls int) {
		h.set(turn, historyState{State: "reading", Files: files, Bytes: bytes, Calls: calls})
	})
	if err != nil { // it was ended, or took too long
		return
	}
	h.set(turn, historyState{State: "done", Bytes: result.Bytes, Calls: result.Calls, Result: result})
	select {
	case <-ctx.Done():
	case <-time.After(historyKept):
	}
}

// set notes how far a reading is, unless it was dropped: another may go on by now.
func (h *historyRows) set(turn int, now historyState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if turn == h.turn {
		h.now = now
	}
}

// end drops a reading that is over, unless it was dropped.
func (h *historyRows) end(turn int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if turn == h.turn {
		h.drop()
	}
}

func (h *historyRows) get(context.Context, *struct{}) (*historyOut, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return &historyOut{h.now}, nil
}

func (h *historyRows) forget(context.Context, *struct{}) (*historyOut, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drop()
	return &historyOut{h.now}, nil
}
