package process

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	Begin()
	os.Exit(m.Run())
}

// TestStatIsRead though a program may call itself anything.
func TestStatIsRead(t *testing.T) {
	for line, want := range map[string][3]int{
		"12 (sleep) S 7 12 12 0":     {12, 7, 'S'},
		"12 (a) b) R 1 (c) Z 8 12\n": {12, 8, 'Z'},
		"12 (x\n) S 9 (y) S 7 1":     {12, 7, 'S'},
		"":                           {}, "12 (x": {}, "12 )(": {}, "12 (x) S": {}, "12 (x) long 7": {},
	} {
		pid, parent, state := parseStat([]byte(line))
		if got := [3]int{pid, parent, int(state)}; got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestAProgramThatDoesNotStart: why not is said as without a supervisor.
func TestAProgramThatDoesNotStart(t *testing.T) {
	file := t.TempDir() + "/not-executable"
	if err := os.WriteFile(file, []byte("#!/nowhere\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{file, "/nowhere/at-all", "no-such-program-anywhere"} {
		bare := exec.Command(command).Start()
		_, behind := Start(exec.Command(command))
		if bare == nil || behind == nil || bare.Error() != behind.Error() {
			t.Errorf("%s: %v, and behind a supervisor %v", command, bare, behind)
		}
	}
}

// TestOutputAndArguments are the program's own.
func TestOutputAndArguments(t *testing.T) {
	var out strings.Builder
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `echo "$0 $1"; pwd; exit 3`, "a b", "")
	cmd.Dir, cmd.Stdout = "/", write
	tree, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	write.Close()
	for b := make([]byte, 64); ; {
		n, err := read.Read(b)
		out.Write(b[:n])
		if err != nil {
			break // the supervisor does not hold it open
		}
	}
	tree.Wait()
	tree.Kill()
	if out.String() != "a b \n/\n" || cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("%q, exit code %d", out.String(), cmd.ProcessState.ExitCode())
	}
}

// TestTheServersEnvironmentIsItsOwn: all of it reaches the server, and nothing of it the
// supervisor, which variables of Go's could end.
func TestTheServersEnvironmentIsItsOwn(t *testing.T) {
	for name, environment := range map[string][]string{
		"for Go": {"GOMEMLIMIT=512MB", "GODEBUG=x=y", "A=b\nc", "PATH=" + os.Getenv("PATH")},
		"large":  {"BIG=" + strings.Repeat("x", 100_000), "PATH=" + os.Getenv("PATH")},
		"none":   {},
	} {
		t.Run(name, func(t *testing.T) {
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("/usr/bin/env", "-0")
			cmd.Env, cmd.Stdout = environment, write
			tree, err := Start(cmd)
			write.Close()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(read)
			tree.Wait()
			tree.Kill()
			if want := strings.Join(append(environment, ""), "\x00"); err != nil || string(got) != want {
				t.Errorf("%v: %.200q, want %.200q", err, got, want)
			}
		})
	}
}

func BenchmarkStart(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("supervised", func(b *testing.B) {
		for b.Loop() {
			tree, err := Start(exec.Command("true"))
			if err != nil {
				b.Fatal(err)
			}
			tree.Wait()
			tree.Kill()
		}
	})
}
