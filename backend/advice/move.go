package advice

import (
	"cmp"
	"math"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// Move gives, of rules in the order of judgement, those that need another priority for
// the rule at from to stand right before the one at to (len(rules): last of all), while
// all others keep their order; disabled and expired rules among them. Nothing but the
// priority of a rule changes, and as few rules change as can be. That is none if the
// rule stands there already.
//
// Most often there is room, and the moved rule alone changes. Else those above go up, or
// those below go down, as far as it takes. A way that leaves the range of priorities is
// not taken, and there are more priorities than rules.
func Move(rules []permission.Rule, from, to int) []permission.Rule {
	if to == from || to == from+1 {
		return nil
	}
	s := spreader{at: to}
	if from < to {
		s.at--
	}
	for i := range rules {
		if i == to {
			s.wish = append(s.wish, &rules[from])
		}
		if i != from {
			s.wish = append(s.wish, &rules[i])
		}
	}
	if to == len(rules) {
		s.wish = append(s.wish, &rules[from])
	}
	var best []permission.Rule
	for _, priority := range s.places() {
		if changed := s.put(priority); best == nil || inRange(changed) && (len(changed) < len(best) || !inRange(best)) {
			best = changed
		}
	}
	return best
}

// spreader makes priorities fit an order that is wished for.
type spreader struct {
	wish []*permission.Rule
	at   int // the place of the rule that is moved
}

// places are the priorities that the moved rule could get, the likeliest first. One of
// them is the best: with the first or the second the rules of one side stay as they are,
// and with the third the moved one does.
func (s *spreader) places() [3]int64 {
	low, high, own := int64(math.MinInt32), int64(math.MaxInt32), s.wish[s.at].Priority
	if s.at > 0 {
		high = s.wish[s.at-1].Priority - s.step(s.at-1)
	}
	if s.at == len(s.wish)-1 {
		return [3]int64{high, low, own}
	}
	return [3]int64{s.wish[s.at+1].Priority + s.step(s.at), high, own}
}

// put gives what changes when the moved rule gets a priority.
func (s *spreader) put(priority int64) (changed []permission.Rule) {
	set := func(i int, priority int64) {
		r := *s.wish[i]
		r.Priority = priority
		changed = append(changed, r)
	}
	if s.wish[s.at].Priority != priority {
		set(s.at, priority)
	}
	least := priority
	for i := s.at - 1; i >= 0; i-- {
		if least += s.step(i); s.wish[i].Priority >= least {
			break
		}
		set(i, least)
	}
	most := priority
	for i := s.at + 1; i < len(s.wish); i++ {
		if most -= s.step(i - 1); s.wish[i].Priority <= most {
			break
		}
		set(i, most)
	}
	return changed
}

// step is how much higher the priority of the rule at i must be than that of the next: 0
// where the order of judgement within one priority will do.
func (s *spreader) step(i int) int64 {
	a, b := s.wish[i], s.wish[i+1]
	if cmp.Or(cmp.Compare(policy.Strength(a.Effect), policy.Strength(b.Effect)), cmp.Compare(a.CreatedAt, b.CreatedAt),
		cmp.Compare(a.ID, b.ID)) < 0 {
		return 0
	}
	return 1
}

func inRange(rules []permission.Rule) bool {
	for i := range rules {
		if p := rules[i].Priority; p > math.MaxInt32 || p < math.MinInt32 {
			return false
		}
	}
	return true
}
