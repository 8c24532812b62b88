package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"sekisho/backend/connect"
	"sekisho/backend/place"
)

const connectHelp = `Put the tool servers of your agents' clients behind the desk.

It finds the configuration files of Claude Desktop, Claude Code, Cursor, VS Code,
Codex, Gemini CLI, opencode and Zed, your own and those of the project in the current
folder, shows what it would change, and asks. Each entry keeps its key and its other
fields; what it started before goes to the desk's list of servers, with its secrets.
"sekisho disconnect" puts everything back.

It needs the operator's token, as "sekisho pending" does.`

// newConnectCommand moves clients' servers behind the desk.
func newConnectCommand(f *finder) *cobra.Command {
	w := &wiring{finder: f}
	var list, asJSON bool
	c := &cobra.Command{
		Use: "connect", Short: "Put the tool servers of your agents' clients behind the desk (operator's token)", Long: connectHelp, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON && !list {
				return errors.New("--json goes with --list")
			}
			if err := w.open(c); err != nil {
				return err
			}
			s, err := w.survey(c.Context())
			switch {
			case err != nil:
				return err
			case asJSON:
				return s.json(w.out)
			case list:
				s.show(w.out)
				return s.trouble()
			}
			return w.connect(c.Context(), s)
		},
	}
	w.flags(c)
	c.Flags().BoolVar(&list, "list", false, "show where each entry stands and change nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "with --list: as JSON")
	return c
}

// wiring is one run of connect or disconnect.
type wiring struct {
	*finder
	clients []string // "" of all
	yes     bool
	in      io.Reader
	out     io.Writer
	vault   *connect.Vault
	places  connect.Places
	program string
}

func (w *wiring) flags(c *cobra.Command) {
	c.Flags().StringSliceVar(&w.clients, "client", nil, "only these clients: claude-desktop, claude-code, cursor, vscode, codex, gemini, opencode, zed")
	c.Flags().BoolVarP(&w.yes, "yes", "y", false, "do not ask")
}

func (w *wiring) open(c *cobra.Command) error {
	w.in, w.out = c.InOrStdin(), c.OutOrStdout()
	for _, id := range w.clients {
		if _, ok := connect.ClientByID(id); !ok {
			return fmt.Errorf("there is no client %q: see --help for their names", id)
		}
	}
	data, err := place.Data()
	if err != nil {
		return err
	}
	if w.vault, err = connect.NewVault(filepath.Join(data, "connect")); err != nil {
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
	w.places = connect.Places{GOOS: runtime.GOOS, Home: home, Env: os.Getenv, Cwd: cwd}
	w.program, err = os.Executable()
	return err
}

// lockWait is how long another sekisho may be at work.
const lockWait = 10 * time.Second

func (w *wiring) locked(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	unlock, err := w.vault.Lock(ctx)
	cancel()
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}

// survey is what there is to do.
type survey struct {
	files []surveyed
	desk  *client // nil when it cannot be asked, for the reason in away
	away  error
	names map[string]string // agents by client
	list  []connect.Server
	print map[string]string
}

// surveyed is one file: its plan, or why it has none.
type surveyed struct {
	file connect.File
	plan *connect.Plan
	err  error
}

// survey looks at all files. Without a desk it still shows what it would do, as if the
// desk had no servers.
func (w *wiring) survey(ctx context.Context) (*survey, error) {
	s := &survey{}
	err := w.locked(ctx, func() error {
		records, err := w.vault.Records()
		s.print = connect.Prints(records)
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.desk, s.away = w.client(); s.away == nil {
		s.away = s.ask(ctx)
	}
	if s.away != nil {
		s.desk, s.list, s.names = nil, nil, nil
	}
	w.plan(s, nil)
	return s, nil
}

// ask reads from the desk what plans depend on.
func (s *survey) ask(ctx context.Context) error {
	list, err := s.desk.servers(ctx)
	if err != nil {
		return err
	}
	s.list = list.all
	var ids []string
	for _, c := range connect.Clients() {
		ids = append(ids, c.ID)
	}
	s.names, err = s.desk.agentNames(ctx, ids)
	return err
}

// plan plans all files anew. left are reasons to leave entries, by file and path.
func (w *wiring) plan(s *survey, left map[string]map[string]string) {
	names := connect.NewNames(s.list, s.print)
	s.files = nil
	for _, f := range connect.Find(w.places) {
		if len(w.clients) > 0 && !slices.Contains(w.clients, f.Client.ID) {
			continue
		}
		o := connect.Options{Program: w.program, Agent: s.names[f.Client.ID], Places: w.places, Names: names, Leave: left[f.Path]}
		o.Desk, o.URLs = w.named(s.desk)
		plan, err := connect.Make(f, o)
		s.files = append(s.files, surveyed{f, plan, err})
	}
}

// named gives the desk's URL where entries must name it, because they would find
// another desk or none by themselves, and the URLs that are the desk.
func (w *wiring) named(desk *client) (url string, urls []string) {
	if url = strings.TrimRight(w.desk, "/"); desk != nil {
		url = desk.url
	}
	if url != "" {
		urls = append(urls, url)
	}
	if running, err := place.FindDesk(); err == nil {
		if urls = append(urls, running.URL); running.URL == url {
			url = ""
		}
	}
	return url, urls
}

// trouble is the error of a survey whose files cannot all be used.
func (s *survey) trouble() error {
	n := 0
	for _, f := range s.files {
		if f.err != nil {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d files cannot be used: see above", n, len(s.files))
}

// moves counts the entries to move.
func (s *survey) moves() (n int) {
	for _, f := range s.files {
		if f.plan != nil {
			n += len(f.plan.Moves())
		}
	}
	return n
}

// connect shows the survey, asks, and does it.
func (w *wiring) connect(ctx context.Context, s *survey) error {
	s.show(w.out)
	if s.moves() == 0 {
		fmt.Fprintln(w.out, "Nothing is to be moved.")
		return s.trouble()
	}
	s.differences(w.out)
	if !w.asked(fmt.Sprintf("Put %s behind the desk?", count(s.moves(), "entry", "entries"))) {
		return s.trouble()
	}
	if s.away != nil {
		return fmt.Errorf("nothing was changed: %w", s.away)
	}
	return errors.Join(w.locked(ctx, func() error { return w.move(ctx, s) }), s.trouble())
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

// move puts the servers on the desk, makes the agents, and writes the files.
func (w *wiring) move(ctx context.Context, shown *survey) error {
	s := &survey{desk: shown.desk, names: shown.names, print: shown.print}
	list, err := s.desk.servers(ctx)
	if err != nil {
		return err
	}
	s.list = list.all
	w.plan(s, nil)
	s.hold(shown)
	for _, f := range s.files {
		if f.plan != nil && len(f.plan.Moves()) > 0 {
			if err := s.desk.ensureAgent(ctx, f.plan.Agent); err != nil {
				return err
			}
		}
	}
	fresh := s.fresh()
	refused, err := s.desk.addServers(ctx, slices.Collect(valuesOf(fresh)))
	if err != nil {
		return fmt.Errorf("add servers to the desk: %w", err)
	}
	if err := w.leave(ctx, s, fresh, refused); err != nil {
		return err
	}
	s.hold(shown)
	return w.write(ctx, s, fresh)
}

// hold leaves out each file that is not what was shown, or of which something else
// would be moved.
func (s *survey) hold(shown *survey) {
	for i := range s.files {
		f := &s.files[i]
		if f.plan != nil && !slices.ContainsFunc(shown.files, func(was surveyed) bool { return was.plan != nil && was.covers(f) }) {
			f.plan, f.err = nil, fmt.Errorf("%s: %w", f.file.Path, connect.ErrChanged)
		}
	}
}

// covers reports whether all that another plan of the same file does was shown.
func (f surveyed) covers(o *surveyed) bool {
	return f.file.Path == o.file.Path && f.file.Client.ID == o.file.Client.ID && f.plan.Agent == o.plan.Agent &&
		bytes.Equal(f.plan.File.Content, o.plan.File.Content) && !slices.ContainsFunc(o.plan.Moves(), func(e connect.Entry) bool {
		return !slices.ContainsFunc(f.plan.Moves(), func(was connect.Entry) bool {
			return slices.Equal(was.Path, e.Path) && was.ServerID == e.ServerID
		})
	})
}

// fresh are the servers that the desk does not have yet, by id.
func (s *survey) fresh() map[string]connect.Server {
	out := map[string]connect.Server{}
	for _, f := range s.files {
		if f.plan == nil {
			continue
		}
		for _, e := range f.plan.Moves() {
			if e.Fresh {
				out[e.ServerID] = e.Server
			}
		}
	}
	return out
}

// leave plans anew without the entries whose servers the desk refused.
func (w *wiring) leave(ctx context.Context, s *survey, added map[string]connect.Server, refused map[string]string) error {
	if len(refused) == 0 {
		return nil
	}
	left := map[string]map[string]string{}
	for _, f := range s.files {
		if f.plan == nil {
			continue
		}
		left[f.file.Path] = map[string]string{}
		for _, e := range f.plan.Moves() {
			if reason, ok := refused[e.ServerID]; ok {
				fmt.Fprintf(w.out, "%s: %s is left as it is: the desk does not take it: %s\n", visible(f.file.Path), visible(e.Key()), visible(reason))
				left[f.file.Path][connect.PathKey(e.Path)] = "the desk does not take it: " + reason
			}
		}
	}
	list, err := s.desk.servers(ctx)
	if err != nil {
		return err
	}
	s.list = list.all
	for id, server := range added {
		s.print[id] = server.Print()
	}
	w.plan(s, left)
	return nil
}

// write writes the files. Servers that no file came to use leave the desk again.
func (w *wiring) write(ctx context.Context, s *survey, added map[string]connect.Server) error {
	unused, ids := map[string]connect.Server{}, map[string]bool{}
	for id, server := range added {
		unused[id], ids[id] = server, true
	}
	var failed error
	for _, f := range s.files {
		if errors.Is(f.err, connect.ErrChanged) {
			failed = errors.Join(failed, f.err)
		}
		if f.plan == nil || len(f.plan.Moves()) == 0 {
			continue
		}
		if _, err := w.vault.Apply(f.plan, ids, time.Now()); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", f.file.Path, err))
			continue
		}
		for _, e := range f.plan.Moves() {
			delete(unused, e.ServerID)
		}
		fmt.Fprintf(w.out, "%s: %s behind the desk. Restart %s to use it.\n", visible(f.file.Path),
			count(len(f.plan.Moves()), "entry is", "entries are"), f.file.Client.Name)
	}
	_, _, err := s.desk.removeServers(ctx, unused)
	return errors.Join(failed, err)
}
