package connect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sekisho/backend/place"
)

// Wiring puts the files of one machine's clients behind one desk, and back. Program and
// Places are needed, and Vault to change anything.
type Wiring struct {
	Vault   *Vault // nil: nothing was connected yet
	Places  Places
	Program string // the absolute path of sekisho

	Desk Desk     // nil: the desk cannot be asked
	Away error    // and why not
	URL  string   // the desk's, where entries must name it; "" lets sekisho find it
	URLs []string // addresses that are the desk

	Hooks  bool     // make clients ask about their own tools too, where that is known
	Carry  []string // variables of the user that go to the desk with the servers that would miss them
	Limits bool     // raise the clients' own limits on a call to what the desk waits

	Starts map[string]map[string]time.Duration // how long servers take to start, by file and PathKey, where that is known
	Leave  map[string]map[string]string        // reasons to leave entries, by file and PathKey

	Wants    func(client, path string) bool               // which files; nil is all
	LookPath func(command, folder string) (string, error) // nil is LookPath
}

// Planned is one file: its plan, or why it has none.
type Planned struct {
	File File
	Plan *Plan
	Err  error
}

// Survey is what there is to do.
type Survey struct {
	Files []Planned
	Away  error // why the desk was not asked; then it is planned as if it had no servers

	known known
}

// known is what plans depend on beside the files.
type known struct {
	servers   []Server
	inherited []string
	prints    map[string]string // of servers that connecting added
	agents    map[string]string // the agents' names by client
}

// Survey looks at all files. Without a desk it still says what it would do.
func (w *Wiring) Survey(ctx context.Context) (*Survey, error) {
	k, away, err := w.look(ctx)
	if err != nil {
		return nil, err
	}
	s := &Survey{Files: w.plan(k, w.Leave), Away: away, known: k}
	if s.Moves() > 0 && away == nil {
		err = w.taken(s.Files)
	}
	return s, err
}

// AgentNames gives the name that the agent of each client has on the desk, or would get.
func (w *Wiring) AgentNames(ctx context.Context) (map[string]string, error) {
	var ids []string
	for _, c := range Clients() {
		ids = append(ids, c.ID)
	}
	return agentNames(ctx, w.Desk, ids)
}

// look finds out what plans depend on. away says why the desk was not asked.
func (w *Wiring) look(ctx context.Context) (k known, away, err error) {
	if err := w.settable(); err != nil {
		return k, nil, err
	}
	records, err := w.records(ctx)
	if err != nil {
		return k, nil, err
	}
	k.prints = Prints(records)
	if w.Desk == nil {
		return k, w.Away, nil
	}
	servers, err := w.Desk.Servers(ctx)
	if err != nil {
		return k, err, nil
	}
	if k.inherited, err = w.Desk.Inherited(ctx); err != nil {
		return k, err, nil
	}
	names, err := w.AgentNames(ctx)
	if err != nil {
		return k, err, nil
	}
	k.servers, k.agents = servers, names
	return k, nil, nil
}

// records are those of all files that are connected, newest first.
func (w *Wiring) records(ctx context.Context) (all []Record, err error) {
	if w.Vault == nil {
		return nil, nil
	}
	err = w.Vault.locked(ctx, func() error {
		all, err = w.Vault.Records()
		return err
	})
	return all, err
}

func (w *Wiring) wants(client, path string) bool { return w.Wants == nil || w.Wants(client, path) }

// plan plans all files that are wanted. left are reasons to leave entries, by file
// and path.
func (w *Wiring) plan(k known, left map[string]map[string]string) (all []Planned) {
	names := NewNames(k.servers, k.prints)
	var hooked []string
	for _, f := range w.files() {
		if !w.wants(f.Client.ID, f.Path) {
			continue
		}
		planned := w.planFile(f, k, names, left[f.Path], hooked...)
		if all = append(all, planned); slices.ContainsFunc(planned.moves(), func(e Entry) bool { return e.Hook }) {
			hooked = append(hooked, f.Path)
		}
	}
	return all
}

// files are those of the clients that connecting looks at.
func (w *Wiring) files() []File {
	all := Find(w.Places)
	if w.Hooks {
		all = FindHooks(w.Places, all)
	}
	return all
}

func (w *Wiring) planFile(f File, k known, names *Names, left map[string]string, hooked ...string) Planned {
	o := Options{Program: w.Program, Desk: w.URL, URLs: w.URLs, Agent: cmp.Or(k.agents[f.Client.ID], f.Client.ID), Places: w.Places,
		Names: names, LookPath: w.LookPath, Leave: left,
		Inherited: k.inherited, Carry: w.Carry, Limits: w.Limits, Starts: w.Starts[f.Path], Hooks: w.Hooks, Hooked: hooked,
		NameToken: w.Places.moved("XDG_CONFIG_HOME", ".config")}
	if o.Desk == "" && len(w.URLs) > 0 && w.Places.moved("XDG_DATA_HOME", ".local/share") {
		o.Desk = w.URLs[0]
	}
	var err error
	if o.TokenFile, err = place.TokenFile(o.Agent); err != nil {
		return Planned{f, nil, err}
	}
	plan, err := Make(f, o)
	return Planned{f, plan, err}
}

// Moves counts the entries to move.
func (s *Survey) Moves() (n int) {
	for _, f := range s.Files {
		n += len(f.moves())
	}
	return n
}

func (f Planned) moves() []Entry {
	if f.Plan == nil {
		return nil
	}
	return f.Plan.Moves()
}

// Connected is what came of connecting.
type Connected struct {
	Files []Planned // those that were written, by plans that say what was moved
	Left  []Refused // entries that were to be moved and stay as they are
}

// Refused is an entry whose server the desk does not take.
type Refused struct {
	Path   string // of the file
	Key    string
	Reason error
}

// Move does what a survey has shown and nothing else: it puts the servers on the desk,
// makes the agents, and writes the files. A file that is another by now, or of which
// something else would be moved, is left alone: ErrChanged. Files that were written are
// told beside an error about others.
func (w *Wiring) Move(ctx context.Context, shown *Survey) (done Connected, err error) {
	if w.Desk == nil {
		return done, w.Away
	}
	err = w.Vault.locked(ctx, func() (err error) {
		done, err = w.move(ctx, shown)
		return err
	})
	return done, err
}

func (w *Wiring) move(ctx context.Context, shown *Survey) (done Connected, err error) {
	s := &Survey{known: shown.known}
	if s.known.servers, err = w.Desk.Servers(ctx); err != nil {
		return done, err
	}
	s.Files = w.plan(s.known, w.Leave)
	s.hold(shown)
	for _, f := range s.Files {
		if len(f.moves()) > 0 {
			if err := ensureAgent(ctx, w.Desk, f.Plan.Agent); err != nil {
				return done, err
			}
		}
	}
	fresh := s.fresh()
	mark, err := markOf(ctx, w.Desk)
	if err != nil {
		return done, err
	}
	// Before the desk has them: a killed sekisho must not leave them there unsaid.
	if err := w.Vault.changeLeftovers(mark.of(fresh), nil); err != nil {
		return done, err
	}
	refused, err := addServers(ctx, w.Desk, fresh)
	if err != nil {
		return done, fmt.Errorf("add servers to the desk: %w", err)
	}
	if len(refused) > 0 {
		if done.Left, err = w.leave(ctx, s, fresh, refused); err != nil {
			_, _, back := removeServers(ctx, w.Desk, fresh)
			return done, errors.Join(err, back)
		}
		s.hold(shown)
	}
	done.Files, err = w.write(ctx, s, fresh, mark)
	return done, err
}

// hold leaves out each file that is not what was shown, or of which something else
// would be moved.
func (s *Survey) hold(shown *Survey) {
	for i := range s.Files {
		f := &s.Files[i]
		if f.Plan != nil && !slices.ContainsFunc(shown.Files, func(was Planned) bool { return was.Plan != nil && was.covers(f) }) {
			f.Plan, f.Err = nil, fmt.Errorf("%s: %w", f.File.Path, ErrChanged)
		}
	}
}

// covers reports whether all that another plan of the same file does was shown.
func (f Planned) covers(o *Planned) bool {
	return f.File.Path == o.File.Path && f.File.Client.ID == o.File.Client.ID && f.Plan.Agent == o.Plan.Agent &&
		bytes.Equal(f.Plan.File.Content, o.Plan.File.Content) && !slices.ContainsFunc(o.Plan.Moves(), func(e Entry) bool {
		return !slices.ContainsFunc(f.Plan.Moves(), func(was Entry) bool {
			return slices.Equal(was.Path, e.Path) && was.ServerID == e.ServerID
		})
	})
}

// fresh are the servers that the desk does not have yet, by id.
func (s *Survey) fresh() map[string]Server {
	out := map[string]Server{}
	for _, f := range s.Files {
		for _, e := range f.moves() {
			if e.Fresh {
				out[e.ServerID] = e.Server
			}
		}
	}
	return out
}

// leave plans anew without the entries whose servers the desk refused, and says which.
func (w *Wiring) leave(ctx context.Context, s *Survey, added map[string]Server, refused map[string]error) (told []Refused, err error) {
	left := map[string]map[string]string{}
	for path, reasons := range w.Leave {
		left[path] = maps.Clone(reasons)
	}
	for _, f := range s.Files {
		for _, e := range f.moves() {
			reason, ok := refused[e.ServerID]
			if !ok {
				continue
			}
			if left[f.File.Path] == nil {
				left[f.File.Path] = map[string]string{}
			}
			left[f.File.Path][PathKey(e.Path)] = "the desk does not take it: " + reason.Error()
			told = append(told, Refused{f.File.Path, e.Key(), reason})
		}
	}
	if s.known.servers, err = w.Desk.Servers(ctx); err != nil {
		return told, err
	}
	for id, server := range added {
		s.known.prints[id] = server.Print()
	}
	s.Files = w.plan(s.known, left)
	return told, nil
}

// write writes the files. Servers that no file came to use leave the desk again; then all
// are accounted for.
func (w *Wiring) write(ctx context.Context, s *Survey, added map[string]Server, mark deskMark) (done []Planned, failed error) {
	unused, ids := map[string]Server{}, map[string]bool{}
	for id, server := range added {
		unused[id], ids[id] = server, true
	}
	have, failed := w.Desk.Servers(ctx)
	if failed != nil {
		s.Files = nil
	}
	for _, f := range s.Files {
		if errors.Is(f.Err, ErrChanged) {
			failed = errors.Join(failed, f.Err)
		}
		if len(f.moves()) == 0 {
			continue
		}
		if h := f.File.hook; h != nil && h.needs != "" && !stands(f.File.Client.ID, h.needs) {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", f.File.Path, &Obstacle{Code: hooksFirst, Value: h.needs}))
			continue
		}
		f.Plan.know(mark, have)
		if _, err := w.Vault.Apply(f.Plan, ids, time.Now()); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", f.File.Path, err))
			continue
		}
		for _, e := range f.moves() {
			delete(unused, e.ServerID)
		}
		done = append(done, f)
	}
	_, _, err := removeServers(ctx, w.Desk, unused)
	if err == nil {
		err = w.Vault.changeLeftovers(nil, mark.has(slices.Collect(maps.Keys(added))))
	}
	return done, errors.Join(failed, err)
}

// settable is the error of chosen variables that are not there to be carried.
func (w *Wiring) settable() error {
	for _, name := range w.Carry {
		switch value, set := w.Places.variable(name); {
		case strings.HasPrefix(strings.ToUpper(name), "SEKISHO_"):
			return &CarryError{name, "it is Sekisho's own"}
		case !set:
			return &CarryError{name, "it is not set here"}
		case !utf8.ValidString(value):
			return &CarryError{name, "its value is no text"}
		}
	}
	return nil
}

// taken is the error of chosen variables that no server would get.
func (w *Wiring) taken(files []Planned) error {
	for _, name := range w.Carry {
		gets := func(e Entry) bool { return slices.Contains(e.Carried, name) }
		if !slices.ContainsFunc(files, func(f Planned) bool { return slices.ContainsFunc(f.moves(), gets) }) {
			return &CarryError{name, "no server that is to move would miss it"}
		}
	}
	return nil
}
