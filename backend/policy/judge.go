package policy

import (
	"sekisho/backend/permission"
)

// Decide judges one call. The first rule that applies decides; if none does, the
// answer is ask.
//
// A name that it remembers costs one look into a hash table, and any other what the
// index says. It allocates nothing unless a rule that expires or has a condition may
// decide, the name has capital letters to fold or is bad, or it is met for the second
// time, when it is kept.
func (s *Set) Decide(c Call, now permission.Time) Decision {
	e := s.memo.recall(s, &c)
	if e != nil && !e.looks && s.doubt.Reason == "" {
		if len(e.soft) == 0 {
			return s.withheld(&c, s.unruled(&c, e.decision)).barred(&c)
		}
		return s.withheld(&c, s.unruled(&c, s.counted(e, &c, now))).barred(&c)
	}
	_, d := s.decide(c, e, now)
	return d
}

// counted is the decision of an entry whose candidates differ by their limits alone.
func (s *Set) counted(e *entry, c *Call, now permission.Time) Decision {
	var passed *compiled
	for _, r := range e.soft {
		if !s.full.reached(r, c, now) {
			return conclude(r, nil)
		}
		if passed == nil {
			passed = r
		}
	}
	return e.decision.after(passed)
}

// decide is Decide with the rule that decided, or nil. known is what the memo has.
func (s *Set) decide(c Call, known *entry, now permission.Time) (*compiled, Decision) {
	q := question{Call: c, now: now, guardsLast: s.guardsLast, lines: s.lines, full: s.full}
	if known != nil {
		q.candidates = known.candidates
	} else {
		q.ready()
		s.index.find(&q)
		s.memo.keep(s, &q)
	}
	if q.exhausted() {
		return nil, Decision{Effect: permission.Deny, Explanation: q.tooLong(), NameIssue: q.issueText()}
	}
	if line := q.lineOf(); line != nil {
		d := s.withheld(&c, s.doubted(judgeLine(q, line))).barred(&c)
		d.Conditional = true
		return nil, d
	}
	winner, conditional := q.winner()
	d := conclude(winner, q.issue).after(q.passed)
	if winner != nil && winner.Effect == permission.Ask {
		d.Asked = q.questions(winner)
	}
	d = s.withheld(&c, s.doubted(s.unruled(&c, d))).barred(&c)
	d.Conditional = conditional
	return winner, d
}

// winner is the first candidate that applies, or nil, and whether a condition was
// asked on the way to it.
func (q *question) winner() (r *compiled, conditional bool) {
	for _, r := range q.soft {
		if q.over(r) {
			continue
		}
		conditional = conditional || r.condition != nil
		if applies, _ := q.holds(r); applies {
			return r, conditional
		}
	}
	return q.firm, conditional
}

// Trace is Decide with one step for each rule in the order of judgement. The first
// step that applies is the rule that decided. It holds every rule against the call by
// the same judgement as Decide, without the index.
func (s *Set) Trace(c Call, now permission.Time) (Decision, []permission.TraceStep) {
	winner, d := s.decide(c, s.memo.recall(s, &c), now)
	q := question{Call: c, now: now, guardsLast: s.guardsLast, lines: s.lines, full: s.full}
	q.ready()
	if line := q.lines.of(&c); line != nil && !q.exhausted() {
		return s.traceLine(q, line, d)
	}
	steps, decided := make([]permission.TraceStep, 0, s.size), false
	for r := range s.index.all {
		applies, why := q.judge(r)
		if q.exhausted() { // Decide may have come further, or have given up
			applies, why = r == winner, because(permission.TraceLong)
		}
		if applies && decided {
			why = because(permission.TraceLater)
		}
		decided = decided || applies
		steps = append(steps, why.step(r.ID, applies))
	}
	return d, steps
}

// doubted makes an ask of an allow that may lack a guard, and says why where no rule
// says anything.
func (s *Set) doubted(d Decision) Decision {
	silent := d.Rule == nil && d.NameIssue == "" && d.Effect == permission.Ask
	if s.doubt.Reason != "" && (d.Effect == permission.Allow || silent) {
		return Decision{Effect: permission.Ask, Explanation: s.doubt, Asked: d.Asked, Alone: true, Parts: d.Parts}
	}
	return d
}
