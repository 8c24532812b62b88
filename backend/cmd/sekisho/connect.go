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

	"sekisho/backend/connect"
	"sekisho/backend/place"
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

It needs the operator's token, as "sekisho pending" does. The desk of the window
(sekisho-desktop) takes none: there the Agents screen does the same.`

// newConnectCommand moves clients' servers behind the desk.
func newConnectCommand(f *finder) *cobra.Command {
	w := &wiring{finder: f}
	var list, asJSON, hooks bool
	c := &cobra.Command{
		Use: "connect", Short: "Put the tool servers of your agents' clients behind the desk (operator's token)", Long: connectHelp,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON && !list {
				return misused(errors.New("--json goes with --list"))
			}
			if err := w.open(c); err != nil {
				return err
			}
			w.Hooks = hooks
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
			return w.connect(c.Context(), s)
		},
	}
	w.flags(c)
	c.Flags().BoolVar(&hooks, "hooks", true, "ask about the clients' own tools too, where that is known")
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
	in      io.Reader
	out     io.Writer
}

func (w *wiring) flags(c *cobra.Command) {
	c.Flags().StringSliceVar(&w.clients, "client", nil,
		"only these clients: claude-desktop, claude-code, cursor, vscode, codex, gemini, copilot, opencode, zed")
	c.Flags().BoolVarP(&w.yes, "yes", "y", false, "do not ask")
}

func (w *wiring) open(c *cobra.Command) error {
	w.in, w.out = c.InOrStdin(), c.OutOrStdout()
	for _, id := range w.clients {
		if _, ok := connect.ClientByID(id); !ok {
			return misused(fmt.Errorf("there is no client %q: see --help for their names", id))
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
	w.Places = connect.Places{GOOS: runtime.GOOS, Home: home, Env: os.Getenv, Cwd: cwd, Glob: connect.Glob}
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
		w.Desk, w.URL = remoteDesk{c}, c.url
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

// connect shows the survey, asks, and does it.
func (w *wiring) connect(ctx context.Context, s *connect.Survey) error {
	showSurvey(w.out, s)
	if s.Moves() == 0 {
		fmt.Fprintln(w.out, "Nothing is to be moved.")
		return trouble(s)
	}
	differences(w.out, s)
	if !w.asked(fmt.Sprintf("Put %s behind the desk?", count(s.Moves(), "entry", "entries"))) {
		return trouble(s)
	}
	if s.Away != nil {
		return fmt.Errorf("nothing was changed: %w", s.Away)
	}
	done, err := w.Move(ctx, s)
	for _, l := range done.Left {
		fmt.Fprintf(w.out, "%s: %s is left as it is: the desk does not take it: %s\n", visible(l.Path), visible(l.Key), visible(l.Reason.Error()))
	}
	for _, f := range done.Files {
		fmt.Fprintf(w.out, "%s: %s behind the desk. Restart %s to use it.\n", visible(f.File.Path),
			count(len(f.Plan.Moves()), "entry is", "entries are"), f.File.Client.Name)
		if f.File.Client.ID == "codex" && slices.ContainsFunc(f.Plan.Moves(), func(e connect.Entry) bool { return e.Hook }) {
			fmt.Fprintln(w.out, "Codex runs its hooks only once you trust them: start it, say /hooks, and trust the two of sekisho.")
		}
	}
	return errors.Join(err, trouble(s))
}

// asked reports whether the person says yes, by flag or at the terminal.
func (w *wiring) asked(question string) bool {
	if w.yes {
		return true
	}
	f, ok := w.in.(*os.File)
	if !ok || !isatty.IsTerminal(f.Fd()) {
		fmt.Fprintln(w.out, "Nothing was changed: say --yes to do it.")
		return false
	}
	fmt.Fprint(w.out, question, " [y/N] ")
	line, _ := bufio.NewReader(f).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); answer == "y" || answer == "yes" {
		return true
	}
	fmt.Fprintln(w.out, "Nothing was changed.")
	return false
}
