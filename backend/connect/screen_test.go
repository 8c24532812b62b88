package connect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/diff"
	"sekisho/backend/permission"
	"sekisho/backend/place"
)

// memoryDesk is a desk's servers and agents.
type memoryDesk struct {
	servers []Server
	agents  []permission.Agent
	removed []permission.AgentID
	tokens  map[string]bool
	refuse  string // an id that is not taken
	before  func() // called before a change
}

// Servers gives the list, with secrets.
func (d *memoryDesk) Servers(context.Context) ([]Server, error) { return d.servers, nil }

// ChangeServers changes the list.
func (d *memoryDesk) ChangeServers(_ context.Context, change func([]Server) ([]Server, []string, error)) error {
	if d.before != nil {
		d.before()
	}
	add, remove, err := change(slices.Clone(d.servers))
	if err != nil {
		return err
	}
	if slices.ContainsFunc(add, func(s Server) bool { return s.ID == d.refuse }) {
		return permission.Invalid("command", permission.FieldOther, "not this one")
	}
	d.servers = slices.DeleteFunc(append(slices.Clone(d.servers), add...), func(s Server) bool { return slices.Contains(remove, s.ID) })
	return nil
}

// Inherited names what servers get of the desk.
func (d *memoryDesk) Inherited(context.Context) ([]string, error) {
	return []string{"PATH", "HOME"}, nil
}

// Agents lists the agents.
func (d *memoryDesk) Agents(context.Context) ([]permission.Agent, error) { return d.agents, nil }

// RemovedAgents lists those that were.
func (d *memoryDesk) RemovedAgents(context.Context) ([]permission.AgentID, error) {
	return d.removed, nil
}

// replaceAgents removes all agents, and then makes one.
func (d *memoryDesk) replaceAgents(id permission.AgentID) {
	for _, a := range d.agents {
		d.removed = append(d.removed, a.ID)
	}
	clear(d.tokens)
	d.agents = []permission.Agent{{ID: id, Name: string(id)}}
}

// CreateAgent makes one.
func (d *memoryDesk) CreateAgent(_ context.Context, name string) (permission.Agent, string, error) {
	a := permission.Agent{ID: permission.AgentID(name), Name: name}
	d.agents, d.tokens["token of "+name] = append(d.agents, a), true
	return a, "token of " + name, nil
}

// Admits knows the tokens.
func (d *memoryDesk) Admits(_ context.Context, token string) bool { return d.tokens[token] }

// seat is a screen over a home folder of its own.
type seat struct {
	*testing.T
	Screen
	desk *memoryDesk
}

func sit(t *testing.T, files map[string]string) *seat {
	t.Helper()
	p := places()
	p.Home = t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(p.Home, ".config")) // of the agents' tokens
	d := &memoryDesk{tokens: map[string]bool{}}
	p.Environ = func() []string { return nil }
	s := &seat{t, Screen{Wiring{Vault: vault(t), Places: p, Program: program, Desk: d, LookPath: lookPath}, []byte("key")}, d}
	for name, text := range files {
		s.write(name, text)
	}
	return s
}

func (s *seat) write(name, text string) {
	s.Helper()
	path := filepath.Join(s.Places.Home, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o640)); err != nil {
		s.Fatal(err)
	}
}

func (s *seat) read(name string) string { return content(s.T, filepath.Join(s.Places.Home, name)) }

// one is the only file there is.
func (s *seat) one() Standing {
	s.Helper()
	all, err := s.List(s.Context())
	if err != nil || len(all) != 1 {
		s.Fatalf("%v, %d files", err, len(all))
	}
	return all[0]
}

func (s *seat) connect() Standing {
	s.Helper()
	st := s.one()
	if done, err := s.Connect(s.Context(), st.ID, st.Move.Shown); err != nil || len(done.Files) != 1 || len(done.Left) > 0 {
		s.Fatalf("%+v, %v", done, err)
	}
	return s.one()
}

const (
	cursorFile = ".cursor/mcp.json"
	cursorText = "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"command\": \"node\", \"args\": [\"a.js\"], \"env\": { \"KEY\": \"topsecret\" } },\r\n  },\n}"
)

func TestAScreenConnectsWhatItShows(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: cursorText})
	st := s.one()
	d := st.Move.Difference
	if st.State != FileDirect || st.Back != nil || st.Client.ID != "cursor" || len(st.Entries) != 1 || d.Added != 1 || d.Removed != 1 ||
		d.More > 0 || d.Cut {
		t.Fatalf("%+v", st)
	}
	var shown strings.Builder
	for _, l := range d.Lines {
		shown.WriteString(string(l.Kind) + " " + l.Text + string(l.Ending) + "\n")
	}
	for _, want := range []string{"same   // mine\n", `"KEY": "********" } },crlf`, "added ", "same }none\n"} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("%q is not shown:\n%s", want, &shown)
		}
	}
	if strings.Contains(shown.String(), "topsecret") {
		t.Errorf("a secret is shown:\n%s", &shown)
	}
	for id, seal := range map[string]string{st.ID: "", "cursor-0": st.Move.Shown} {
		if _, err := s.Connect(t.Context(), id, seal); !errors.Is(err, ErrChanged) && !errors.Is(err, permission.NotFound("")) {
			t.Errorf("%s %s: %v", id, seal, err)
		}
	}
	if s.read(cursorFile) != cursorText || len(s.desk.servers)+len(s.desk.agents) > 0 {
		t.Fatal("something was done without a yes to what was shown")
	}

	st = s.connect()
	if st.State != FileBehind || st.Move != nil || st.Back == nil || !st.Back.Exact || st.Back.Forced || st.Entries[0].ServerID != "a" {
		t.Errorf("%+v", st)
	}
	if len(s.desk.servers) != 1 || s.desk.servers[0].Env["KEY"] != "topsecret" || s.desk.servers[0].Command != "/usr/bin/node" ||
		s.desk.agents[0].Name != "cursor" {
		t.Errorf("on the desk: %+v %+v", s.desk.servers, s.desk.agents)
	}
	path, err := place.TokenFile("cursor")
	if err != nil || content(t, path) != "token of cursor\n" {
		t.Errorf("%s, %v", path, err)
	}
	done, err := s.Disconnect(t.Context(), st.ID, st.Back.Shown, false)
	if err != nil || !slices.Equal(done.Removed, []string{"a"}) || s.read(cursorFile) != cursorText || len(s.desk.servers) > 0 {
		t.Errorf("%+v %v\n%s", done, err, s.read(cursorFile))
	}
	if st = s.one(); st.State != FileDirect || st.Back != nil {
		t.Errorf("%+v", st)
	}
}

// TestEveryGoldenFileComesBack connects all clients' files one by one, and puts them back
// in the same order.
func TestEveryGoldenFileComesBack(t *testing.T) {
	s := sit(t, nil)
	texts := map[string]string{}
	for _, c := range Clients() {
		i := slices.IndexFunc(goldens, func(g golden) bool { return g.client == c.ID })
		paths := c.user(s.Places)
		if len(paths) == 0 {
			continue
		}
		path := paths[min(len(paths)-1, map[string]int{"opencode": 1}[c.ID])]
		name, err := filepath.Rel(s.Places.Home, path)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = content(t, filepath.Join("testdata", "golden", goldens[i].name))
		s.write(name, texts[name])
	}
	all, err := s.List(t.Context())
	if err != nil || len(all) != 9 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	for _, st := range all {
		if st.Move == nil {
			t.Fatalf("%s: nothing is to be moved: %+v", st.Path, st)
		}
		// Servers that came to the desk meanwhile may be the ones that this file has too.
		st = s.named(st.ID)
		if _, err := s.Connect(t.Context(), st.ID, st.Move.Shown); err != nil {
			t.Errorf("%s: %v", st.Path, err)
		}
	}
	for _, st := range all {
		if now := s.named(st.ID); now.Back == nil || !now.Back.Exact {
			t.Errorf("%s: %+v", st.Path, now.Back)
		} else if _, err := s.Disconnect(t.Context(), st.ID, now.Back.Shown, false); err != nil {
			t.Errorf("%s: %v", st.Path, err)
		}
	}
	for name, text := range texts {
		if s.read(name) != text {
			t.Errorf("%s:\n%s", name, diff.Unified("before", "after", text, s.read(name)))
		}
	}
	if len(s.desk.servers) > 0 {
		t.Errorf("left on the desk: %v", s.desk.servers)
	}
}

func (s *seat) named(id string) Standing {
	s.Helper()
	st, _, err := s.find(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	return st
}

// TestAScreenRefusesWhatChanged: the file, or the desk's list, is another than was shown.
func TestAScreenRefusesWhatChanged(t *testing.T) {
	other := strings.Replace(cursorText, "mine", "MINE", 1)
	for name, change := range map[string]func(s *seat){
		"file": func(s *seat) { s.write(cursorFile, other) },
		"desk": func(s *seat) {
			s.desk.servers = []Server{{ID: "a", Transport: Stdio, Command: "/bin/else", Enabled: true}}
		},
		"file, while it is done": func(s *seat) { s.desk.before = func() { s.write(cursorFile, other) } },
	} {
		s := sit(t, map[string]string{cursorFile: cursorText})
		st := s.one()
		change(s)
		servers := len(s.desk.servers)
		_, err := s.Connect(t.Context(), st.ID, st.Move.Shown)
		if got := s.read(cursorFile); !errors.Is(err, ErrChanged) || got != cursorText && got != other || len(s.desk.servers) != servers {
			t.Errorf("%s: %v, servers %v\n%s", name, err, s.desk.servers, got)
		}
	}
	s := sit(t, map[string]string{cursorFile: cursorText})
	st := s.connect()
	changed := strings.Replace(s.read(cursorFile), "mine", "MINE", 1)
	s.write(cursorFile, changed)
	if _, err := s.Disconnect(t.Context(), st.ID, st.Back.Shown, true); !errors.Is(err, ErrChanged) || s.read(cursorFile) != changed {
		t.Errorf("%v\n%s", err, s.read(cursorFile))
	}
}

// TestAScreenKeepsOtherChanges shows both sides of a file that was changed since.
func TestAScreenKeepsOtherChanges(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: cursorText})
	s.connect()
	s.write(cursorFile, strings.Replace(s.read(cursorFile), "mine", "MINE", 1))
	b := s.one().Back
	if b.Exact || b.Forced || len(b.Theirs.Lines) != 0 || b.Others != 2 || b.Difference.Added != 1 || len(b.Entries) != 1 ||
		b.Entries[0].Outcome != Back {
		t.Fatalf("%+v", b)
	}
	if _, err := s.Disconnect(t.Context(), s.one().ID, b.Shown, false); err != nil ||
		s.read(cursorFile) != strings.Replace(cursorText, "mine", "MINE", 1) {
		t.Errorf("%v\n%s", err, s.read(cursorFile))
	}
}

// TestAScreenForcesOnlyWhenTold: connecting's own part was changed, or the file is gone.
func TestAScreenForcesOnlyWhenTold(t *testing.T) {
	for name, change := range map[string]func(s *seat){
		"changed": func(s *seat) {
			s.write(cursorFile, strings.Replace(s.read(cursorFile), `"--server", "a"`, `"--server", "b"`, 1))
		},
		"gone": func(s *seat) {
			if err := os.Remove(filepath.Join(s.Places.Home, cursorFile)); err != nil {
				s.Fatal(err)
			}
		},
	} {
		s := sit(t, map[string]string{cursorFile: cursorText})
		s.connect()
		change(s)
		st := s.one()
		b := st.Back
		if !b.Forced || b.Err != nil || b.Gone != (name == "gone") || b.Difference.Removed == 0 || (st.State == FileBroken) != b.Gone {
			t.Fatalf("%s: %+v %+v", name, st, b)
		}
		was, _ := os.ReadFile(st.Path)
		if _, err := s.Disconnect(t.Context(), st.ID, b.Shown, false); !errors.Is(err, ErrForce) {
			t.Errorf("%s: %v", name, err)
		}
		if now, _ := os.ReadFile(st.Path); string(now) != string(was) {
			t.Errorf("%s: it was written:\n%s", name, now)
		}
		if _, err := s.Disconnect(t.Context(), st.ID, b.Shown, true); err != nil || s.read(cursorFile) != cursorText {
			t.Errorf("%s: %v\n%s", name, err, s.read(cursorFile))
		}
	}
}

func TestAScreenSumsUp(t *testing.T) {
	const direct, behind, left = `"a":{"command":"node"}`, `"b":{"command":"sekisho","args":["mcp","--server","b"]}`, `"c":{}`
	for text, want := range map[string]FileState{
		direct: FileDirect, direct + "," + behind: FilePartly, behind: FileBehind, behind + "," + left: FileBehind, left: FileLeft,
		direct + "," + left: FileDirect, "": FileEmpty, "?": FileBroken,
	} {
		s := sit(t, map[string]string{cursorFile: `{"mcpServers":{` + text + `}}`})
		st := s.one()
		if st.State != want || (st.Err != nil) != (want == FileBroken) || (st.Move != nil) != (want == FileDirect || want == FilePartly) {
			t.Errorf("%s: %+v", text, st)
		}
	}
	s := sit(t, map[string]string{cursorFile: cursorText})
	if s.Program, s.Vault = "", nil; s.one().Move != nil {
		t.Error("without the program something could be moved")
	}
}

// TestAScreenSaysWhatTheDeskRefuses: the entry stays, the others are moved.
func TestAScreenSaysWhatTheDeskRefuses(t *testing.T) {
	s := sit(t, map[string]string{cursorFile: strings.Replace(cursorText, `"a":`, `"bad": { "command": "ls" }, "a":`, 1)})
	s.desk.refuse = "bad"
	st := s.one()
	done, err := s.Connect(t.Context(), st.ID, st.Move.Shown)
	if err != nil || len(done.Left) != 1 || done.Left[0].Key != "bad" || len(done.Files) != 1 || len(done.Files[0].Plan.Moves()) != 1 {
		t.Errorf("%+v %v", done, err)
	}
	if got := s.read(cursorFile); !strings.Contains(got, `"bad": { "command": "ls" }`) || len(s.desk.servers) != 1 {
		t.Errorf("%v\n%s", s.desk.servers, got)
	}
}

// TestAProjectsFileIsPutBack: a file that sekisho connected in a project's folder is
// listed, and can be put back from anywhere.
func TestAProjectsFileIsPutBack(t *testing.T) {
	const name = "shop/.cursor/mcp.json"
	s := sit(t, map[string]string{name: cursorText})
	w := s.Wiring
	w.Places.Cwd = filepath.Join(s.Places.Home, "shop")
	shown, err := w.Survey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Move(t.Context(), shown); err != nil {
		t.Fatal(err)
	}
	st := s.one()
	if st.State != FileBehind || st.Back == nil || !strings.HasSuffix(st.Path, name) {
		t.Fatalf("%+v", st)
	}
	was := s.read(name)
	s.write(name, strings.Replace(was, `"mcpServers": {`, `"mcpServers": { "b": { "command": "ls" },`, 1))
	if more := s.one(); more.State != FilePartly || more.Move != nil {
		t.Errorf("%+v", more)
	}
	s.write(name, was)
	if _, err := s.Disconnect(t.Context(), st.ID, st.Back.Shown, false); err != nil || s.read(name) != cursorText {
		t.Errorf("%v\n%s", err, s.read(name))
	}
}

func TestADifferenceIsBounded(t *testing.T) {
	long := strings.Repeat("x\n", diff.MaxLines+10)
	if d := (sides{"", long}).compare(); len(d.Lines) != diff.MaxLines || d.More != 10 || d.Added != diff.MaxLines+10 {
		t.Errorf("%d lines, %d more, %d added", len(d.Lines), d.More, d.Added)
	}
	if d := (sides{"", strings.Repeat("é", maxLine)}).compare(); !d.Cut || len(d.Lines[0].Text) > maxLine+3 {
		t.Errorf("cut %t, %d bytes", d.Cut, len(d.Lines[0].Text))
	}
	if d := (sides{"a\n" + strings.Repeat("x\n", 20) + "b\n", "A\n" + strings.Repeat("x\n", 20) + "B\n"}).compare(); len(d.Lines) != 11 ||
		d.Lines[5].Kind != permission.LineGap || d.Lines[5].Count != 14 || d.Lines[10].New != 22 {
		t.Errorf("%+v", d.Lines)
	}
	if d := (sides{"a", "a"}).compare(); len(d.Lines) > 0 {
		t.Errorf("%+v", d)
	}
}
