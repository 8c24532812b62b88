package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"sekisho/backend/bothways"
	"sekisho/backend/connect"
	"sekisho/backend/environ"
	"sekisho/backend/place"
	"sekisho/backend/terminal"
	"sekisho/backend/usage"
)

const connectHelp = `Put the tool servers of your agents' clients behind the desk, and their own tools.

It finds the configuration files of Claude Desktop, Claude Code, Cursor, VS Code,
Codex, Gemini CLI, Copilot CLI, opencode and Zed, your own and those of the project in the current
folder, shows what it would change, and asks. Each entry keeps its key and its other
fields; what it started before goes to the desk's list of servers, with its secrets,
and is off there where the entry is switched off.

The desk is asked about the tools that a client brings itself, too: hooks of Claude
Code, Codex, Gemini CLI, GitHub Copilot, opencode and Cursor start sekisho for each. Other hooks
stay as they are. Codex runs them only once you have trusted them with /hooks.
"--hooks=false" leaves them out.

"sekisho disconnect" puts everything back.

A server that your client starts gets variables of your shell (GITHUB_TOKEN, AWS_PROFILE),
and one that the desk starts does not: what each would miss is named, and "--carry NAME"
takes a variable along to the desk, as a secret of the servers whose client hands it on.

Before anything is written, each server is started as its client starts it, and
afterwards by the line that its client was given: the tools must be the same. When they
are not, the difference is said, the exit code is 1, and nothing is undone by itself.
"--check=false" starts none. Servers of the project in the current folder may be somebody
else's: they are started only once you say so, or, with "--yes", when "--check" is given.

"--limits" also raises the clients' own limits, where a client would end a call before
the desk does: Codex does after 300 s and Gemini CLI after 600 s, Claude Code where its
entry says so; and Codex ends a server that is slow to start after 10 s.

It needs the operator's token, as "sekisho pending" does. The desk of the window
(sekisho-desktop) takes none: there the Agents screen does the same.`

// newConnectCommand moves clients' servers behind the desk.
func newConnectCommand(f *finder) *cobra.Command {
	w := &wiring{finder: f}
	var list, asJSON bool
	c := &cobra.Command{
		Use: "connect", Short: "Put the tool servers of your agents' clients behind the desk (operator's token)", Long: connectHelp,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON && !list {
				return usage.Wrong(errors.New("--json goes with --list"))
			}
			if err := w.open(c); err != nil {
				return err
			}
			w.foreign = w.check && c.Flags().Changed("check")
			s, err := w.Survey(c.Context())
			switch {
			case err != nil:
				return err
			case asJSON:
				return writeJSON(w.out, s)
			case list:
				showSurvey(w.out, s)
				return trouble(s)
			}
			return w.connect(c.Context(), s, c.ErrOrStderr())
		},
	}
	w.flags(c)
	c.Flags().BoolVar(&w.Hooks, "hooks", true, "ask about the clients' own tools too, where that is known")
	c.Flags().StringSliceVar(&w.Carry, "carry", nil, "variables of this shell to take along to the desk, as secrets of the servers that would miss them")
	c.Flags().BoolVar(&w.check, "check", true, "start each server before and afterwards, and compare its tools")
	c.Flags().BoolVar(&w.Limits, "limits", false, "raise the clients' own limits to what the desk waits")
	c.Flags().BoolVar(&list, "list", false, "show where each entry stands and change nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "with --list: as JSON")
	return c
}

// wiring is one run of connect or disconnect.
type wiring struct {
	*finder
	connect.Wiring
	clients []string // "" of all
	yes     bool
	check   bool // servers are started
	foreign bool // those of the project, too, without a question
	in      io.Reader
	lines   *bufio.Reader // of in
	out     io.Writer
}

func (w *wiring) flags(c *cobra.Command) {
	c.Flags().StringSliceVar(&w.clients, "client", nil,
		"only these clients: claude-desktop, claude-code, cursor, vscode, codex, gemini, copilot, opencode, zed")
	c.Flags().BoolVarP(&w.yes, "yes", "y", false, "do not ask")
}

func (w *wiring) open(c *cobra.Command) error {
	w.in, w.out = c.InOrStdin(), c.OutOrStdout()
	w.lines = bufio.NewReader(w.in)
	for _, id := range w.clients {
		if _, ok := connect.ClientByID(id); !ok {
			return usage.Wrong(fmt.Errorf("there is no client %q: see --help for their names", id))
		}
	}
	w.Wants = func(client, _ string) bool { return len(w.clients) == 0 || slices.Contains(w.clients, client) }
	data, err := place.Data()
	if err != nil {
		return err
	}
	if w.Vault, err = connect.NewVault(filepath.Join(data, "connect")); err != nil {
		return err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return fmt.Errorf("find the home folder: %w", err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	w.Places = connect.Places{GOOS: runtime.GOOS, Home: home, Env: os.Getenv, Cwd: cwd, Glob: connect.Glob,
		Environ: func() []string { return environ.Of(os.Environ()) }}
	w.findDesk()
	w.Program, err = os.Executable()
	return err
}

// findDesk says how to speak with the desk, and gives its URL where entries must name
// it, because they would find another desk or none by themselves.
func (w *wiring) findDesk() {
	w.URL = strings.TrimRight(w.desk, "/")
	if c, err := w.client(); err != nil {
		w.Away = err
	} else {
		w.Desk, w.URL = remoteDesk{c}, c.URL
	}
	if w.URL != "" {
		w.URLs = append(w.URLs, w.URL)
	}
	if running, err := place.FindDesk(); err == nil {
		if w.URLs = append(w.URLs, running.URL); running.URL == w.URL {
			w.URL = ""
		}
	}
}

// trouble is the error of a survey whose files cannot all be used.
func trouble(s *connect.Survey) error {
	n := 0
	for _, f := range s.Files {
		if f.Err != nil {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d files cannot be used: see above", n, len(s.Files))
}

// connect shows the survey, asks, does it, and proves it.
func (w *wiring) connect(ctx context.Context, s *connect.Survey, warn io.Writer) (err error) {
	showSurvey(w.out, s)
	if s.Moves() == 0 {
		fmt.Fprintln(w.out, "Nothing is to be moved.")
		return trouble(s)
	}
	if !w.yes {
		warn = w.out
	}
	showMissing(warn, s)
	var direct []bothways.Started
	if s.Away == nil && (w.yes || w.terminal()) {
		if s, err = w.choose(ctx, s); err == nil && w.check {
			s, direct, err = w.direct(ctx, s, warn)
		}
		if err != nil {
			return err
		}
	}
	if s.Moves() == 0 {
		fmt.Fprintln(w.out, "Nothing was changed.")
		return trouble(s)
	}
	differences(w.out, s)
	if s.Away != nil {
		return fmt.Errorf("nothing was changed: %w", s.Away)
	}
	if yes, err := w.asked(ctx, fmt.Sprintf("Put %s behind the desk?", terminal.Count(s.Moves(), "entry", "entries"))); !yes {
		return errors.Join(err, trouble(s))
	}
	done, err := w.Move(ctx, s)
	for _, l := range done.Left {
		fmt.Fprintf(w.out, "%s: %s is left as it is: the desk does not take it: %s\n", terminal.Visible(l.Path), terminal.Visible(l.Key), terminal.Visible(l.Reason.Error()))
	}
	for _, f := range done.Files {
		fmt.Fprintf(w.out, "%s: %s behind the desk. Restart %s to use it.\n", terminal.Visible(f.File.Path),
			terminal.Count(len(f.Plan.Moves()), "entry is", "entries are"), f.File.Client.Name)
		if f.File.Client.ID == "codex" && slices.ContainsFunc(f.Plan.Moves(), func(e connect.Entry) bool { return e.Hook }) {
			fmt.Fprintln(w.out, "Codex runs its hooks only once you trust them: start it, say /hooks, and trust the two of sekisho.")
		}
	}
	return errors.Join(err, w.behind(ctx, done.Files, direct), trouble(s))
}

// terminal reports whether a person can be asked.
func (w *wiring) terminal() bool {
	f, ok := w.in.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// errBroken says that the person left in the middle.
var errBroken = errors.New("nothing was changed: it was broken off")

// answer asks a person at the terminal, who may leave instead.
func (w *wiring) answer(ctx context.Context, question string) (string, error) {
	fmt.Fprint(w.out, question)
	said := make(chan string, 1)
	go func() {
		line, _ := w.lines.ReadString('\n')
		said <- strings.TrimSpace(line)
	}()
	select {
	case line := <-said:
		return line, nil
	case <-ctx.Done():
		fmt.Fprintln(w.out)
		return "", errBroken
	}
}

// agreed reports whether the person says yes, by flag or at the terminal.
func (w *wiring) agreed(ctx context.Context, question string) (bool, error) {
	if w.yes {
		return true, nil
	}
	answer, err := w.answer(ctx, question+" [y/N] ")
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes", err
}

// asked is agreed as the last question. It is an error when nobody could be asked.
func (w *wiring) asked(ctx context.Context, question string) (bool, error) {
	if !w.yes && !w.terminal() {
		return false, errors.New("nothing was changed: say --yes to do it")
	}
	yes, err := w.agreed(ctx, question)
	if !yes && err == nil {
		fmt.Fprintln(w.out, "Nothing was changed.")
	}
	return yes, err
}
