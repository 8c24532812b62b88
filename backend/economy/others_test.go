package economy

import (
	"regexp"
	"strings"
)

// notebook is the allow rules of another product: texts that were approved, and how a call
// is looked up among them.
type notebook struct {
	name string
	keys func(c *call) (saved string, matches []string)
}

// notebooks are the usual ones. Each is kind to the product: the folder does not count, and
// a tool that runs no line is allowed by its name, but for exact where the input counts too.
var notebooks = []notebook{
	{"exact string", func(c *call) (string, []string) {
		key := c.name() + " " + string(c.Input)
		if line := c.line(); line != "" {
			key = c.name() + " " + line
		}
		return key, []string{key}
	}},
	{"prefix: program and verb", func(c *call) (string, []string) { return prefixes(c, 2) }},
	{"prefix: program", func(c *call) (string, []string) { return prefixes(c, 1) }},
}

var bareWord = regexp.MustCompile(`^[a-z][a-z0-9:_-]*$`)

// prefixes are the rule `git status:*` that a product makes of a line, by its text, and all
// those that would match it.
func prefixes(c *call, words int) (saved string, matches []string) {
	fields := strings.Fields(c.line())
	if len(fields) == 0 {
		return c.name(), []string{c.name()}
	}
	saved = fields[0]
	matches = []string{saved}
	if len(fields) > 1 {
		matches = append(matches, saved+" "+fields[1])
		if words > 1 && bareWord.MatchString(fields[1]) {
			saved = matches[1]
		}
	}
	return saved, matches
}

// replay asks about what no rule matches. A person approves what is harmless and, where
// something is to be learned, makes the rule.
func (n notebook) replay(rules map[string]bool, calls []call, learning bool) (t tally) {
	t.calls = len(calls)
	for i := range calls {
		saved, matches := n.keys(&calls[i])
		allowed := false
		for _, m := range matches {
			allowed = allowed || rules[m]
		}
		switch {
		case allowed && calls[i].Danger:
			t.passed = append(t.passed, passed{&calls[i], saved})
		case allowed:
		default:
			if t.asked++; learning && !calls[i].Danger {
				rules[saved] = true
			}
		}
	}
	return t
}
