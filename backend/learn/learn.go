package learn

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"sekisho/backend/history"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/risk"
)

const (
	mostHeld  = 64 << 20 // bytes of inputs that are held for proposals
	mostInput = 64 << 10 // of one
	mostKinds = 50_000   // different calls that are held
	mostShown = 200
	shownText = 4 << 10 // of an input that is listed
)

// Options of a learning.
type Options struct {
	Rules []permission.Rule // that are in force
	Now   permission.Time
	Home  string
	// Progress is told now and then how far it is; nil is told nothing.
	Progress func(files int, bytes int64, calls int)
}

// kind is all calls that are equal: of one server, tool, folder and input.
type kind struct {
	client   history.Client
	call     policy.Call
	line     string
	programs []string
	effect   permission.Effect
	held     bool // its input is
	count    int
	declined int
	ran      int
	last     permission.Time
}

// learner counts the calls of one history.
type learner struct {
	Options
	set      *policy.Set
	seed     maphash.Seed
	kinds    map[uint64]*kind
	order    []*kind
	held     int
	sessions map[uint64]struct{}
	clients  map[history.Client]*ClientCount
	entries  []history.Entry
	files    int
	result   Result
}

// From reads the histories at places and says what they say. Only ctx ends it early.
func From(ctx context.Context, places history.Places, o Options) (*Result, error) {
	l := &learner{Options: o, set: policy.Compile(o.Rules, 0), seed: maphash.MakeSeed(), kinds: map[uint64]*kind{},
		sessions: map[uint64]struct{}{}, clients: map[history.Client]*ClientCount{}}
	if l.Progress == nil {
		l.Progress = func(int, int64, int) {}
	}
	unread, err := history.Read(ctx, places, history.Visitor{Call: l.call, Entry: l.entry, Bytes: l.read, File: l.file})
	if err != nil {
		return nil, err
	}
	l.result.Unread = unread
	l.conclude()
	return &l.result, ctx.Err()
}

func (l *learner) read(n int) {
	before := l.result.Bytes >> 20
	if l.result.Bytes += int64(n); l.result.Bytes>>20 != before {
		l.Progress(l.files, l.result.Bytes, l.result.Calls)
	}
}

func (l *learner) file(c history.Client) {
	l.files++
	l.of(c).Files++
	l.Progress(l.files, l.result.Bytes, l.result.Calls)
}

// of is the count of a program.
func (l *learner) of(c history.Client) *ClientCount {
	if l.clients[c] == nil {
		l.clients[c] = &ClientCount{Client: c}
	}
	return l.clients[c]
}

// hash is one number for several texts.
func (l *learner) hash(texts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	for _, s := range texts {
		h.WriteString(s)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// call counts one call.
func (l *learner) call(c history.Call) {
	server := ""
	if c.Server != nil {
		server = "=" + *c.Server
	}
	key := l.hash(string(c.Client), server, c.Tool, c.Cwd, string(c.Input))
	k := l.kinds[key]
	if k == nil {
		k = l.judge(&c)
		if len(l.order) < mostKinds {
			l.kinds[key] = k
			l.order = append(l.order, k)
		}
	}
	l.sessions[l.hash(string(c.Client), c.Session)] = struct{}{}
	l.of(c.Client).Calls++
	l.result.Calls++
	k.count++
	if k.last = max(k.last, c.At); c.At != 0 {
		if l.result.First == 0 || c.At < l.result.First {
			l.result.First = c.At
		}
		l.result.Last = max(l.result.Last, c.At)
	}
	switch c.Outcome {
	case history.Declined:
		k.declined++
		l.result.Declined++
	case history.Ran:
		k.ran++
	}
	switch k.effect {
	case permission.Allow:
		l.result.Allowed++
	case permission.Deny:
		l.result.Denied++
	default:
		if l.result.Asked++; k.call.Risk == permission.RiskHigh {
			l.result.High++
		}
	}
}

// judge judges a call as a desk would, and holds its input while there is room.
func (l *learner) judge(c *history.Call) *kind {
	k := &kind{client: c.Client, call: policy.Call{ServerID: c.Server, ToolName: c.Tool, Input: c.Input}}
	asked := risk.Call{Tool: c.Tool, Input: c.Input, Cwd: c.Cwd}
	if c.Server != nil {
		asked.Server = *c.Server
	}
	if c.Cwd != "" {
		k.call.Cwd = &c.Cwd
	}
	k.call.Risk, k.call.Reasons = risk.Judge(asked)
	k.effect = l.set.Decide(k.call, l.Now).Effect
	k.line, k.programs = read(&k.call)
	switch {
	case len(l.order) >= mostKinds || len(c.Input) <= mostInput && l.held+len(c.Input) > mostHeld:
		k.call.Input, l.result.Full = nil, true
	case len(c.Input) > mostInput:
		k.call.Input = nil
	default:
		k.held = true
		l.held += len(c.Input)
	}
	return k
}

// conclude makes the lists.
func (l *learner) conclude() {
	r := &l.result
	r.Sessions = len(l.sessions)
	r.Clients, r.Asking, r.Rules, r.Lists = []ClientCount{}, []AskedCall{}, []ProposedRule{}, []ListEntry{}
	for _, c := range []history.Client{history.Claude, history.Codex, history.Gemini, history.Opencode} {
		if l.clients[c] != nil {
			r.Clients = append(r.Clients, *l.clients[c])
		}
	}
	asking := slices.DeleteFunc(slices.Clone(l.order), func(k *kind) bool { return k.effect != permission.Ask })
	slices.SortStableFunc(asking, func(a, b *kind) int {
		return cmp.Or(cmp.Compare(b.call.Risk.Rank(), a.call.Risk.Rank()), cmp.Compare(b.count, a.count), cmp.Compare(b.last, a.last))
	})
	r.Different = len(asking)
	for _, k := range asking[:min(len(asking), mostShown)] {
		r.Asking = append(r.Asking, k.shown())
	}
	l.propose(asking)
	l.lists()
}

func (k *kind) shown() AskedCall {
	c := AskedCall{Client: k.client, ServerID: k.call.ServerID, ToolName: k.call.ToolName, Cwd: k.call.Cwd, Risk: k.call.Risk,
		Line: k.line, RiskReasons: append([]permission.RiskReason{}, k.call.Reasons...), Count: k.count, Declined: k.declined, Last: k.last}
	if k.held && len(k.call.Input) <= shownText {
		c.Input = k.call.Input
	}
	return c
}
