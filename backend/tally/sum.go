package tally

import (
	"cmp"
	"slices"
	"strconv"
)

// Sum is counts put together, whenever they were. The zero value is of none.
type Sum struct {
	of    map[key]int64
	kinds map[Kind]int64
}

type key struct {
	kind Kind
	of   string
}

// Add puts a count to the others.
func (s *Sum) Add(c Count) {
	if s.of == nil {
		s.of, s.kinds = map[key]int64{}, map[Kind]int64{}
	}
	s.of[key{c.Kind, c.Of}] += c.Calls
	s.kinds[c.Kind] += c.Calls
}

// Of is how many there are of some kinds.
func (s *Sum) Of(kinds ...Kind) (n int64) {
	for _, kind := range kinds {
		n += s.kinds[kind]
	}
	return n
}

// Calls is how many calls came in.
func (s *Sum) Calls() int64 { return s.Of(Asked, Allowed, Granted, Denied, Repeated) }

// Questions is how often a person was asked.
func (s *Sum) Questions() int64 { return s.Of(Asked, Reasked) }

// answers are the kinds that have a wait.
var answers = []Kind{Approved, Declined, Unread, Dismissed}

// Answers is how often a person answered.
func (s *Sum) Answers() int64 { return s.Of(answers...) }

// RuleCount is how many calls a rule allowed.
type RuleCount struct {
	Rule  string `json:"ruleId" doc:"empty: the rule is not known any more"`
	Calls int64  `json:"calls"`
}

// Rules are those that allowed calls, the one of most calls first.
func (s *Sum) Rules() []RuleCount {
	list := []RuleCount{}
	for k, n := range s.of {
		if k.kind == Allowed {
			list = append(list, RuleCount{k.of, n})
		}
	}
	slices.SortFunc(list, func(a, b RuleCount) int { return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Rule, b.Rule)) })
	return list
}

// Median is the wait in milliseconds that half of the answers did not exceed, to two digits; ok
// is false where there was no answer.
func (s *Sum) Median() (ms int64, ok bool) {
	waits, total := map[int64]int64{}, int64(0)
	for k, n := range s.of {
		if !slices.Contains(answers, k.kind) {
			continue
		}
		if wait, err := strconv.ParseInt(k.of, 10, 64); err == nil {
			waits[wait] += n
			total += n
		}
	}
	list := make([]int64, 0, len(waits))
	for wait := range waits {
		list = append(list, wait)
	}
	slices.Sort(list)
	seen := int64(0)
	for _, wait := range list {
		if seen += waits[wait]; 2*seen >= total {
			return wait, true
		}
	}
	return 0, false
}
