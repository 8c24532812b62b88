package main

import (
	"fmt"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// shape is one rule in words that every contestant can speak: it allows or denies
// where the server (when named) is the same and the tool's name is, begins with or
// ends with a text. A deny rule is stronger than an allow rule; where none applies,
// the answer is ask.
type shape struct {
	server       string // "" is any
	name         string // exact, when not ""
	prefix, tail string
	deny         bool
}

const servers = 20

// shapes makes n rules: half name a tool, a quarter each begin and end with a text.
func shapes(n int) []shape {
	list := make([]shape, n)
	for i := range list {
		s := shape{server: fmt.Sprintf("server%d", i%servers), deny: i%7 == 3}
		switch i % 4 {
		case 0, 2:
			s.name = fmt.Sprintf("tool%d_run", i)
		case 1:
			s.prefix = fmt.Sprintf("group%d_", i)
		case 3:
			s.server, s.tail = "", fmt.Sprintf("_kind%d", i)
		}
		list[i] = s
	}
	return list
}

// question is what is asked of all contestants.
type question struct{ server, tool string }

// seen gives names that are asked again and again: some that a rule of each form
// covers, and some that none does.
func seen(n int) []question {
	list := make([]question, 256)
	for k := range list {
		list[k] = ask(n, k*7, "again")
	}
	return list
}

// unseen gives names that were never asked before, of the same kinds.
func unseen(n, count, round int) []question {
	list := make([]question, count)
	for k := range list {
		list[k] = ask(n, k*7+round, fmt.Sprintf("new%d_%d", round, k))
	}
	return list
}

// ask is a question for rule k, and for each fifth k one that no rule covers.
func ask(n, k int, word string) question {
	i := k % n
	server := fmt.Sprintf("server%d", i%servers)
	switch {
	case k%5 == 3:
		return question{"other", fmt.Sprintf("tool%d_run", i)}
	case k%5 == 4:
		return question{server, "no_rule_" + word}
	case i%4 == 1:
		return question{server, fmt.Sprintf("group%d_%s", i, word)}
	case i%4 == 3:
		return question{server, fmt.Sprintf("%s_kind%d", word, i)}
	}
	return question{server, fmt.Sprintf("tool%d_run", i)}
}

// text is the shape's pattern with a star, "" for an exact name.
func (s shape) text() string {
	switch {
	case s.prefix != "":
		return s.prefix + "*"
	case s.tail != "":
		return "*" + s.tail
	}
	return ""
}

// rule is the shape as one of ours.
func (s shape) rule(i int) permission.Rule {
	r := permission.Rule{ID: permission.RuleID(fmt.Sprintf("rule-%06d", i)), Effect: permission.Allow, AutoApprove: true, Enabled: true,
		CreatedAt: 1_700_000_000_000, UpdatedAt: 1_700_000_000_000, Examples: []permission.Example{}}
	if s.deny {
		r.Effect, r.AutoApprove = permission.Deny, false
	}
	if s.server != "" {
		r.ServerID = &s.server
	}
	if s.name != "" {
		r.ToolName = &s.name
	} else {
		text := s.text()
		r.ToolPattern = &text
	}
	return r
}

func ourRules(list []shape) []permission.Rule {
	rules := make([]permission.Rule, len(list))
	for i, s := range list {
		rules[i] = s.rule(i)
	}
	return rules
}

func ourCalls(list []question) []policy.Call {
	calls := make([]policy.Call, len(list))
	for i := range list {
		calls[i] = policy.Call{ServerID: &list[i].server, ToolName: list[i].tool}
	}
	return calls
}

const now = permission.Time(1_800_000_000_000)
