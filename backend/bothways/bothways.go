// Package bothways shows that clients' servers are behind the desk what they were without it:
// each is started as its client starts it, and then through the desk by the line that its
// client was given, and their tools are compared.
package bothways

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"sekisho/backend/connect"
	"sekisho/backend/environ"
	"sekisho/backend/era"
	"sekisho/backend/permission"
	"sekisho/backend/trial"
	"sekisho/backend/upstream"
)

const (
	within = time.Minute // for a server to start and say its tools
	atOnce = 4           // servers that are started at the same time
)

// Longest is how long it takes at most to start some servers.
func Longest(servers int) time.Duration { return time.Duration((servers+atOnce-1)/atOnce) * within }

// Starts reports whether the server of an entry is started.
func Starts(e connect.Entry) bool { return !e.Hook && e.Server.Enabled }

// Apart tells files of the user from those that a project brings along.
func Apart(files []connect.Planned) (own, brought []connect.Planned) {
	for _, f := range files {
		if f.File.Project == "" {
			own = append(own, f)
		} else {
			brought = append(brought, f)
		}
	}
	return own, brought
}

// Prover starts servers as clients of a user do.
type Prover struct {
	Environ []string      // the user's, as os.Environ gives it
	Home    string        // where a server runs whose entry says nothing else
	Within  time.Duration // for each server; 0 is a minute
}

// Started is what came of starting the server of an entry.
type Started struct {
	File, Client, Key string // of the entry, its file and its client
	ServerID          string
	Tools             []permission.OfferedTool
	Took              time.Duration
	Err               error // why it is of no use, without secrets

	path []string
}

// PathKey names the entry in its file.
func (s Started) PathKey() string { return connect.PathKey(s.path) }

// Proof is a server that starts directly, and the same one behind the desk.
type Proof struct {
	Direct, Behind Started
	trial.Difference
}

// State says what a proof shows.
type State string

// The states of a proof.
const (
	Same      State = "same"      // it has the same tools behind the desk
	Different State = "different" // it has others
	Lost      State = "lost"      // it does not start there
)

// State sums a proof up.
func (p Proof) State() State {
	switch {
	case p.Behind.Err != nil:
		return Lost
	case !p.None():
		return Different
	}
	return Same
}

// Direct starts the servers of all entries that would move, as their clients do. Those that
// are switched off are left out.
func (p *Prover) Direct(ctx context.Context, files []connect.Planned) []Started {
	dialer := upstream.NewDialer()
	defer dialer.Close()
	return p.all(ctx, files, func(f connect.Planned, e connect.Entry) (trial.Connect, []string) {
		s := e.Server
		secrets := append(environ.Secrets(p.Environ), append(upstream.ValuesOf(s.Env), upstream.ValuesOf(s.Headers)...)...)
		if s.Transport == connect.HTTP {
			return func(limit int, to upstream.Listener) (upstream.Server, error) {
				at := permission.Server{ID: s.ID, Transport: permission.TransportHTTP, URL: s.URL, Headers: s.Headers}
				return dialer.Connect(at, limit, to)
			}, secrets
		}
		own := environ.Passed(f.File.Client.ID, p.Environ)
		for name, value := range s.Env {
			own = append(own[:len(own):len(own)], name+"="+value)
		}
		return program(append([]string{s.Command}, s.Args...), own, cmp.Or(s.Cwd, p.Home), secrets), secrets
	})
}

// Behind starts the lines that were written for entries which have moved, as their clients
// will, and compares the tools with those that were found directly. One that did not start
// directly is left out.
func (p *Prover) Behind(ctx context.Context, files []connect.Planned, direct []Started) (proofs []Proof) {
	read := map[*connect.Plan]map[string][]string{}
	lines := func(plan *connect.Plan) (written map[string][]string, err error) {
		if read[plan] == nil {
			read[plan], err = plan.Written()
		}
		return read[plan], err
	}
	started := p.all(ctx, files, func(f connect.Planned, e connect.Entry) (trial.Connect, []string) {
		if at(direct, f.File.Path, e.Path) < 0 {
			return nil, nil
		}
		written, err := lines(f.Plan)
		if err != nil {
			return func(int, upstream.Listener) (upstream.Server, error) { return nil, err }, nil
		}
		own, secrets := environ.Passed(f.File.Client.ID, p.Environ), environ.Secrets(p.Environ)
		return program(written[connect.PathKey(e.Path)], own, cmp.Or(f.File.Project, p.Home), secrets), secrets
	})
	for _, behind := range started {
		d := direct[at(direct, behind.File, behind.path)]
		proofs = append(proofs, Proof{d, behind, trial.Compare(d.Tools, behind.Tools)})
	}
	return proofs
}

// at finds the server of an entry among those that started; -1 is none.
func at(all []Started, file string, path []string) int {
	return slices.IndexFunc(all, func(s Started) bool { return s.Err == nil && s.File == file && slices.Equal(s.path, path) })
}

// program starts a line with an environment, of which some values are secrets, in a folder.
func program(line, env []string, folder string, secrets []string) trial.Connect {
	return func(limit int, to upstream.Listener) (upstream.Server, error) {
		if len(line) == 0 {
			return nil, errors.New("no command was written for it")
		}
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Env, cmd.Dir = env, folder
		return upstream.Run(cmd, upstream.NewRedactor(secrets), limit, to)
	}
}

// all starts what connects gives for each entry that moves, some at once; nil starts none. A
// failure is told with the last line that the server said.
func (p *Prover) all(ctx context.Context, files []connect.Planned,
	connects func(connect.Planned, connect.Entry) (start trial.Connect, secrets []string)) (all []Started) {
	var under sync.WaitGroup
	places := make(chan struct{}, atOnce)
	var results []*Started
	for _, f := range files {
		if f.Plan == nil {
			continue
		}
		for _, e := range f.Plan.Moves() {
			if !Starts(e) {
				continue
			}
			start, secrets := connects(f, e)
			if start == nil {
				continue
			}
			r := &Started{File: f.File.Path, Client: f.File.Client.Name, Key: e.Key(), ServerID: e.ServerID, path: e.Path}
			results = append(results, r)
			under.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				r.run(ctx, cmp.Or(p.Within, within), start, upstream.NewRedactor(secrets))
			})
		}
	}
	under.Wait()
	for _, r := range results {
		all = append(all, *r)
	}
	return all
}

func (s *Started) run(ctx context.Context, within time.Duration, start trial.Connect, veil upstream.Redactor) {
	bridged := func(limit int, to upstream.Listener) (upstream.Server, error) { // behind the desk it is so too
		return new(era.Bridges).Over(permission.Server{ID: s.ServerID}, false, to, func(to upstream.Listener) (upstream.Server, error) {
			return start(limit, to)
		})
	}
	found, err := trial.Run(ctx, within, bridged, func() upstream.Redactor { return veil })
	s.Tools, s.Took, s.Err = found.Tools, found.Took, err
	if last := strings.TrimSpace(found.Last); err != nil && last != "" {
		s.Err = fmt.Errorf("%w: %s", err, last)
	}
}
