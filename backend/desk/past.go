package desk

import (
	"context"
	"slices"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
)

// maxPast is how many of the newest calls a preview looks at.
const maxPast = 100_000

// history holds the newest calls in memory, by their distinct servers, methods and tools, so
// that a preview decides each pair once.
type history struct {
	pairs map[pair]int32
	list  advice.History
	seqs  []int64 // of list.Calls, rising
}

type pair struct {
	server       string // with a mark before it, or "" for none
	method, tool string
	round        permission.RoundIssue
	data         bool
}

func pairOf(c *permission.Call) pair {
	p := pair{"", c.Method, c.ToolName, c.Round, c.ResumeRequired}
	if c.ServerID != nil {
		p.server = "=" + *c.ServerID
	}
	return p
}

// catchUp adds what came in since, forgets the oldest beyond maxPast, and notes what
// was declined.
func (h *history) catchUp(ctx context.Context, store PastStore) error {
	if h.pairs == nil || len(h.pairs) > maxPast { // names that are gone are forgotten
		*h = history{pairs: map[pair]int32{}}
	}
	var last int64
	if n := len(h.seqs); n > 0 {
		last = h.seqs[n-1]
	}
	had := len(h.seqs)
	if err := store.Past(ctx, last, maxPast, h.add); err != nil {
		return err
	}
	slices.Reverse(h.seqs[had:]) // they come newest first
	slices.Reverse(h.list.Calls[had:])
	if over := len(h.seqs) - maxPast; over > 0 {
		h.seqs, h.list.Calls = slices.Delete(h.seqs, 0, over), slices.Delete(h.list.Calls, 0, over)
	}
	if len(h.seqs) == 0 {
		return nil
	}
	declined, err := store.DeclinedSince(ctx, h.seqs[0])
	for _, seq := range declined {
		if i, found := slices.BinarySearch(h.seqs, seq); found {
			h.list.Calls[i].Declined = true
		}
	}
	return err
}

func (h *history) add(seq int64, c permission.Call) {
	key := pairOf(&c)
	at, known := h.pairs[key]
	if !known {
		at = int32(len(h.list.Pairs))
		h.pairs[key] = at
		h.list.Pairs = append(h.list.Pairs, subject(&c))
	}
	h.list.Calls = append(h.list.Calls, advice.Past{ID: c.ID, CreatedAt: c.CreatedAt, Pair: at})
	h.seqs = append(h.seqs, seq)
}

// PastStore looks back.
type PastStore interface {
	// Past tells of calls that came in after seq, newest first: id, server and tool.
	Past(ctx context.Context, after int64, limit int, visit func(seq int64, c permission.Call)) error
	// Answers gives the newest decided calls with what became of them, the oldest first.
	Answers(ctx context.Context, newest int) ([]permission.PastCall, error)
	// DeclinedSince lists the places of the calls from seq on that a person declined.
	DeclinedSince(ctx context.Context, seq int64) ([]int64, error)
	Call(ctx context.Context, id permission.CallID) (permission.Call, error)
}
