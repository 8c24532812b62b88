package tool_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"sekisho/backend/tool"
)

// ownNetwork in the environment of this program says that it has a network of its own.
const ownNetwork = "SEKISHO_TEST_OWN_NETWORK"

// host is the address of this machine in such a network: one that guard does not take for this machine's own.
const host = "192.0.2.1"

// inOwnNetwork runs a test in a network of its own, where nothing is but what the test serves. It reports
// whether that is here: else the test was run in another process, and is over.
func inOwnNetwork(t *testing.T) bool {
	t.Helper()
	if os.Getenv(ownNetwork) != "" {
		if err := raise(host); err != nil {
			t.Fatal(err)
		}
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), ownNetwork+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Skipf("no network namespace can be made here: %v", err)
	}
	err := cmd.Wait()
	if _, why, skipped := strings.Cut(said.String(), "--- SKIP: "+t.Name()); err == nil && skipped {
		t.Skip(why)
	}
	if err != nil || !strings.Contains(said.String(), "--- PASS: "+t.Name()+" ") {
		t.Errorf("%v\n%s", err, said.String())
	}
	return false
}

// raise gives the loopback of this network an address.
func raise(address string) error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := lo.SetInet4Addr(net.ParseIP(address).To4()); err != nil {
		return err
	}
	if err := unix.IoctlIfreq(s, unix.SIOCSIFADDR, lo); err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo)
}

// confinedYard is a workspace whose commands are confined wholly, without files of its own.
func confinedYard(t *testing.T, programs ...string) *yard {
	t.Helper()
	y := newYard(t)
	if c := y.tools.Confinement(); c.Level != tool.LevelFull {
		t.Skipf("commands are confined at level %s: no %v", c.Level, c.Missing)
	}
	for _, name := range programs {
		y.needs(name)
	}
	for _, name := range []string{"a.txt", "sub"} {
		if err := os.RemoveAll(filepath.Join(y.ws, name)); err != nil {
			t.Fatal(err)
		}
	}
	return y
}

// needs skips the test where a program is not installed.
func (y *yard) needs(name string) {
	y.t.Helper()
	for _, folder := range []string{"/usr/bin", "/bin", "/usr/local/bin"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return
		}
	}
	y.t.Skipf("%s is not installed", name)
}

// does runs a command that has to succeed, and gives what it printed.
func (y *yard) does(line string) string {
	y.t.Helper()
	r := y.run(strings.Fields(line)...)
	if !r.Success {
		y.t.Fatalf("%s: %+v\n%s\n%s", line, r, deref(r.Stdout), deref(r.Stderr))
	}
	return deref(r.Stdout)
}

func (y *yard) reads(name, want string) {
	y.t.Helper()
	if raw, err := os.ReadFile(filepath.Join(y.ws, name)); err != nil || string(raw) != want {
		y.t.Errorf("%s is %q (%v), want %q", name, raw, err, want)
	}
}

// serve serves HTTP at a port of host.
func serve(t *testing.T, port string, handler http.Handler) {
	t.Helper()
	l, err := net.Listen("tcp", host+":"+port)
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: handler}
	go web.Serve(l)
	t.Cleanup(func() { web.Close() })
}

// publish serves a repository by HTTP, and gives what commits a file to it.
func publish(t *testing.T) (commit func(name, text string)) {
	t.Helper()
	base := t.TempDir()
	git := func(words ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, words...)...)
		cmd.Dir, cmd.Env = filepath.Join(base, "work"), append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", words, err, out)
		}
	}
	if err := os.Mkdir(filepath.Join(base, "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "main")
	commit = func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(base, "work", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", name)
		git("commit", "-qm", name)
		git("push", "-q", "../site/repo.git", "main")
		git("--git-dir", "../site/repo.git", "update-server-info")
	}
	git("init", "-q", "--bare", "-b", "main", "../site/repo.git")
	serve(t, "80", http.FileServer(http.Dir(filepath.Join(base, "site"))))
	return commit
}

// TestGitClonesConfined: the real git clones, fetches and pulls over HTTP, and reaches no other port.
func TestGitClonesConfined(t *testing.T) {
	if !inOwnNetwork(t) {
		return
	}
	y := confinedYard(t, "git")
	commit := publish(t)
	var reached atomic.Bool
	serve(t, "8080", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	commit("a.txt", "one")
	const repository = "http://" + host + "/repo.git"
	y.does("git clone " + repository + " sub/new")
	y.reads("sub/new/a.txt", "one")
	if r := y.run("git", "clone", "http://"+host+":8080/repo.git", "other"); r.Success || reached.Load() {
		t.Errorf("a port beside those of the web is reached: %v, %+v %s", reached.Load(), r, deref(r.Stderr))
	}
	if err := os.RemoveAll(filepath.Join(y.ws, "sub")); err != nil {
		t.Fatal(err)
	}
	y.does("git clone -q --branch main " + repository + " .")
	commit("b.txt", "two")
	y.does("git fetch")
	if log := y.does("git log --oneline origin/main"); !strings.Contains(log, "b.txt") {
		t.Errorf("fetched: %s", log)
	}
	y.does("git pull --ff-only")
	y.reads("b.txt", "two")
	y.write("c.txt", "three")
	y.does("git add c.txt")
	y.does("git commit -m three")
	if status := y.does("git status --short --branch"); !strings.Contains(status, "ahead 1") {
		t.Errorf("status: %s", status)
	}
}

// packed is a package of npm, as its registry has it.
func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestNpmInstallsConfined: the real npm installs a package of the workspace, and its script stays inside.
func TestNpmInstallsConfined(t *testing.T) {
	if !inOwnNetwork(t) {
		return
	}
	y := confinedYard(t, "npm", "node")
	script := `const fs = require('fs'); fs.writeFileSync('ran.txt', 'inside');
for (const way of [() => fs.writeFileSync('` + y.out + `/new', 'x'), () => fs.writeFileSync('` + y.out + `/secret', 'x')]) try { way() } catch {}`
	y.write("left-1.0.0.tgz", string(packed(t, map[string]string{
		"package.json": `{"name":"left","version":"1.0.0","scripts":{"postinstall":"node after.js"}}`,
		"index.js":     "module.exports = n => ' '.repeat(n) + 'padded'\n", "after.js": script})))
	y.write("package.json", `{"name":"site","version":"1.0.0","dependencies":{"left":"file:left-1.0.0.tgz"}}`)
	y.write("use.js", "console.log(require('left')(2))\n")
	y.does("npm install --no-audit --no-fund")
	if said := y.does("node use.js"); said != "  padded\n" {
		t.Errorf("it says %q", said)
	}
	if said := y.does("npm ls"); !strings.Contains(said, "left@1.0.0") {
		t.Errorf("npm ls says %q", said)
	}
	y.reads("node_modules/left/ran.txt", "inside")
	if entries, err := os.ReadDir(y.out); err != nil || len(entries) != 1 {
		t.Errorf("outside there are %v (%v)", entries, err)
	}
	if raw, _ := os.ReadFile(filepath.Join(y.out, "secret")); string(raw) != "SECRET" {
		t.Errorf("the file outside is %q", raw)
	}
}

// TestGccAndTarWorkConfined: a program is compiled and run by make, and archives keep what they are given.
func TestGccAndTarWorkConfined(t *testing.T) {
	t.Run("gcc", func(t *testing.T) {
		y := confinedYard(t, "gcc", "make")
		y.write("hello.c", "#include <stdio.h>\nint main(void) { puts(\"hello, world\"); return 0; }\n")
		y.write("Makefile", "run: hello\n\t./hello\nhello: hello.c\n\tgcc -Wall -o $@ $<\n")
		y.does("gcc -Wall -O2 -o hello hello.c")
		if said := y.does("make -s run"); said != "hello, world\n" {
			t.Errorf("it says %q", said)
		}
		if r := y.run("hello"); r.Success || !strings.HasPrefix(r.Error, "Command not allowed: ") {
			t.Errorf("a program of the workspace is started by its name: %+v", r)
		}
	})
	t.Run("tar", func(t *testing.T) {
		y := confinedYard(t, "tar")
		y.write("one.txt", "one")
		for _, name := range []string{"in", "out"} {
			if err := os.Mkdir(filepath.Join(y.ws, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		y.write("in/two.txt", "two")
		y.does("tar -czf all.tgz one.txt in")
		y.does("tar -xzf all.tgz -C out")
		y.reads("out/one.txt", "one")
		y.reads("out/in/two.txt", "two")
	})
}
