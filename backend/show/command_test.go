package show

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"sekisho/backend/cputime"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

var update = flag.Bool("update", false, "write the expected parts anew")

// waits is a waiter as New makes it.
func waits() waiter { return waiter{context.Background(), make(chan struct{}, hands), patience} }

// written is a command's parts as testdata has them: a line for each of its lines.
func written(look *permission.CommandLook) string {
	var b strings.Builder
	if !look.Parsed {
		fmt.Fprintln(&b, "not parsed:", look.Error)
	}
	for _, line := range look.Lines {
		for i, p := range line {
			if i > 0 {
				b.WriteString("  ")
			}
			if p.Kind == permission.PieceBlank {
				fmt.Fprintf(&b, "%q", p.Text)
			} else {
				fmt.Fprintf(&b, "%s:%s", p.Kind, strings.ReplaceAll(p.Text, "\n", "⏎"))
			}
		}
		b.WriteByte('\n')
	}
	if len(look.Programs) > 0 {
		b.WriteString("=")
	}
	for _, p := range look.Programs {
		path := "?"
		if p.Path != nil {
			path = *p.Path
		}
		fmt.Fprintf(&b, " %s=%s", strings.ReplaceAll(p.Word, "\n", "⏎"), path)
	}
	return b.String() + "\n"
}

// TestCommands holds testdata/commands.txtar: a command, or a whole input, and its
// parts. /bin is a folder with ls and rm, and /work the folder.
func TestCommands(t *testing.T) {
	const name = "testdata/commands.txtar"
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	bin, work := t.TempDir(), t.TempDir()
	for _, program := range []string{bin + "/ls", bin + "/rm", work + "/run.sh"} {
		if err := os.WriteFile(program, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	places := strings.NewReplacer("{bin}", bin, "{work}", work)
	names := strings.NewReplacer(bin, "{bin}", work, "{work}")
	for i := 0; i+1 < len(archive.Files); i += 2 {
		in, want := archive.Files[i], archive.Files[i+1]
		t.Run(strings.TrimSuffix(in.Name, filepath.Ext(in.Name)), func(t *testing.T) {
			given := places.Replace(strings.TrimSuffix(string(in.Data), "\n"))
			input := []byte(given)
			if strings.HasSuffix(in.Name, ".sh") {
				input = rawjson.AppendString([]byte(`{"command":`), given)
				input = append(input, '}')
			}
			members, err := rawjson.Members(input)
			if err != nil {
				t.Fatal(err)
			}
			c := permission.Call{Cwd: &work, ToolName: "run"}
			look := lookAtCommand(waits(), &c, members, home{here: true}, bin)
			got := "none\n"
			if look != nil {
				checkWhole(t, look)
				got = names.Replace(written(look))
			}
			if *update {
				archive.Files[i+1] = txtar.File{Name: strings.TrimSuffix(in.Name, filepath.Ext(in.Name)) + ".parts", Data: []byte(got)}
			} else if got != string(want.Data) {
				t.Errorf("got\n%swant\n%s", got, want.Data)
			}
		})
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkWhole wants the pieces to be the text, and each a text of its own.
func checkWhole(t *testing.T, look *permission.CommandLook) {
	t.Helper()
	var all strings.Builder
	for _, line := range look.Lines {
		if len(line) == 0 {
			t.Error("an empty line")
		}
		for _, p := range line {
			if p.Text == "" && !look.Argv || p.Kind == "" || !utf8.ValidString(p.Text) {
				t.Errorf("piece %q of kind %q", p.Text, p.Kind)
			}
			all.WriteString(p.Text)
		}
	}
	if all.String() != look.Text {
		t.Errorf("the pieces are %q\nand the text is %q", all.String(), look.Text)
	}
}

func commandOf(t *testing.T, input string, h home, cwd string) *permission.CommandLook {
	t.Helper()
	members, err := rawjson.Members([]byte(input))
	if err != nil {
		t.Fatal(err)
	}
	return lookAtCommand(waits(), &permission.Call{Cwd: &cwd, ToolName: "run"}, members, h, "/nowhere")
}

func TestFolderOfACommand(t *testing.T) {
	server := &permission.Server{ID: "s", Cwd: "/srv"}
	for _, c := range []struct {
		input, cwd string
		h          home
		want       string
	}{
		{`{"command":"ls"}`, "/call", home{here: true}, "/call"},
		{`{"command":"ls"}`, "/call", home{here: true, server: server}, "/call"},
		{`{"command":"ls"}`, "rel", home{here: true, server: server}, "/srv"},
		{`{"command":"ls"}`, "", home{here: true}, ""},
		{`{"command":"ls"}`, "", home{here: true, server: &permission.Server{Cwd: "rel"}}, ""},
		{`{"command":"ls","cwd":"/in"}`, "/call", home{here: true}, "/in"},
		{`{"command":"ls","workdir":"sub/.."}`, "/call", home{here: true}, "/call/sub/.."},
		{`{"command":"ls","workdir":null}`, "/call", home{here: true}, "/call"},
		{`{"command":"ls","working_directory":"sub"}`, "", home{here: true}, ""},
		{`{"command":"ls","cwd":"~"}`, "/call", home{here: true}, ""},
		{`{"command":"ls","cwd":""}`, "/call", home{here: true}, ""},
		{`{"command":"ls","cwd":7}`, "/call", home{here: true}, ""},
		{`{"command":"ls","cwd":"/a","workdir":"/b"}`, "/call", home{here: true}, ""},
	} {
		if got := commandOf(t, c.input, c.h, c.cwd).Cwd; got != c.want {
			t.Errorf("%s in %q: %q, want %q", c.input, c.cwd, got, c.want)
		}
	}
}

func TestProgramsOfAnotherMachineAreNotLookedFor(t *testing.T) {
	look := commandOf(t, `{"command":"/bin/sh -c ls"}`, home{}, "/")
	if !look.Parsed || len(look.Programs) != 0 || look.Programs == nil {
		t.Errorf("%+v", look)
	}
	if look = commandOf(t, `{"command":"/bin/sh -c ls"}`, home{here: true}, "/"); len(look.Programs) != 1 || look.Programs[0].Path == nil {
		t.Errorf("%+v", look)
	}
}

func TestPathsOfPrograms(t *testing.T) {
	dir := t.TempDir()
	first, second, work := filepath.Join(dir, "first"), filepath.Join(dir, "second"), filepath.Join(dir, "work")
	for _, d := range []string{first, second, filepath.Join(work, "bin"), filepath.Join(first, "folder")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, mode := range map[string]os.FileMode{first + "/plain": 0o644, second + "/plain": 0o755, second + "/folder": 0o755,
		second + "/tool": 0o755, work + "/bin/tool": 0o755} {
		if err := os.WriteFile(file, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{first + "/link": second + "/tool", first + "/dangling": "nothing",
		first + "/relative": "../second/tool", first + "/loop": "loop"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	both := first + ":" + second
	for _, c := range []struct{ word, path, cwd, want string }{
		{"tool", both, work, second + "/tool"},
		{"plain", both, work, second + "/plain"}, // the first one cannot be started
		{"folder", both, work, second + "/folder"},
		{"link", both, work, second + "/tool"},
		{"relative", both, work, second + "/tool"},
		{"dangling", both, work, ""}, {"loop", both, work, ""}, {"missing", both, work, ""}, {"tool", "", work, ""}, {"", both, work, ""},
		{"..", both, work, ""},
		{"bin/tool", both, work, work + "/bin/tool"},
		{"./bin/../bin/tool", both, work, work + "/bin/tool"},
		{"bin/tool", both, "", ""},
		{first + "/link", "", "", second + "/tool"},
		{first + "/plain", both, "", ""},
		{"tool", "bin:" + both, work, work + "/bin/tool"},
		{"tool", "bin:" + both, "", ""}, // which of them is not known
		{"tool", both + ":bin", "", second + "/tool"},
		{"tool", ":" + both, work + "/bin", work + "/bin/tool"},
	} {
		got := ""
		if p := (searcher{path: c.path, cwd: c.cwd, shell: true}).find(c.word); p != nil {
			got = *p
		}
		if got != c.want {
			t.Errorf("%s in %s by %q: %q, want %q", c.word, c.cwd, c.path, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		h       home
		want    string
		foreign bool
	}{
		"a server's own PATH":  {home{server: &permission.Server{Env: map[string]string{"PATH": second}}}, second, false},
		"a server without one": {home{server: &permission.Server{}}, first, false},
		"an agent's program":   {home{}, first, true},
	} {
		if got, foreign := c.h.searchPath(first); got != c.want || foreign != c.foreign {
			t.Errorf("%s: %s, foreign %v", name, got, foreign)
		}
	}
}

// distinct is a command of n programs.
func distinct(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "a%d;", i)
	}
	return text.String()
}

// What is left out of a list of programs is counted.
func TestProgramsThatAreLeftOut(t *testing.T) {
	for n, more := range map[int]int{maxPrograms - 1: 0, maxPrograms: 0, maxPrograms + 1: 1, 3 * maxPrograms: 2 * maxPrograms} {
		look := commandOf(t, `{"command":"`+distinct(n)+distinct(n)+`"}`, home{here: true}, "/")
		if look.More != more || len(look.Programs) != min(n, maxPrograms) {
			t.Errorf("%d programs: %d and %d more", n, len(look.Programs), look.More)
		}
	}
}

// Whose PATH a name was looked for in is said.
func TestTheDesksPathIsSaidToBeItsOwn(t *testing.T) {
	for want, h := range map[bool]home{true: {here: true}, false: {here: true, server: &permission.Server{}}} {
		if look := commandOf(t, `{"command":"ls"}`, h, "/"); look.DeskPath != want {
			t.Errorf("server %v: %v", h.server, look.DeskPath)
		}
	}
	if commandOf(t, `{"command":"ls"}`, home{}, "/").DeskPath {
		t.Error("nothing was looked for")
	}
}

// Hostile commands cost little, and none is cut.
func TestHugeCommands(t *testing.T) {
	for name, text := range map[string]string{
		"10 MB of one line": strings.Repeat("a", 10<<20), "10 MB of lines": strings.Repeat("\n", 10<<20),
		"commands": strings.Repeat("a;", 32<<10),
		"programs": "true" + strings.Repeat("; a$RANDOM", 6000), "open": strings.Repeat("(", 64<<10),
		"nested": "echo " + strings.Repeat("\"$(a ", 900) + strings.Repeat(")\"", 900),
		"time":   strings.Repeat("time ", 13_000), "index": strings.Repeat("a[", 32<<10), "here": strings.Repeat("cat <<E\n", 8000),
		"backquotes":    strings.Repeat("`a ", 20_000),
		"many programs": distinct(1500), "brackets": strings.Repeat("{ ", 32<<10), "emoji": strings.Repeat("😀;", 10_000),
	} {
		start := cputime.Now()
		input := append(rawjson.AppendString([]byte(`{"command":`), text), '}')
		members, err := rawjson.Members(input)
		if err != nil {
			t.Fatal(err)
		}
		look := lookAtCommand(waits(), &permission.Call{}, members, home{here: true}, "/bin")
		took := cputime.Since(start)
		checkWhole(t, look)
		if look.Text != text || len(look.Lines) > 1<<16 || len(look.Programs) > maxPrograms || (look.More > 0) != (name == "many programs") {
			t.Errorf("%s: %d bytes, %d lines, %d programs", name, len(look.Text), len(look.Lines), len(look.Programs))
		}
		if took > 20*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		t.Log(name, took, look.Parsed)
	}
}

func FuzzCommand(f *testing.F) {
	for _, seed := range []string{"", "ls -la /tmp", "a && b || c; d | e & f", "cat <<EOF\nx $y\nEOF\nls",
		"echo \"a $(b 'c') d\" `e` ${f:-$(g)} $((1+2))", "if a; then b; fi",
		"case x in a|b) c;; esac", "a=1 b=(2 3) c", "x() { y; }", "a \\\n b # c", "\xff\xfe", "é=ü\u202e", "[[ a && b ]]",
		"a <<A <<B\n1\nA\n2\nB", "!", "$", "\"", "a\r\nb", "((i++))", "{a,b}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // no input holds it
		}
		input := append(rawjson.AppendString([]byte(`{"command":`), text), '}')
		members, err := rawjson.Members(input)
		if err != nil {
			t.Fatal(err)
		}
		start := cputime.Now()
		look := lookAtCommand(waits(), &permission.Call{}, members, home{}, "")
		if took := cputime.Since(start); took > 20*time.Second {
			t.Errorf("took %v", took)
		}
		if look == nil || look.Text != text {
			t.Fatalf("%q became %+v", text, look)
		}
		checkWhole(t, look)
		if !look.Parsed && (look.Error == "" || len(look.Lines) > maxPieces) {
			t.Errorf("%q: %q, %d lines", text, look.Error, len(look.Lines))
		}
	})
}
