package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"sekisho/backend/connect"
	"sekisho/backend/desk"
	"sekisho/backend/environ"
	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/rest"
	"sekisho/backend/upstream"
)

// clients ties the door to the clients' files of the user whom the desk runs as. What is
// kept of them lies where `sekisho connect` has it, whichever folder the desk is on: the
// files are the user's, not the desk's.
type clients struct {
	desk     *desk.Desk
	url      string
	key      [32]byte
	checking chan struct{} // holds the one check that runs

	mu    sync.Mutex
	tried map[string]tried // by the file's id

	came    *arrivals
	environ func() []string // of the user whose clients these are
}

func newClients(d *desk.Desk, url string, came *arrivals) *clients {
	c := &clients{desk: d, url: url, checking: make(chan struct{}, 1), tried: map[string]tried{}, came: came}
	c.environ = sync.OnceValue(userEnviron)
	rand.Read(c.key[:]) // never fails: it ends the program instead
	return c
}

// shellWithin is how long the user's shell may take to start.
const shellWithin = 10 * time.Second

// userEnviron is the environment of programs that the user starts, without Sekisho's own.
func userEnviron() []string {
	if own := shellEnviron(os.Getenv("SHELL"), shellWithin); own != nil {
		return environ.Of(own)
	}
	return environ.Of(os.Environ())
}

// screen looks at the machine as it is now. make says that the folder of kept files may
// be made.
func (c *clients) screen(make bool, choice rest.ClientChoice) (*connect.Screen, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("find the home folder: %w", err)
	}
	data, err := place.Data()
	if err != nil {
		return nil, err
	}
	s := &connect.Screen{Key: c.key[:], Wiring: connect.Wiring{
		Places: connect.Places{GOOS: runtime.GOOS, Home: home, Env: os.Getenv, Glob: connect.Glob,
			Environ: c.environ}, Program: program(),
		Desk: inProcess{c.desk.Catalogue}, URL: c.url, URLs: []string{c.url},
		Hooks: choice.Hooks, Carry: choice.Carry, Limits: choice.Limits,
	}}
	if running, err := place.FindDesk(); err == nil && running.URL == c.url {
		s.URL = "" // sekisho finds it
	}
	kept := filepath.Join(data, "connect")
	if _, err := os.Stat(kept); errors.Is(err, fs.ErrNotExist) && !make {
		return s, nil
	}
	s.Vault, err = connect.NewVault(kept)
	return s, err
}

// program finds sekisho: beside this program, or where a shell would; "" is nowhere.
func program() string {
	name := "sekisho"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return path
		}
	}
	if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
		return path
	}
	return ""
}

// Clients lists the files.
func (c *clients) Clients(ctx context.Context, choice rest.ClientChoice) (rest.ClientList, error) {
	s, err := c.screen(false, choice)
	if err != nil {
		return rest.ClientList{}, told(err, notRead)
	}
	machine, err := os.Hostname()
	if err != nil {
		machine = "localhost"
	}
	all := rest.ClientList{Machine: machine, Program: s.Program}
	standings, err := s.List(ctx)
	for _, st := range standings {
		all.Files = append(all.Files, fileOf(st))
	}
	if err == nil {
		all.Leftovers, err = s.Leftovers(ctx)
	}
	if err == nil {
		all.Apps, err = c.apps(ctx, s, standings)
	}
	return all, told(err, notRead)
}

// Connect connects one file.
func (c *clients) Connect(ctx context.Context, id, shown string, choice rest.ClientChoice) (rest.ClientConnected, error) {
	s, err := c.screen(true, choice)
	if err != nil {
		return rest.ClientConnected{}, told(err, notWritten)
	}
	done, err := s.Connect(ctx, id, shown)
	c.moved(id, shown, done.Files)
	out := rest.ClientConnected{}
	for _, f := range done.Files {
		for _, e := range f.Plan.Moves() {
			if out.Hooks = out.Hooks || e.Hook; !e.Hook {
				out.Moved++
			}
		}
	}
	for _, l := range done.Left {
		out.Left = append(out.Left, rest.Refused(l.Key, l.Reason))
	}
	return out, told(err, notWritten)
}

// Disconnect puts one file back.
func (c *clients) Disconnect(ctx context.Context, id, shown string, force bool) (rest.ClientDisconnected, error) {
	s, err := c.screen(false, rest.ClientChoice{Hooks: true})
	if err != nil {
		return rest.ClientDisconnected{}, told(err, notWritten)
	}
	done, err := s.Disconnect(ctx, id, shown, force)
	return rest.ClientDisconnected{Removed: done.Removed, Kept: done.Kept}, told(err, notWritten)
}

// RemoveLeftovers takes servers off the list that nobody's file uses any more.
func (c *clients) RemoveLeftovers(ctx context.Context, servers []string) (rest.ClientDisconnected, error) {
	s, err := c.screen(false, rest.ClientChoice{Hooks: true})
	if err != nil {
		return rest.ClientDisconnected{}, told(err, notWritten)
	}
	done, err := s.RemoveLeftovers(ctx, servers)
	return rest.ClientDisconnected{Removed: done.Removed, Kept: done.Kept}, told(err, notWritten)
}

// Codes of errors about files that have none of their own.
const (
	notRead    permission.Code = "not_read"
	notWritten permission.Code = "not_written"
)

// told makes an error one that the person is shown: these are about the person's own
// files. code is that of an error that has none of its own.
func told(err error, code permission.Code) error {
	var known *permission.Error
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, connect.ErrChanged):
		code = permission.CodeStale
	case errors.Is(err, connect.ErrForce):
		code = "changed_since"
	case errors.Is(err, connect.ErrBusy):
		code = permission.CodeUnavailable
	}
	return &permission.Error{Code: code, Message: err.Error()}
}

func fileOf(st connect.Standing) rest.ClientFile {
	f := rest.ClientFile{ID: st.ID, Client: st.Client.ID, Name: st.Client.Name, Path: st.Path, State: string(st.State), Error: words(st.Err)}
	for _, e := range st.Entries {
		entry := rest.ClientEntry{Key: e.Key(), State: string(e.State), Off: e.State == connect.Direct && !e.Server.Enabled, Reason: e.Reason,
			Why: obstacleOf(e.Why), ServerID: e.ServerID, Hook: e.Hook, Likely: e.Missing.Likely, Others: e.Missing.Others, Limit: e.Limit}
		if len(e.Path) == 4 && e.Path[0] == "projects" {
			entry.Folder = e.Path[1]
		}
		f.Entries = append(f.Entries, entry)
	}
	if st.Move != nil {
		f.Move = &rest.ClientMove{Shown: st.Move.Shown, Difference: differenceOf(st.Move.Difference)}
	}
	if b := st.Back; b != nil {
		f.Back = &rest.ClientBack{Shown: b.Shown, Error: words(b.Err), Why: obstacleOf(b.Err), Exact: b.Exact, Gone: b.Gone, Forced: b.Forced,
			Others: b.Others, Copies: b.Kept,
			Theirs: differenceOf(b.Theirs), Difference: differenceOf(b.Difference)}
		for _, e := range b.Entries {
			f.Back.Entries = append(f.Back.Entries, rest.ClientReturn{Key: e.Path[len(e.Path)-1], Outcome: string(e.Outcome), Reason: e.Reason,
				Why: obstacleOf(e.Why)})
		}
	}
	return f
}

// obstacleOf is what an error says for a page that has its own words; nil where it has none.
func obstacleOf(err error) *rest.ClientObstacle {
	var why *connect.Obstacle
	if !errors.As(err, &why) || why == nil {
		return nil
	}
	return &rest.ClientObstacle{Code: string(why.Code), Field: why.Field, Name: why.Name, Value: why.Value}
}

func differenceOf(d connect.Difference) rest.ClientDifference {
	return rest.ClientDifference{Added: d.Added, Removed: d.Removed, Lines: d.Lines, More: d.More, Cut: d.Cut}
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// inProcess is the desk of this process as connecting asks it.
type inProcess struct{ *desk.Catalogue }

// Servers gives the list, with secrets masked.
func (d inProcess) Servers(ctx context.Context) ([]connect.Server, error) {
	_, list, _, err := d.list(ctx)
	return list, err
}

func (d inProcess) list(ctx context.Context) (all []permission.Server, shown []connect.Server, version string, err error) {
	all, version, err = d.ServerList(ctx)
	for i := range all {
		all[i] = all[i].Masked()
		s := all[i]
		shown = append(shown, connect.Server{ID: s.ID, Transport: string(s.Transport), Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd,
			URL: s.URL, Headers: s.Headers, Enabled: s.Enabled, Table: s.ToolPermissions, Revision: s.Revision})
	}
	return all, shown, version, err
}

// Inherited names the variables of this process that servers get.
func (d inProcess) Inherited(context.Context) ([]string, error) {
	return upstream.Inherited(os.Environ()), nil
}

// maxTries is how often a list that others change is read and written again.
const maxTries = 5

// ChangeServers changes the list, again when others were faster.
func (d inProcess) ChangeServers(ctx context.Context, change func([]connect.Server) ([]connect.Server, []string, error)) error {
	for try := 1; ; try++ {
		err := d.tryChange(ctx, change)
		if !errors.Is(err, &permission.Error{Code: permission.CodeLostUpdate}) || try == maxTries {
			return err
		}
	}
}

func (d inProcess) tryChange(ctx context.Context, change func([]connect.Server) ([]connect.Server, []string, error)) error {
	all, shown, version, err := d.list(ctx)
	if err != nil {
		return err
	}
	add, remove, err := change(shown)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(s permission.Server) bool { return slices.Contains(remove, s.ID) })
	for _, s := range add {
		all = append(all, permission.Server{ID: s.ID, Transport: permission.ServerTransport(s.Transport), Command: s.Command, Args: s.Args,
			Env: s.Env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers, Enabled: s.Enabled})
	}
	_, _, err = d.ReplaceServers(ctx, version, all)
	return err
}

// Admits reports whether a token is an agent's.
func (d inProcess) Admits(ctx context.Context, token string) bool {
	_, err := d.Authenticate(ctx, strings.TrimSpace(token))
	return err == nil
}
