package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sekisho/backend/history"
	"sekisho/backend/learn"
	"sekisho/backend/permission"
	"sekisho/backend/terminal"
)

const scanHelp = `Read what the agents of this user have already written on this disk, and say what a
desk without rules would have made of it: how many calls there were, which of them are of
high risk, which few rules would have answered the others, and what the agents' own
permission lists let pass.

Read are the transcripts and settings of Claude Code, the sessions, settings and rules of
Codex, the chats, settings and policies of Gemini CLI, and the database, storage and
settings of opencode. Folders that the variables CLAUDE_CONFIG_DIR, CODEX_HOME,
XDG_DATA_HOME and XDG_CONFIG_HOME name are read instead of the usual ones, unless --home
is given. No connection is opened, no file is written, and nothing is kept.

In the window, Rules, "From my history" does the same with the rules that are in force,
and opens each proposal for editing.

Exit code: 0 done, 1 not done, 2 wrong usage.`

func newScanCommand() *cobra.Command {
	var asJSON bool
	var home string
	c := &cobra.Command{
		Use: "scan", Short: "Learn from the calls that agents on this machine have already made, offline", Long: scanHelp, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			places, err := historyAt(home)
			if err != nil {
				return err
			}
			found, err := learn.From(c.Context(), places, learn.Options{Now: permission.TimeOf(time.Now()), Home: places.Home})
			if err != nil {
				return fmt.Errorf("read the histories: %w", err)
			}
			if asJSON {
				out := json.NewEncoder(c.OutOrStdout())
				out.SetEscapeHTML(false)
				return out.Encode(found)
			}
			_, err = io.WriteString(c.OutOrStdout(), findings(found, places.Home))
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	c.Flags().StringVar(&home, "home", "", "the home folder to read (default: your own)")
	return c
}

// historyAt are the places in a home, or in the user's own.
func historyAt(home string) (history.Places, error) {
	env := os.Getenv
	if home != "" {
		env = nil
	} else {
		own, err := os.UserHomeDir()
		if err != nil {
			return history.Places{}, fmt.Errorf("find the home folder: %w", err)
		}
		home = own
	}
	home, err := filepath.Abs(home)
	if err != nil {
		return history.Places{}, fmt.Errorf("find the home folder: %w", err)
	}
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		return history.Places{}, errors.Join(fmt.Errorf("%s is no folder that can be read", terminal.Visible(home)), err)
	}
	return history.In(home, env), nil
}

// clientNames are the programs as people know them.
var clientNames = map[history.Client]string{history.Claude: "Claude Code", history.Codex: "Codex", history.Gemini: "Gemini CLI",
	history.Opencode: "opencode"}

// mostListed is how many dangerous calls are printed.
const mostListed = 20

// findings is a result in words.
func findings(r *learn.Result, home string) string {
	var b strings.Builder
	if r.Calls == 0 {
		fmt.Fprintf(&b, "No calls of Claude Code, Codex, Gemini CLI or opencode were found in %s.\n", terminal.Visible(home))
	} else {
		printCounts(&b, r)
		printHigh(&b, r)
		printRules(&b, r)
	}
	printLists(&b, r)
	printUnread(&b, r)
	b.WriteString("\nNothing was kept or sent. \"From my history\" on the desk's Rules screen opens these proposals for editing.\n")
	return b.String()
}

// counted is a number with its word.
func counted(n int, of string) string { return terminal.Count(n, of, of+"s") }

func printCounts(b *strings.Builder, r *learn.Result) {
	var by []string
	for _, c := range r.Clients {
		if c.Calls > 0 {
			by = append(by, fmt.Sprintf("%s %d", clientNames[c.Client], c.Calls))
		}
	}
	fmt.Fprintf(b, "%s in %s (%s)", counted(r.Calls, "call"), counted(r.Sessions, "session"), strings.Join(by, ", "))
	if r.First != 0 {
		fmt.Fprintf(b, ", %s to %s", r.First.Std().Format(time.DateOnly), r.Last.Std().Format(time.DateOnly))
	}
	fmt.Fprintf(b, ".\n%d would have asked, %d of them of high risk. Declined at the time: %d.\n", r.Asked, r.High, r.Declined)
}

func printHigh(b *strings.Builder, r *learn.Result) {
	listed := 0
	for _, c := range r.Asking {
		if c.Risk != permission.RiskHigh {
			break
		}
		if listed++; listed > mostListed {
			fmt.Fprintln(b, "  … and more: --json has them.")
			return
		}
		if listed == 1 {
			fmt.Fprintln(b, "\nOf high risk:")
		}
		fmt.Fprintf(b, "  %d × %s\n", c.Count, terminal.Visible(c.Line))
		for _, why := range c.RiskReasons[:min(len(c.RiskReasons), 2)] {
			fmt.Fprintf(b, "      %s\n", terminal.Visible(why.Text))
		}
	}
}

func printRules(b *strings.Builder, r *learn.Result) {
	if len(r.Rules) == 0 {
		fmt.Fprintln(b, "\nNo rule would have answered several of them safely.")
		return
	}
	fmt.Fprintf(b, "\n%s would have answered %d of them; %d would still have asked:\n", counted(len(r.Rules), "rule"), r.Asked-r.Left, r.Left)
	for i, p := range r.Rules {
		fmt.Fprintf(b, "%3d. %s: %s, as %s\n", i+1, terminal.Visible(p.Covers.Text), counted(p.Calls, "call"),
			terminal.Visible(strings.Join(p.Examples, " · ")))
		printRule(b, &p.Rule)
	}
}

// printRule prints a rule in one line.
func printRule(b *strings.Builder, f *permission.RuleForm) {
	words := []string{string(*f.Effect)}
	for _, part := range []struct {
		name  string
		value *string
	}{{"server", f.ServerID}, {"tool", f.ToolName}, {"tools", f.ToolPattern}, {"if", f.Condition}} {
		if part.value != nil {
			words = append(words, part.name, *part.value)
		}
	}
	fmt.Fprintf(b, "       %s\n", terminal.Visible(strings.Join(words, " ")))
}

func printLists(b *strings.Builder, r *learn.Result) {
	for i, e := range r.Lists {
		if i == 0 {
			fmt.Fprintln(b, "\nWhat the agents' own permission lists say:")
		}
		fmt.Fprintf(b, "  %s, %s: %s (%s)\n", clientNames[e.Client], e.Effect, terminal.Visible(e.Text),
			terminal.Visible(strings.Join(e.Files, ", ")))
		for _, why := range e.Unsafe {
			fmt.Fprintf(b, "      careful: %s\n", terminal.Visible(why.Text))
		}
		if e.Rule != nil {
			printRule(b, e.Rule)
		}
	}
}

// unreadWords say what could not be read.
var unreadWords = map[history.Kind]string{
	history.BadLine: "lines or entries could not be read", history.LongLine: "lines, rows or files are too long",
	history.BadFile: "files could not be read", history.BadFolder: "folders could not be read",
	history.LinkedFile: "links were not followed", history.TooDeep: "folders are too deep",
}

func printUnread(b *strings.Builder, r *learn.Result) {
	for i, u := range r.Unread {
		if i == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "%d %s, the first: %s\n", u.Count, unreadWords[u.Kind], terminal.Visible(u.First))
	}
}
