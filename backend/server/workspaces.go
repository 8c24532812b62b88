package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"sekisho/backend/journalkey"
	"sekisho/backend/permission"
	"sekisho/backend/place"
)

// Bounds of what the process of a workspace's tools is asked beside calls.
const (
	lookWithin    = 2 * time.Second // walks what a call names
	confineWithin = 2 * time.Second // says how far commands are confined
	tryWithin     = 2 * time.Minute // starts each program once
	maxAnswer     = 1 << 20
)

// workspaces is what the desk knows of the folders of workspaces, and of what this machine can do for
// them. It asks the program that runs their tools, which is not the desk's own process: what is found
// of that may not hold for this one, and a disk that does not answer holds up nobody.
type workspaces struct {
	workfolder
	program func() string
	log     *slog.Logger
	life    context.Context
	end     context.CancelFunc

	mu    sync.Mutex
	tried map[string]*trial // by what the process is started with
}

// trial is what was found of one workspace.
type trial struct {
	known chan struct{} // closed when the level is
	mu    sync.Mutex
	found permission.Confinement
}

func newWorkspaces(program func() string, log *slog.Logger, own ...string) *workspaces {
	for _, folder := range []func() (string, error){place.Data, place.Config, journalkey.Folder} {
		if at, err := folder(); err == nil {
			own = append(own, at)
		}
	}
	w := &workspaces{workfolder: workfolder{own}, program: program, log: log, tried: map[string]*trial{}}
	w.life, w.end = context.WithCancel(context.Background())
	return w
}

// Check refuses folders that can be no workspace.
func (w *workspaces) Check(s *permission.Server) error { return w.check(s) }

// Launch is the process of a workspace's tools. Its folder is looked at again: it may be another since
// it was named.
func (w *workspaces) Launch(s permission.Server) (permission.Server, error) {
	if !s.RunsHere() {
		return s, errors.New("the tools of this workspace run at a client, and none is connected")
	}
	if err := w.check(&s); err != nil {
		return s, err
	}
	program := w.program()
	if program == "" {
		return s, errors.New("the program sekisho, which runs the tools of workspaces, is not beside the desk and not in the PATH")
	}
	return permission.Server{ID: s.ID, Transport: permission.TransportStdio, Command: program, Args: arguments(&s), Enabled: true}, nil
}

func arguments(s *permission.Server) []string {
	args := []string{"tools", "--root", s.Cwd}
	for _, folder := range s.ProgramFolders {
		args = append(args, "--program-folder", folder)
	}
	return args
}

// Confined reports whether commands of a workspace are kept from what lies outside of it. While that is
// not known they are not, and of a client's machine it never is.
func (w *workspaces) Confined(s *permission.Server) bool {
	if !s.RunsHere() {
		return false
	}
	level := w.Confinement(*s).Level
	return level != permission.Unconfined && level != ""
}

// Confinement is what was found of a workspace; nil of any other server.
func (w *workspaces) Confinement(s permission.Server) *permission.Confinement {
	if !s.RunsHere() {
		return nil
	}
	t := w.trial(&s)
	select {
	case <-t.known:
	case <-time.After(confineWithin):
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.found
	return &found
}

// trial begins to try a workspace, once.
func (w *workspaces) trial(s *permission.Server) *trial {
	key := w.program() + "\x00" + strings.Join(arguments(s), "\x00")
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.tried[key]
	if t == nil {
		t = &trial{known: make(chan struct{}), found: permission.Confinement{Level: permission.Unconfined, Missing: []string{},
			Programs: []permission.ProgramState{}}}
		w.tried[key] = t
		go w.try(*s, t)
	}
	return t
}

// try asks for the confinement, which is told first, and then for the programs.
func (w *workspaces) try(s permission.Server, t *trial) {
	known := sync.OnceFunc(func() { close(t.known) })
	defer known()
	ctx, cancel := context.WithTimeout(w.life, tryWithin)
	defer cancel()
	err := w.ask(ctx, &s, []string{"--check"}, nil, func(d *json.Decoder) error {
		for range 2 {
			var found permission.Confinement
			if err := d.Decode(&found); err != nil {
				return err
			}
			t.mu.Lock()
			t.found = found
			t.mu.Unlock()
			known()
		}
		return nil
	})
	if err != nil && w.life.Err() == nil {
		w.log.Warn("try the tools of a workspace", "workspace", s.ID, "error", err)
		t.mu.Lock()
		t.found.Trouble = err.Error()
		t.mu.Unlock()
	}
}

// Look walks what a call names. Where that cannot be asked, the call asks a person as without it.
func (w *workspaces) Look(ctx context.Context, s *permission.Server, tool string, input json.RawMessage) *permission.Explanation {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	var no struct{ Code, Detail, Text string }
	if err := w.ask(ctx, s, []string{"--look", tool}, input, func(d *json.Decoder) error { return d.Decode(&no) }); err != nil {
		w.log.Warn("look at a call of a workspace", "workspace", s.ID, "error", err)
		return nil
	}
	if no.Code == "" {
		return nil
	}
	return &permission.Explanation{Code: permission.ReasonCode(no.Code), Params: permission.Param("detail", no.Detail), Reason: no.Text}
}

// ask starts the program of a workspace's tools with further arguments, and reads what it prints.
func (w *workspaces) ask(ctx context.Context, s *permission.Server, more []string, input []byte, read func(*json.Decoder) error) error {
	launch, err := w.Launch(*s)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, launch.Command, append(launch.Args, more...)...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.WaitDelay = []string{}, filepath.Dir(launch.Command), bytes.NewReader(input), time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", launch.Command, err)
	}
	bad := read(json.NewDecoder(io.LimitReader(out, maxAnswer)))
	cmd.Cancel() // one that has answered has nothing left to do
	cmd.Wait()
	if bad != nil {
		words, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return fmt.Errorf("%s tools: %w: %s", launch.Command, bad, words)
	}
	return nil
}

// tryAll begins to try all workspaces of a list.
func (w *workspaces) tryAll(servers []permission.Server) {
	for i := range servers {
		if servers[i].RunsHere() && servers[i].Enabled {
			w.trial(&servers[i])
		}
	}
}

// close ends what goes on.
func (w *workspaces) close() error {
	w.end()
	return nil
}
