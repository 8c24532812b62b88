package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sekisho/backend/permission"
)

// TestThePromptLetsGo of a person who leaves it, in whichever way, and leaves the terminal as it was.
func TestThePromptLetsGo(t *testing.T) {
	p := newPerson(t)
	p.start()
	for name, leave := range map[string]func(*screen){
		"Ctrl-C":                       func(s *screen) { s.types("\x03") },
		"Ctrl-C behind a part":         func(s *screen) { s.types("skk_\x03") },
		"Ctrl-C behind Escape":         func(s *screen) { s.types("\x1b\x03") },
		"Ctrl-C behind half a letter":  func(s *screen) { s.types("\xe6\xbc\x03") },
		"Ctrl-C behind what is no one": func(s *screen) { s.types("\xff\xfe\x03") },
		"Ctrl-D":                       func(s *screen) { s.types("\x04") },
		"an end":                       func(s *screen) { s.cmd.Process.Signal(syscall.SIGTERM) },
		"a terminal that is closed":    func(s *screen) { s.cmd.Process.Signal(syscall.SIGHUP) },
		"a core":                       func(s *screen) { s.cmd.Process.Signal(syscall.SIGQUIT) },
		"10,000 letters":               func(s *screen) { s.types(strings.Repeat("a", 10_000) + "\r") },
		"letters of another alphabet":  func(s *screen) { s.types("\xff\xfe漢\r") },
	} {
		s := p.at("pending")
		s.sees("not shown): ")
		leave(s)
		s.exits(1)
		now, err := unix.IoctlGetTermios(int(s.person.Fd()), unix.TCGETS)
		if err != nil || now.Lflag&(unix.ECHO|unix.ICANON|unix.ISIG) != unix.ECHO|unix.ICANON|unix.ISIG {
			t.Errorf("%s: the terminal is left as %+v, %v", name, now, err)
		}
	}
}

// TestAYesNeedsEnter: what is typed before Ctrl-D is none.
func TestAYesNeedsEnter(t *testing.T) {
	p := newPerson(t)
	p.start()
	token, rules := p.tokenFile(), p.file("rules.json")
	for _, args := range [][]string{{"rules", "add", "--allow", "--tool", "Read"}, {"rules", "export", "--out", rules}} {
		if out, code := without(nil, append(args, "--token-file", token)...); code != 0 {
			t.Fatal(out)
		}
	}
	p.do(http.MethodPut, "/v1/rules", map[string]any{"rules": []any{}}, nil)
	for typed, code := range map[string]int{"y\x04\x04": 0, "\x04": 0, "y\x03": 1, strings.Repeat("y", 3000) + "\n": 0} {
		s := p.at("rules", "import", rules, "--token-file", token)
		s.sees("Take them in? [y/N] ")
		s.types(typed)
		s.exits(code)
		var got struct{ Rules []permission.Rule }
		if p.do(http.MethodGet, "/v1/rules", nil, &got); len(got.Rules) != 0 {
			t.Errorf("%.20q is taken for a yes", typed)
		}
	}
}

func (p *person) tokenFile() string {
	p.Helper()
	if err := os.WriteFile(p.file("token"), []byte(p.key.Printed()+"\n"), 0o600); err != nil {
		p.Fatal(err)
	}
	return p.file("token")
}

// TestWhatNobodyCanMeanIsRefused, in a line that says what can be.
func TestWhatNobodyCanMeanIsRefused(t *testing.T) {
	p := newPerson(t)
	p.start()
	token := p.tokenFile()
	shown := name(p.call(p.ask("1", "Bash", map[string]any{"command": "make"})))
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	open := p.file("open")
	if err := os.WriteFile(open, []byte(p.key.Printed()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o640); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		code       int
		want, args string
	}{
		{2, "from 1m to 24h", "approve " + shown + " --scope class --for 1ns"},
		{2, "from 1m to 24h", "approve " + shown + " --scope session --for 25h"},
		{2, "from 1m to 24h", "approve " + shown + " --scope class --for 0s"},
		{2, "from 1m to 24h", "decline " + shown + " --scope class --for -1h"},
		{2, "--for goes with", "approve " + shown + " --for 0s"},
		{2, "1m at least", "rules add --deny --tool Read --for 59s"},
		{2, "not UTF-8", "rules add --allow --tool \xff"},
		{2, "not UTF-8", "rules test --tool Bash --cwd /\xff"},
		{2, "is no call", "approve " + strings.Repeat("a", 100_000)},
		{1, "is no desk's URL", "pending --desk nonsense"},
		{1, "is no desk: ", "status --desk " + other.URL},
		{1, "is no desk's URL", "status --desk ftp://127.0.0.1"},
		{1, "no token in", "pending --token-file /dev/zero"},
		{1, "is no document of rules", "rules import /dev/zero"},
		{1, "chmod 600", "approve " + shown + " --token-file " + open},
		{1, "chmod 600", "status --token-file " + open},
		{1, "/no/⟦U+001B⟧[2J⟦U+202E⟧: no such file", "pending --token-file /no/\x1b[2J\u202e"},
		{1, "\n  sekisho:", "rules import /no/\nsekisho:"},
	} {
		args := strings.Split(tt.args, " ")
		if !strings.Contains(tt.args, "--token-file") {
			args = append(args, "--token-file", token)
		}
		out, code := without(nil, args...)
		if strings.ContainsAny(out, "\x1b\u202e") {
			t.Errorf("%q: a terminal obeys %q", tt.args, out)
		}
		if code != tt.code || !strings.Contains(out, tt.want) || len(out) > 500 || strings.Contains(out, p.key.Printed()) {
			t.Errorf("%.100s: exit code %d, want %d and %q:\n%.1000s", tt.args, code, tt.code, tt.want, out)
		}
	}
	var got struct{ Calls []permission.Call }
	if p.do(http.MethodGet, "/v1/calls?status=pending", nil, &got); len(got.Calls) != 1 {
		t.Errorf("%d calls wait", len(got.Calls))
	}
}

// TestAPipeThatNobodyWritesToIsLetGo by Ctrl-C.
func TestAPipeThatNobodyWritesToIsLetGo(t *testing.T) {
	p := newPerson(t)
	p.start()
	pipe := p.file("pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"pending", "--token-file", pipe}, {"status", "--token-file", pipe}, {"rules", "import", pipe}} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), roleEnv+"=sekisho", "GORACE=atexit_sleep_ms=0")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		timeout := time.After(time.Minute)
		for done := false; !done; {
			cmd.Process.Signal(syscall.SIGINT) // until it listens, and is asked
			select {
			case <-ended:
				done = true
			case <-time.After(100 * time.Millisecond):
			case <-timeout:
				cmd.Process.Kill()
				t.Fatalf("%q goes on", args)
			}
		}
	}
}

// TestATerminalOfAnotherLocaleIsGivenASCII: some bytes of a call would be orders to it.
func TestATerminalOfAnotherLocaleIsGivenASCII(t *testing.T) {
	p := newPerson(t)
	t.Setenv("LC_ALL", "de_DE.ISO8859-1")
	p.start()
	id := p.ask("1", "Ûnes", map[string]any{"command": "echo Û31m 漢 “”"})
	token := p.tokenFile()
	for _, args := range [][]string{{"pending"}, {"watch"}, {"logs"}, {"status"}} {
		s := p.at(append(args, "--token-file", token)...)
		if args[0] == "watch" {
			s.sees("[y]es")
			s.says("q", "goes on waiting")
		}
		s.exits(0)
		if at := strings.IndexFunc(s.text(), func(r rune) bool { return r >= 0x80 }); at >= 0 {
			t.Errorf("%s: %q", args[0], s.text()[at:])
		}
	}
	if out, _ := without(nil, "pending", "--token-file", token); !strings.Contains(out, "Ûnes") {
		t.Errorf("what is no terminal is given other letters: %s", out)
	}
	if c := p.call(id); c.Status != permission.Pending {
		t.Errorf("it is %s", c.Status)
	}
}
