package policy

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
)

// The bounds of a memo. Its entries hold names of at most 2 x 256 bytes, so that it
// takes at most about 13 MB, and 3 MB with usual names.
const (
	memoBuckets = 1 << 12
	memoWays    = 4
	memoMarks   = 1 << 18 // bits
	memoSoft    = 16      // candidates of one entry that expire or have conditions
)

// memo remembers which rules may decide the calls of a server and tool. It holds
// candidates and no decisions, so that neither time nor input can make an entry wrong.
// Sets that came from one another by Edit share it: an entry is stamped with the last
// edit that it is true after, and a Set looks at the edits since.
//
// A name is kept when it is met for the second time. The first time leaves a mark, so
// that names which are made up anew for each call neither cost memory nor drive out
// those in use.
type memo struct {
	seed   maphash.Seed
	table  atomic.Pointer[[memoBuckets]bucket] // nil until something is kept
	marks  [memoMarks / 64]atomic.Uint64
	marked atomic.Int32
}

type bucket [memoWays]atomic.Pointer[entry]

// entry is what is known of one server and tool. Only its stamp changes. The decision
// of the firm candidate lies in it, so that it is at hand without a look at the rule.
type entry struct {
	trueFor      atomic.Pointer[edit]
	method       string // "" is that of a tool call
	tool, server string
	served       bool // there is a server
	looks        bool // a candidate looks at the time or the input
	decision     Decision
	candidates
}

func (e *entry) is(c *Call) bool {
	return e.method == c.memoMethod() && e.tool == c.ToolName && e.served == (c.ServerID != nil) && (!e.served || e.server == *c.ServerID)
}

func newMemo() *memo { return &memo{seed: maphash.MakeSeed()} }

// hash is of the names of a call that is short enough to be kept.
func (m *memo) hash(c *Call) (hash uint64, short bool) {
	if len(c.ToolName) > permission.MaxNameBytes {
		return 0, false
	}
	hash = maphash.String(m.seed, c.ToolName)
	if method := c.memoMethod(); method != "" {
		hash = hash*31 + maphash.String(m.seed, method)
	}
	if c.ServerID != nil {
		if len(*c.ServerID) > permission.MaxNameBytes {
			return 0, false
		}
		hash = hash*31 + maphash.String(m.seed, *c.ServerID)
	}
	return hash, true
}

// recall gives what is known of a call and true for s, or nil.
func (m *memo) recall(s *Set, c *Call) *entry {
	table := m.table.Load()
	if table == nil {
		return nil
	}
	hash, short := m.hash(c)
	if !short {
		return nil
	}
	b, first := &table[hash%memoBuckets], hash>>32
	for i := range uint64(memoWays) {
		e := b[(first+i)%memoWays].Load()
		if e == nil {
			return nil
		}
		if e.is(c) {
			if e.trueFor.Load() == s.edits[0] || e.survives(s) {
				return e
			}
			return nil
		}
	}
	return nil
}

// keep remembers the candidates of a call with good names that is met again.
func (m *memo) keep(s *Set, q *question) {
	if q.issue != nil || len(q.soft)+len(q.beside) > memoSoft {
		return
	}
	hash, short := m.hash(&q.Call)
	if !short || !m.again(hash) {
		return
	}
	e := &entry{method: strings.Clone(q.memoMethod()), tool: strings.Clone(q.ToolName), decision: conclude(q.firm, nil)}
	e.candidates = candidates{slices.Clone(q.soft), q.firm, slices.Clone(q.beside)}
	looks := func(r *compiled) bool { return r.condition != nil || !r.ExpiresAt.IsZero() }
	e.looks = slices.ContainsFunc(e.soft, looks) || slices.ContainsFunc(e.beside, looks)
	if !e.looks && len(e.beside) > 0 {
		e.decision.Asked = q.questions(q.firm)
	}
	if q.ServerID != nil {
		e.server, e.served = strings.Clone(*q.ServerID), true
	}
	e.trueFor.Store(s.edits[0])
	if m.table.Load() == nil {
		m.table.CompareAndSwap(nil, new([memoBuckets]bucket))
	}
	b, first := &m.table.Load()[hash%memoBuckets], hash>>32
	for i := range uint64(memoWays) {
		slot := &b[(first+i)%memoWays]
		old := slot.Load()
		if old == nil || old.is(&q.Call) {
			slot.Store(e)
			return
		}
	}
	b[first%memoWays].Store(e)
}

// again reports whether a hash was marked before, and marks it. Marks start anew when an
// eighth of the bits is set.
func (m *memo) again(hash uint64) bool {
	bit := uint64(1) << (hash & 63)
	if m.marks[hash>>6%uint64(len(m.marks))].Or(bit)&bit != 0 {
		return true
	}
	if m.marked.Add(1) > memoMarks/8 {
		m.marked.Store(0)
		for i := range m.marks {
			m.marks[i].Store(0)
		}
	}
	return false
}

// edit is a change of the rules: those that came or went.
type edit struct{ rules []*compiled }

// The edits that a Set remembers, and the rules of one. After more, entries are made
// anew.
const (
	maxEdits     = 16
	maxEditRules = 16
)

// remember puts a change before the last edits.
func remember(edits []*edit, rules []*compiled) []*edit {
	if len(rules) > maxEditRules {
		return []*edit{{}}
	}
	now := []*edit{{rules: slices.DeleteFunc(rules, func(r *compiled) bool { return !r.Enabled })}}
	return append(now, edits[:min(len(edits), maxEdits-1)]...)
}

// survives reports whether no edit between the stamp and s matters to the entry, and
// stamps it anew. A rule that came or went matters if it may decide its calls: if it is
// about them and no candidate that always applies comes before it, or if it asks beside that.
func (e *entry) survives(s *Set) bool {
	since := slices.Index(s.edits, e.trueFor.Load())
	if since < 0 {
		return false
	}
	q := question{Call: Call{Method: e.method, ToolName: e.tool}, folded: pattern.Fold(e.tool)}
	if e.served {
		q.ServerID = &e.server
	}
	for _, edit := range s.edits[:since] {
		for _, r := range edit.rules {
			if (e.firm == nil || e.firm.order(r) >= 0 || e.firm.asksBeside(r)) && q.misses(r) == "" {
				return false
			}
		}
	}
	e.trueFor.Store(s.edits[0])
	return true
}
