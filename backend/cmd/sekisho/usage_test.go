package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"sekisho/backend/usage"
)

// code is what the program would exit with.
func code(err error) int { return usage.ExitCode(err) }

// TestWrongUsage: a script that mistypes a command is told, and never goes on as if that
// had been done.
func TestWrongUsage(t *testing.T) {
	for line, want := range map[string]string{
		"journal verfy FILE":        `unknown command "verfy" for "sekisho journal": did you mean verify?`,
		"journal nope":              `unknown command "nope" for "sekisho journal"`,
		"journal nope --frob":       "unknown flag",
		"help nope":                 `unknown command "nope" for "sekisho"`,
		"help journal verfy":        `unknown command "verfy" for "sekisho journal"`,
		"help pending nope":         `unknown command "nope" for "sekisho pending"`,
		"completion nope":           `unknown command "nope" for "sekisho completion"`,
		"completion bash nope":      `unknown command "nope"`,
		"nope":                      `unknown command "nope" for "sekisho"`,
		"aprove x":                  "did you mean approve?",
		"--frob":                    "unknown flag",
		"pending --frob":            "unknown flag",
		"pending nope":              "nope",
		"approve":                   "1 arg",
		"journal verify":            "1 arg",
		"journal verify a b":        "1 arg",
		"journal verify --frob a":   "unknown flag",
		"journal export nope":       "nope",
		"connect --json":            "--list",
		"connect --client nope":     "nope",
		"mcp --wait nope":           "nope",
		"mcp --server a__b":         "a__b",
		"decline --reason":          "needs an argument",
		"journal --part verify a b": "unknown flag",
	} {
		var out bytes.Buffer
		c := root()
		c.SetOut(&out)
		c.SetArgs(strings.Fields(line))
		if err := c.ExecuteContext(t.Context()); code(err) != 2 || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%s: exit code %d, %v; printed %q", line, code(err), err, out.String())
		}
	}
}

// TestEveryGroupKnowsItsCommands holds a later group to the same.
func TestEveryGroupKnowsItsCommands(t *testing.T) {
	var visit func(c *cobra.Command) int
	visit = func(c *cobra.Command) (groups int) {
		for _, below := range c.Commands() {
			groups += visit(below)
		}
		if !c.HasSubCommands() {
			return groups
		}
		words := append(strings.Fields(c.CommandPath())[1:], "no-such-command")
		if out, err := run(t, words...); code(err) != 2 || strings.Contains(out, "Usage") {
			t.Errorf("%v: exit code %d, %v", words, code(err), err)
		}
		return groups + 1
	}
	if n := visit(root()); n != 5 {
		t.Errorf("%d groups: sekisho, journal, rules, service and completion are known", n)
	}
}

// TestHelp: whoever asks for help gets it, and that is a success.
func TestHelp(t *testing.T) {
	for line, want := range map[string]string{
		"": "Available Commands", "--help": "Exit code", "help": "Available Commands", "journal": "verify", "journal --help": "verify",
		"help journal":        "verify",
		"help journal verify": "Exit code", "help help": "Help provides help", "completion": "bash", "completion bash --help": "bash shell",
		"--version": "sekisho version", "__complete journal ver": "verify",
	} {
		if out, err := run(t, strings.Fields(line)...); err != nil || !strings.Contains(out, want) {
			t.Errorf("%q: %v %s", line, err, out)
		}
	}
}
