package policy

import (
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
)

// ReadInput is the input of a call as conditions see it.
func ReadInput(raw []byte) (ref.Val, error) { return readInput(raw) }

// MaxWork is the bound of a long name's work.
const MaxWork = maxWork

// Work is what a new name costs: the nodes that are visited and the rules that are held
// against it, and for a long name the bytes that are read.
func (s *Set) Work(c Call) int {
	q := question{Call: c}
	q.ready()
	s.index.find(&q)
	return q.work
}

// Remembers reports whether the memo knows a call for s, and how many names it holds.
func (s *Set) Remembers(c Call) (known bool, names int) {
	if table := s.memo.table.Load(); table != nil {
		for i := range table {
			for j := range table[i] {
				if table[i][j].Load() != nil {
					names++
				}
			}
		}
	}
	return s.memo.recall(s, &c) != nil, names
}

// Replace gives the set with another program for each condition.
func (s *Set) Replace(made func() (cel.Program, error)) {
	for r := range s.index.all {
		if r.condition != nil {
			r.condition = &condition{program: func() (program, error) {
				return recovered(func() (program, error) {
					p, err := made()
					return program{Program: p}, err
				})
			}}
		}
	}
}

// IndexIsWhole says what is wrong with the shape of the index, or "".
func (s *Set) IndexIsWhole() string {
	rules := 0
	for _, root := range []*node{s.index.byOrder, s.index.byID, s.index.byName, s.index.byPrefix, s.index.bySuffix, s.index.byInfix} {
		if root != nil {
			if issue := root.whole(true, &rules); issue != "" {
				return issue
			}
		}
	}
	enabled := 0
	for r := range s.index.all {
		if r.Enabled {
			enabled++
		}
	}
	if rules != 2*s.size+enabled {
		return "rules are missing or there twice"
	}
	return ""
}

func (n *node) whole(root bool, rules *int) string {
	*rules += len(n.rules)
	switch {
	case len(n.rules) == 0 && len(n.kids) < 2:
		return "a node that nothing needs: " + n.label
	case n.label == "" && !root:
		return "a node without a label"
	case len(n.label) > 1 && n.second != n.label[1]:
		return "another second byte: " + n.label
	case !slices.IsSortedFunc(n.rules, (*compiled).order):
		return "rules out of order: " + n.label
	}
	for i := range n.kids {
		kid := &n.kids[i]
		if at, found := n.slot(kid.label[0]); !found || at != i || n.kid(kid.label[0]) != kid {
			return "a kid in another slot: " + kid.label
		}
		if issue := kid.whole(false, rules); issue != "" {
			return issue
		}
	}
	return ""
}
