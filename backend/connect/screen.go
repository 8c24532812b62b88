package connect

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"sekisho/backend/permission"
)

// ErrForce says that a file is put back only by force: what connecting wrote was
// changed since, or the file is gone.
var ErrForce = errors.New("what connecting wrote was changed since: it is put back only by force")

// Screen shows a person the clients' files of a machine one by one, and does to each what
// was shown and nothing else. Wants of its Wiring must be nil.
type Screen struct {
	Wiring
	Key []byte // seals what is shown, so that the seal tells nothing of the secrets in it
}

// FileState sums up where the entries of a file stand.
type FileState string

// The states of a file.
const (
	FileDirect FileState = "direct" // entries can be moved, and none is behind the desk
	FilePartly FileState = "partly" // entries can be moved, and others are behind the desk
	FileBehind FileState = "behind" // what can be moved is behind the desk
	FileLeft   FileState = "left"   // there are entries, and none can be moved
	FileEmpty  FileState = "empty"  // it has no entries
	FileBroken FileState = "broken" // it cannot be used: Err says why
)

// Standing is a client's file as a person sees it.
type Standing struct {
	ID      string // names the file; the same as long as client and path are
	Client  Client
	Path    string
	State   FileState
	Err     error
	Entries []Entry
	Move    *Proposal // what connecting would do; nil when nothing can be moved
	Back    *Return   // what disconnecting would do; nil when it was not connected

	file File
	plan *Plan
}

// Servers reports whether a file of a client is one in which it looks for its tool servers.
func (s *Screen) Servers(of *Standing) bool {
	return of.file.Project != "" || slices.Contains(of.Client.user(s.Places), of.Path)
}

// Proposal is what connecting would do to a file. Shown names it, to be said with the yes.
type Proposal struct {
	Shown      string
	Difference Difference
}

// Return is what disconnecting would do to a file. Shown names it, to be said with the yes.
type Return struct {
	Shown   string
	Exact   bool // the file is as connecting left it, and will be as it was before
	Gone    bool // the file is not there any more
	Forced  bool // it is done by force only
	Err     error
	Entries []Returned // without force
	// Theirs is what was changed in entries since connecting, Difference what would be
	// changed now.
	Theirs, Difference Difference
	Others             int      // lines that were changed since outside of entries
	Kept               []string // copies of the file as it was that stay, because they hold entries that are gone

	undo *Undo
}

// List shows all files, those of connected projects behind those of the user.
func (s *Screen) List(ctx context.Context) ([]Standing, error) {
	all, _, err := s.list(ctx)
	return all, err
}

func (s *Screen) list(ctx context.Context) (all []Standing, k known, err error) {
	k, away, err := s.look(ctx)
	if err = errors.Join(err, away); err != nil {
		return nil, k, err
	}
	files := s.files()
	backs, err := s.backs(ctx)
	for _, r := range backs {
		c, ok := ClientByID(r.client)
		if !ok || slices.ContainsFunc(files, func(f File) bool { return f.Path == r.path }) {
			continue
		}
		if r.hooksOnly {
			c = c.ofHooks()
		}
		f, there := read(c, r.path, r.project)
		if !there {
			f.Err = errors.New("the file is gone")
		}
		files = append(files, f)
	}
	var hooked []string
	for _, f := range files {
		st := s.standing(f, k, hooked...)
		if slices.ContainsFunc(st.Entries, func(e Entry) bool { return e.Hook && e.State == Direct }) {
			hooked = append(hooked, f.Path)
		}
		if i := slices.IndexFunc(backs, func(r kept) bool { return r.path == f.Path }); i >= 0 {
			st.Back = backs[i].Return
		}
		all = append(all, st)
	}
	return all, k, err
}

// kept is a connected file and the way back.
type kept struct {
	client, path, project string
	hooksOnly             bool
	*Return
}

// backs plans to put each connected file back.
func (s *Screen) backs(ctx context.Context) (all []kept, err error) {
	if s.Vault == nil {
		return nil, nil
	}
	err = s.Vault.locked(ctx, func() error {
		records, err := s.Vault.Records()
		for _, r := range records {
			if !slices.ContainsFunc(all, func(k kept) bool { return k.path == r.Path }) {
				back := s.back(recordsOf(records, r.Path))
				if policy := s.dependent(records, r); policy != "" {
					back = &Return{Exact: back.Exact, Err: &Obstacle{Code: policyFirst, Value: policy}}
				}
				all = append(all, kept{r.Client, r.Path, r.Project, r.HooksOnly, back})
			}
		}
		return err
	})
	return all, err
}

// dependent is the connected file that lets tools run without a question once the hooks of
// another are gone, or "".
func (s *Screen) dependent(records []Record, hooks Record) string {
	for _, t := range hooksOf(hooks.Client).targets(s.Places) {
		if t.needs == hooks.Path && slices.ContainsFunc(records, func(r Record) bool { return r.Path == t.path }) {
			return t.path
		}
	}
	return ""
}

// back plans to put one file back, by force where it cannot be done without.
func (s *Screen) back(records []Record) *Return {
	r := &Return{}
	if r.undo, r.Err = s.Vault.Undo(records, false); r.Err == nil {
		r.Exact, r.Entries, r.Others, r.Theirs = r.undo.Exact, r.undo.Entries, r.undo.Others, r.undo.CompareTheirs()
	}
	if r.Gone = errors.Is(r.Err, ErrGone); r.Gone || r.Err == nil && r.undo.stuck() {
		r.Forced = true
		if r.undo, r.Err = s.Vault.Undo(records, true); r.Err == nil && r.undo.stuck() {
			r.Err = &Obstacle{Code: backByHand, Value: s.Vault.before(records[0])}
		}
	}
	if r.Err == nil {
		r.Kept, r.Difference = r.undo.Kept, r.undo.Compare()
		r.Shown = s.seal("back", []byte(r.undo.Path), r.undo.write.Old, r.undo.write.Content, fmt.Append(nil, r.Exact, r.Forced, r.Gone))
	}
	return r
}

// stuck reports whether entries, or all there are, cannot be put back.
func (u *Undo) stuck() bool { return u.Conflicts() || u.Nothing() }

// standing shows one file, without the way back; see Options.Hooked.
func (s *Screen) standing(f File, k known, hooked ...string) Standing {
	name := sha256.Sum256([]byte(f.Path))
	st := Standing{ID: f.Client.ID + "-" + hex.EncodeToString(name[:6]), Client: f.Client, Path: f.Path, file: f}
	planned := s.planFile(f, k, NewNames(k.servers, k.prints), nil, hooked...)
	if st.plan, st.Err = planned.Plan, planned.Err; st.Err != nil {
		st.State = FileBroken
		return st
	}
	st.Entries, st.State = st.plan.Entries, summary(st.plan.Entries)
	// A project's file is moved from within its folder, where its client would be.
	if moves := st.plan.Moves(); len(moves) > 0 && s.Program != "" && f.Project == "" {
		parts := [][]byte{[]byte(f.Path), []byte(f.Real), f.Content, st.plan.After, []byte(st.plan.Agent)}
		for _, e := range moves {
			parts = append(parts, []byte(e.ServerID), []byte(e.Server.Print()))
		}
		st.Move = &Proposal{Shown: s.seal("move", parts...), Difference: st.plan.Compare()}
	}
	return st
}

func summary(entries []Entry) FileState {
	has := func(state State) bool {
		return slices.ContainsFunc(entries, func(e Entry) bool { return e.State == state })
	}
	switch {
	case has(Direct) && has(Behind):
		return FilePartly
	case has(Direct):
		return FileDirect
	case has(Behind):
		return FileBehind
	case len(entries) > 0:
		return FileLeft
	}
	return FileEmpty
}

// seal names what is shown.
func (s *Screen) seal(kind string, parts ...[]byte) string {
	sum := hmac.New(sha256.New, s.Key)
	sum.Write([]byte(kind))
	for _, part := range parts {
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// find looks anew at one file.
func (s *Screen) find(ctx context.Context, id string) (Standing, known, error) {
	all, k, err := s.list(ctx)
	if err != nil {
		return Standing{}, k, err
	}
	i := slices.IndexFunc(all, func(st Standing) bool { return st.ID == id })
	if i < 0 {
		return Standing{}, k, permission.NotFound("file of a client")
	}
	return all[i], k, nil
}

// Planned gives what connecting one file would do, if that is still what was shown; else
// ErrChanged.
func (s *Screen) Planned(ctx context.Context, id, shown string) (*Survey, error) {
	st, k, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if st.Move == nil || st.Move.Shown != shown {
		return nil, ErrChanged
	}
	survey := &Survey{Files: []Planned{{File: st.file, Plan: st.plan}}, known: k}
	return survey, s.taken(survey.Files)
}

// Connect puts the entries of one file behind the desk, if that is still what was shown;
// else ErrChanged.
func (s *Screen) Connect(ctx context.Context, id, shown string) (Connected, error) {
	survey, err := s.Planned(ctx, id, shown)
	if err != nil {
		return Connected{}, err
	}
	w := s.only(survey.Files[0].File.Path)
	done, err := w.Move(ctx, survey)
	if err == nil && len(done.Files)+len(done.Left) == 0 { // what it needs is not there
		err = ErrChanged
	}
	return done, err
}

// Disconnect puts one file back, if that is still what was shown; else ErrChanged. ErrForce
// when it takes force and force is false. Nothing is done then.
func (s *Screen) Disconnect(ctx context.Context, id, shown string, force bool) (Disconnected, error) {
	st, _, err := s.find(ctx, id)
	switch {
	case err != nil:
		return Disconnected{}, err
	case st.Back == nil:
		return Disconnected{}, ErrChanged
	case st.Back.Err != nil:
		return Disconnected{}, st.Back.Err
	case st.Back.Shown != shown:
		return Disconnected{}, ErrChanged
	case st.Back.Forced && !force:
		return Disconnected{}, ErrForce
	}
	w := s.only(st.Path)
	return w.Restore(ctx, []Undoing{{Path: st.Path, Undo: st.Back.undo}})
}

// only is the wiring of one file.
func (s *Screen) only(path string) *Wiring {
	w := s.Wiring
	w.Wants = func(_, other string) bool { return other == path }
	return &w
}
