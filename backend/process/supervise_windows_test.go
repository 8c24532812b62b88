package process

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The programs of these tests are this one, told by an argument what to be.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) < 2:
	case os.Args[1] == "sleeper":
		os.Stdout.WriteString("sleeper\n")
		select {}
	case os.Args[1] == "parent":
		child := exec.Command(os.Args[0], "sleeper")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			panic(err)
		}
		if len(os.Args) > 2 {
			return // and leaves its child behind
		}
		child.Wait()
	case os.Args[1] == "desk":
		tree, err := Start(parent(os.Stdout))
		if err != nil {
			panic(err)
		}
		tree.Wait()
	}
	os.Exit(m.Run())
}

func parent(out *os.File, arguments ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"parent"}, arguments...)...)
	cmd.Stdout = out
	return cmd
}

// TestEverythingEnds with the program: when it is told to, when the desk is killed, and
// when the program has ended before. A sleeper holds the pipe open as long as it lives.
func TestEverythingEnds(t *testing.T) {
	for name, begin := range map[string]func(out *os.File) (end func()){
		"told": func(out *os.File) func() {
			tree, err := Start(parent(out))
			if err != nil {
				t.Fatal(err)
			}
			return tree.Kill
		},
		"left behind": func(out *os.File) func() {
			tree, err := Start(parent(out, "leave"))
			if err != nil {
				t.Fatal(err)
			}
			return func() { tree.Wait(); tree.Kill() }
		},
		"killed desk": func(out *os.File) func() {
			desk := exec.Command(os.Args[0], "desk")
			desk.Stdout = out
			if err := desk.Start(); err != nil {
				t.Fatal(err)
			}
			return func() { desk.Process.Kill(); desk.Wait() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			in, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			end := begin(out)
			out.Close()
			read := bufio.NewReader(in)
			if said, err := read.ReadString('\n'); err != nil || strings.TrimSpace(said) != "sleeper" {
				t.Fatalf("%q, %v", said, err)
			}
			end()
			if rest, err := io.ReadAll(read); err != nil || len(rest) > 0 {
				t.Errorf("%q, %v", rest, err)
			}
		})
	}
}
