//go:build unix

package show

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sekisho/backend/diff"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// within fails a test that does not come back.
func within(t *testing.T, limit time.Duration, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("%s: no answer within %v", what, limit)
	}
}

func TestLinksAreFollowed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.MkdirAll(dir+"/real/deep", 0o755))
	save(t, dir+"/real/f", "a\n")
	save(t, dir+"/f", "other\n")
	for link, target := range map[string]string{
		"absolute": dir + "/real/f", "relative": "real/f", "chain": "relative", "folder": "real", "into": "real/deep", "dangling": "real/new",
		"deepdangling": "none/new",
		"up":           "../" + filepath.Base(dir) + "/real/f", "loop1": "loop2", "loop2": "loop1", "self": "self", "root": "/", "dot": ".",
	} {
		must(t, os.Symlink(target, dir+"/"+link))
	}
	for path, want := range map[string]string{
		"absolute": "real/f changed", "relative": "real/f changed", "chain": "real/f changed", "folder/f": "real/f changed",
		"up": "real/f changed", "dot/./dot//real/f": "real/f changed",
		"dangling": "real/new new", "deepdangling": "none/new new", "folder/x/y": "real/x/y new", "into/x": "real/deep/x new",
		// a link to a neighbour leads back to the same folder
		"real/../f": "f changed", "real/deep/../f": "real/f changed", "folder/../f": "f changed",
		"into/../f": " unclear dots", "root" + dir + "/real/f": "real/f changed", "root/../f": " unclear dots",
		"loop1": " unreadable links", "self/f": " unreadable links", "none/../f": " unclear dots",
	} {
		look := fileOf(t, glass(), "w", writing(path, "b\n"), dir, home{here: true})
		got := strings.TrimPrefix(look.Resolved, dir+"/") + " " + string(look.State)
		if look.Code != "" {
			got += " " + look.Code
		}
		if got != want {
			t.Errorf("%s: %s (%s), want %s", path, got, look.Reason, want)
		}
	}
	long := dir + "/links"
	must(t, os.Mkdir(long, 0o755))
	save(t, long+"/0", "a\n")
	for i := 1; i <= 41; i++ {
		must(t, os.Symlink(fmt.Sprint(i-1), fmt.Sprintf("%s/%d", long, i)))
	}
	for name, want := range map[string]permission.FileState{"/40": permission.FileChanged, "/41": permission.FileUnreadable} {
		if look := fileOf(t, glass(), "w", writing(long+name, "b\n"), dir, home{here: true}); look.State != want {
			t.Errorf("%s: %s %s", name, look.State, look.Reason)
		}
		if _, err := os.ReadFile(long + name); (err == nil) != (want == permission.FileChanged) {
			t.Errorf("%s: the kernel says %v", name, err)
		}
	}
}

// What is no file of a disk is not opened: that alone can block, set something off, or
// be heard.
func TestOddFilesAreNotOpened(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/folder", 0o755))
	must(t, syscall.Mkfifo(dir+"/pipe", 0o644))
	socket, err := net.Listen("unix", dir+"/socket")
	must(t, err)
	defer socket.Close()
	must(t, os.Symlink("pipe", dir+"/link"))
	odd := map[string]string{dir + "/folder": "folder", dir + "/pipe": "special", dir + "/link": "special", dir + "/socket": "special",
		"/dev/null": "special", "/dev/zero": "special", "/dev/tty": "special", "/dev/random": "special", "/dev": "folder"}
	if runtime.GOOS == "linux" {
		for _, path := range []string{"/proc/self/mem", "/proc/self/environ", "/proc/kmsg", "/proc/sys/kernel/ostype",
			"/sys/kernel/uevent_seqnum", "/sys/fs/cgroup/cgroup.procs"} {
			if _, err := os.Lstat(path); err == nil {
				odd[path] = "kernel"
			}
		}
	}
	opened := make(chan error, 1)
	go func() { // whoever waits at the pipe goes on waiting
		f, err := os.OpenFile(dir+"/pipe", os.O_WRONLY, 0)
		opened <- err
		if err == nil {
			f.Close()
		}
	}()
	for path, code := range odd {
		within(t, 10*time.Second, path, func() {
			look := fileOf(t, glass(), "w", writing(path, "x"), dir, home{here: true})
			if look.State != permission.FileNotAFile || look.Code != code || len(look.Lines) > 0 || look.Version == "" {
				t.Errorf("%s: %+v", path, look)
			}
		})
	}
	select {
	case err := <-opened:
		t.Errorf("the pipe was opened: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	reader, err := os.OpenFile(dir+"/pipe", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	must(t, err)
	defer reader.Close()
	must(t, <-opened)
}

func TestLargeFiles(t *testing.T) {
	dir := t.TempDir()
	sparse, err := os.Create(dir + "/sparse")
	must(t, err)
	must(t, sparse.Truncate(1<<40))
	must(t, sparse.Close())
	full := strings.Repeat("0123456789abcde\n", maxText/16)
	save(t, dir+"/full", full)
	save(t, dir+"/over", full+"x")
	for _, c := range []struct {
		path, content string
		state         permission.FileState
		size          int64
	}{
		{"sparse", "x", permission.FileTooLarge, 1 << 40}, {"over", "x", permission.FileTooLarge, maxText + 1},
		{"over", full + "x", permission.FileTooLarge, maxText + 1},
		{"full", "x", permission.FileChanged, maxText}, {"full", full, permission.FileSame, maxText},
		{"full", full + "x", permission.FileTooLarge, maxText},
		{"new", full, permission.FileNew, 0}, {"new", full + "x", permission.FileTooLarge, 0},
		{"new", strings.Repeat("\x01", 3*maxText), permission.FileTooLarge, 0},
	} {
		within(t, 20*time.Second, c.path, func() {
			look := fileOf(t, glass(), "w", writing(c.path, c.content), dir, home{here: true})
			if look.State != c.state || look.Size != c.size || look.Version == "" || look.Resolved == "" {
				t.Errorf("%s with %d bytes: %s %s, %d bytes", c.path, len(c.content), look.State, look.Reason, look.Size)
			}
			if len(look.Lines) > diff.MaxLines+1 {
				t.Errorf("%s: %d lines", c.path, len(look.Lines))
			}
		})
	}
	edit := `{"path":"full","old_string":"0","new_string":"` + strings.Repeat("00", 4000) + `","replace_all":true}`
	if look := fileOf(t, glass(), "w", edit, dir, home{here: true}); look.State != permission.FileTooLarge {
		t.Errorf("growing by edits: %s %s", look.State, look.Reason)
	}
}

// A file that grows while it is read is shown as it was at one moment, or not at all.
// Linux tells of a write page by page, so the last line may be cut where a page ends.
func TestGrowingFile(t *testing.T) {
	path := t.TempDir() + "/log"
	stop, stopped := make(chan struct{}), make(chan struct{})
	save(t, path, "")
	go func() {
		defer close(stopped)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		for err == nil {
			select {
			case <-stop:
				f.Close()
				return
			default:
				_, err = f.WriteString("line\n")
			}
		}
	}()
	g := glass()
	for range 30 {
		within(t, 10*time.Second, path, func() {
			look := fileOf(t, g, "w", writing(path, ""), "/", home{here: true})
			switch {
			case look.State == permission.FileChanged && int64(look.Removed) == (look.Size+4)/5 && (look.Size%5 == 0 || look.Size%4096 == 0):
			case look.State == permission.FileSame && look.Size == 0:
			case look.State == permission.FileUnclear && look.Code == "changing", look.State == permission.FileTooLarge:
			default:
				t.Errorf("%s %s: %d bytes, %d lines", look.State, look.Code, look.Size, look.Removed)
			}
		})
	}
	close(stop)
	<-stopped
}

func TestFilesThatMayNotBeRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := t.TempDir()
	save(t, dir+"/f", "a")
	must(t, os.Chmod(dir+"/f", 0))
	must(t, os.Mkdir(dir+"/closed", 0))
	for _, path := range []string{dir + "/f", dir + "/closed/f"} {
		if look := fileOf(t, glass(), "w", writing(path, "x"), "/", home{here: true}); look.State != permission.FileUnreadable ||
			look.Code != "forbidden" {
			t.Errorf("%s: %+v", path, look)
		}
	}
}

func TestErrorsOfADiskHaveWords(t *testing.T) {
	for err, code := range map[error]string{
		os.ErrPermission: "forbidden", syscall.EACCES: "forbidden", syscall.ELOOP: "links", syscall.ENOTDIR: "no_folder",
		syscall.ENAMETOOLONG: "odd_path", syscall.EIO: "error",
	} {
		d := because(&os.PathError{Op: "open", Path: "/secret", Err: err})
		if d.code != code || d.reason == "" || strings.Contains(d.reason, "/secret") {
			t.Errorf("%v: %+v", err, d)
		}
	}
}

// The version is another one after each change, and the same one without.
func TestVersion(t *testing.T) {
	dir := t.TempDir()
	path := dir + "/f"
	look := func() string {
		t.Helper()
		got := fileOf(t, glass(), "w", writing(path, "x"), "/", home{here: true})
		if again := fileOf(t, glass(), "w", writing(path, "another"), "/", home{here: true}); again.Version != got.Version || got.Version == "" {
			t.Errorf("versions %q and %q of one file", got.Version, again.Version)
		}
		return got.Version
	}
	old := time.Unix(1_700_000_000, 0)
	large := strings.Repeat("a", maxText+1)
	seen := map[string]string{}
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"missing", func() {}},
		{"made", func() { save(t, path, "a"); must(t, os.Chtimes(path, old, old)) }},
		{"as long, and as old", func() { save(t, path, "b"); must(t, os.Chtimes(path, old, old)) }},
		{"large", func() { save(t, path, large); must(t, os.Chtimes(path, old, old)) }},
		{"as large, and as old", func() { save(t, path, "b"+large[1:]); must(t, os.Chtimes(path, old, old)) }},
		{"a link to the like", func() {
			must(t, os.Remove(path))
			save(t, dir+"/g", "b")
			must(t, os.Symlink("g", path))
		}},
		{"a folder", func() { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o755)) }},
		{"a link to itself", func() { must(t, os.Remove(path)); must(t, os.Symlink("f", path)) }},
		{"a link into what is no folder", func() { must(t, os.Remove(path)); must(t, os.Symlink("g/x", path)) }},
		{"a link out of what is not there", func() { must(t, os.Remove(path)); must(t, os.Symlink("none/../g", path)) }},
	} {
		step.do()
		got := look()
		if other, was := seen[got]; was {
			t.Errorf("%s has the version of %s", step.name, other)
		}
		seen[got] = step.name
	}
	must(t, os.Remove(path))
	save(t, path, "a")
	if seen[look()] != "made" {
		t.Error("the same text has another version")
	}
}

func TestNamesThatLookTheSame(t *testing.T) {
	dir := t.TempDir()
	save(t, dir+"/cafe\u0301.txt", "a\n")
	for path, code := range map[string]string{"caf\u00e9.txt": "lookalike", "cafe\u0301.txt": "", "caf\u00e8.txt": "", "cafe.txt": "",
		"caf\u00e9.txt/x": "lookalike"} {
		look := fileOf(t, glass(), "w", writing(path, "b\n"), dir, home{here: true})
		if look.Code != code || (code != "") != (look.State == permission.FileUnclear) {
			t.Errorf("%+q: %s %s", path, look.State, look.Reason)
		}
	}
	for i := range maxNames {
		save(t, fmt.Sprint(dir, "/", i), "")
	}
	if look := fileOf(t, glass(), "w", writing("\u00e9", "b\n"), dir, home{here: true}); look.Code != "lookalike" {
		t.Errorf("in a large folder: %s %s", look.State, look.Reason)
	}
}

// The three signs of ASCII that others are composed to are found by their other spelling.
func TestNamesOfASCIIThatLookTheSame(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if plain := norm.NFC.String(string(r)); utf8.ValidRune(r) && plain[0] < 0x80 && len(plain) == 1 && !strings.Contains(respelled, plain) {
			t.Errorf("%U is composed to %q", r, plain)
		}
	}
	dir := t.TempDir()
	for i, r := range []rune{'\u212a', '\u037e', '\u1fef'} {
		save(t, dir+"/a"+string(r), "a\n")
		if look := fileOf(t, glass(), "w", writing("a"+respelled[i:i+1], "b\n"), dir, home{here: true}); look.Code != "lookalike" {
			t.Errorf("%U: %s %s", r, look.State, look.Reason)
		}
	}
}

// A folder that no system takes is none, however long: each name of it would be asked for.
func TestFoldersThatNoSystemTakes(t *testing.T) {
	for name, cwd := range map[string]string{"long": "/" + strings.Repeat("../", 1<<20), "NUL": "/\u0000",
		"with the path": "/" + strings.Repeat("x/", maxPath/2-1)} {
		input := string(rawjson.AppendString([]byte(`{"path":"f/g","content":"x","command":"./run","cwd":`), cwd)) + "}"
		within(t, 20*time.Second, name, func() {
			look := fileOf(t, glass(), "w", strings.Replace(input, `,"command":"./run"`, "", 1), "/", home{here: true})
			if want := map[string]string{"with the path": "odd_path"}[name]; look.State != permission.FileUnclear || want != "" &&
				look.Code != want || look.Resolved != "" {
				t.Errorf("%s: %s %s", name, look.State, look.Reason)
			}
		})
		if cwd := commandOf(t, input, home{here: true}, "/").Cwd; name != "with the path" && cwd != "" {
			t.Errorf("%s: %d bytes of folder", name, len(cwd))
		}
	}
}

func TestFoldersOfAServer(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/own/inner", 0o755))
	save(t, dir+"/f", "a\n")
	in := writing("f", "b\n")
	homed := map[string]string{"HOME": dir}
	for _, c := range []struct {
		server *permission.Server
		cwd    string
		want   string // the code
	}{
		{&permission.Server{Cwd: dir}, "", ""},
		{&permission.Server{Cwd: dir, Args: []string{"-y", "server", "/dev/null", dir + "/f", "--root=server", "--root=", "=", "."}}, "", ""},
		{&permission.Server{Cwd: dir, Args: []string{"-y", "server", "own"}}, "", "relative"},
		{&permission.Server{Cwd: dir, Args: []string{"own/../own/inner"}}, "", "relative"},
		{&permission.Server{Cwd: dir + "/own", Args: []string{".."}}, "", "relative"},
		// as the server reads it
		{&permission.Server{Cwd: dir + "/own", Args: []string{"inner"}}, dir, "relative"},
		{&permission.Server{Args: []string{"testdata"}}, dir, "relative"},
		{&permission.Server{Cwd: dir, Args: []string{"--root=" + dir + "/own"}}, "", "relative"},
		{&permission.Server{Cwd: dir, Args: []string{"--root=own"}}, "", "relative"},
		{&permission.Server{Cwd: dir, Args: []string{"--root=~/own"}, Env: homed}, "", "relative"},
		{&permission.Server{Cwd: dir, Args: []string{"~/own"}, Env: homed}, "", "relative"},
		{&permission.Server{Cwd: dir, Args: []string{"~"}}, "", "relative"},
		{&permission.Server{Cwd: dir, Args: []string{"~", "~/", "~/other", "~own"}, Env: homed}, "", ""},
		{&permission.Server{Cwd: dir, Args: []string{"~/own"}, Env: map[string]string{"HOME": ""}}, "", ""},
		{&permission.Server{Cwd: dir, Args: []string{dir + "/"}}, "", ""},
		{&permission.Server{Cwd: dir, Args: []string{dir + "/own"}}, "", "relative"},
		{&permission.Server{Args: []string{dir}}, "", "relative"},
		{&permission.Server{Args: []string{dir}}, dir, ""},
		{&permission.Server{}, "", "relative"}, {&permission.Server{Cwd: "own"}, "", "relative"}, {nil, "", "relative"}, {nil, "own", "relative"},
		{nil, dir, ""},
	} {
		look := fileOf(t, glass(), "w", in, c.cwd, home{here: true, server: c.server})
		if look.Code != c.want || c.want == "" && look.Resolved == "" || c.want != "" && look.State != permission.FileUnclear {
			t.Errorf("%+v in %q: %s %s", c.server, c.cwd, look.State, look.Reason)
		}
	}
	if look := fileOf(t, glass(), "w", writing(dir+"/f", "b\n"), "", home{}); look != nil {
		t.Errorf("of another machine: %+v", look)
	}
}
