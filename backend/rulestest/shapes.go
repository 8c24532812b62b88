package rulestest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"sekisho/backend/permission"
)

// Shapes are kinds of rule sets: each makes the tool name or the pattern of a rule from
// a word of its own.
var Shapes = []struct {
	Name    string
	Pattern func(word string, i int) string
}{
	{"exact", func(word string, _ int) string { return word }},
	{"prefix", func(word string, _ int) string { return word + "_*" }},
	{"suffix", func(word string, _ int) string { return "*_" + word }},
	{"infix", func(word string, _ int) string { return "*" + word + "*" }},
	{"multi", func(word string, _ int) string { return "read_*" + word + "*_file*x" }},
	{"mixed", func(word string, i int) string {
		return []string{word, word + "_*", "*_" + word, "*" + word + "*", "read_*" + word + "*x"}[i%5]
	}},
}

// Word is the same for the same number, and has nothing to do with the next one's.
func Word(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	b := make([]byte, 8)
	for j := range b {
		b[j] = "abcdefghijklmnopqrstuvwxyz_0123456789"[r.IntN(37)]
	}
	return string(b)
}

func ShapeRule(shape, i int) permission.Rule {
	text := Shapes[shape].Pattern(Word(i), i)
	r := permission.Rule{ID: permission.RuleID(fmt.Sprintf("rule-%06d", i)), Effect: permission.Ask, Enabled: true,
		Priority: int64(i % 7), CreatedAt: permission.Time(i)}
	if i%3 == 0 {
		r.ServerID = new("server-" + string(rune('a'+i%9)))
	}
	if strings.Contains(text, "*") {
		r.ToolPattern = &text
	} else {
		r.ToolName = &text
	}
	return r
}

func ShapeRules(shape, n int) []permission.Rule {
	rules := make([]permission.Rule, n)
	for i := range rules {
		rules[i] = ShapeRule(shape, i)
	}
	return rules
}
