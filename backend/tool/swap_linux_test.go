package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sekisho/backend/guard"
	"sekisho/backend/tool"
)

// swap is one way in which another hand puts a link that leaves the workspace in the place of what a path
// names, and takes it away again.
type swap struct {
	name string
	path string      // that is named meanwhile
	make func(*yard) // what the shape needs
	turn func(*yard) // there, and back
}

// swaps are the shapes. In each, the links lead outside, where a file of the same name is.
var swaps = []swap{
	{"a file becomes a link", "moving", func(*yard) {}, func(y *yard) {
		at := y.at
		os.Symlink(filepath.Join(y.out, "secret"), at("link"))
		os.Rename(at("link"), at("moving"))
		os.WriteFile(at("real"), []byte("inside"), 0o644)
		os.Rename(at("real"), at("moving"))
	}},
	{"a folder becomes a link", "moving/secret", func(y *yard) {
		y.folder("real")
		y.link(y.out, "link")
	}, inTurn},
	{"a parent becomes a link", "moving/in/secret", func(y *yard) {
		y.folder("real/in")
		y.link(y.out, "link")
	}, inTurn},
	{"a folder and a link change names", "moving/secret", func(y *yard) {
		y.folder("moving")
		y.link(y.out, "link")
	}, func(y *yard) {
		unix.Renameat2(unix.AT_FDCWD, y.at("moving"), unix.AT_FDCWD, y.at("link"), unix.RENAME_EXCHANGE)
	}},
}

// inTurn gives a folder the name, and then a link.
func inTurn(y *yard) {
	os.Rename(y.at("real"), y.at("moving"))
	os.Rename(y.at("moving"), y.at("real"))
	os.Rename(y.at("link"), y.at("moving"))
	os.Rename(y.at("moving"), y.at("link"))
}

// at is the path of a name of the workspace.
func (y *yard) at(name string) string { return filepath.Join(y.ws, name) }

// link makes a link in the workspace.
func (y *yard) link(to, name string) {
	y.t.Helper()
	if err := os.Symlink(to, filepath.Join(y.ws, name)); err != nil {
		y.t.Fatal(err)
	}
}

// folder makes a folder in the workspace with a file of the name that the secret has outside.
func (y *yard) folder(name string) {
	y.t.Helper()
	if err := os.MkdirAll(filepath.Join(y.ws, name), 0o755); err != nil {
		y.t.Fatal(err)
	}
	y.write(filepath.Join(name, "secret"), "inside")
}

// long is how long a race goes on. SEKISHO_SWAP says it, as 60s; a moment without.
func long() (during time.Duration, said bool) {
	during, err := time.ParseDuration(os.Getenv("SEKISHO_SWAP"))
	if err != nil {
		return 200 * time.Millisecond, false
	}
	return during, true
}

// race does something over and over, while another hand does something else, for a while and until enough has come of
// it; within a minute it does.
func race(t *testing.T, during time.Duration, one func(i int), other func(), enough func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	defer func() {
		cancel()
		busy.Wait()
	}()
	busy.Go(func() {
		for ctx.Err() == nil {
			other()
		}
	})
	began := time.Now()
	for i := 0; time.Since(began) < during || !enough(); i++ {
		if one(i); time.Since(began) > during+time.Minute {
			t.Fatal("this shows nothing: all went well, or nothing did")
		}
	}
}

// TestSwapsLeakNothing reads, lists, writes and prints what a path names while that is swapped, in four shapes.
func TestSwapsLeakNothing(t *testing.T) {
	during, _ := long()
	for _, s := range swaps {
		t.Run(s.name, func(t *testing.T) {
			y := newYard(t)
			y.confined = y.tools.Confinement().Level != tool.LevelNone
			for name, text := range map[string]string{"only-outside": "", "in/secret": "SECRET", "in/only-outside": ""} {
				os.MkdirAll(filepath.Dir(filepath.Join(y.out, name)), 0o755)
				if err := os.WriteFile(filepath.Join(y.out, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			s.make(y)
			before := y.State(false)
			var did raced
			race(t, during, func(i int) { did.one(y, s.path, i) }, func() { s.turn(y) },
				func() bool { return did.well > 0 && did.refused > 0 })
			if did.leaked > 0 {
				t.Errorf("%d bytes of what is outside were given, first by %s", did.leaked, did.first)
			}
			if after := y.State(false); after != before {
				t.Errorf("outside there was\n%sand is\n%s", before, after)
			}
			t.Logf("%d calls went well, %d did not, %d bytes leaked", did.well, did.refused, did.leaked)
		})
	}
}

// raced counts what came of calls.
type raced struct {
	well, refused, leaked int
	first                 string
}

// one does one call on a path that is swapped.
func (r *raced) one(y *yard, path string, i int) {
	calls := []struct {
		name  string
		input map[string]any
	}{
		{guard.ReadFile, map[string]any{"path": path}},
		{guard.WriteFile, map[string]any{"path": path, "content": "x"}},
		{guard.ReadFile, map[string]any{"path": path}},
		{guard.ListDirectory, map[string]any{"path": filepath.Dir(path), "recursive": true}},
		{guard.WriteFile, map[string]any{"path": path, "content": "+", "mode": "append"}},
		{guard.WriteFile, map[string]any{"path": filepath.Join(filepath.Dir(path), "new.txt"), "content": "x"}},
	}
	c := calls[i%len(calls)]
	if i%200 == 199 && y.confined { // it takes as long as many of the others
		c.name, c.input = guard.ExecuteCommand, map[string]any{"command": "cat", "args": []string{path}}
	}
	result := y.call(c.name, c.input)
	raw, err := json.Marshal(result)
	if err != nil {
		y.t.Fatal(err)
	}
	for _, word := range []string{"SECRET", "only-outside"} {
		if n := strings.Count(string(raw), word); n > 0 {
			if r.leaked += n * len(word); r.first == "" {
				r.first = c.name
			}
		}
	}
	if result.Success {
		r.well++
	} else {
		r.refused++
	}
}

// TestNothingWaitsForAFIFO reads, looks at, lists and writes what a path names while that is a file and a FIFO, that
// nobody reads of or writes to, in turn.
func TestNothingWaitsForAFIFO(t *testing.T) {
	during, strict := long()
	within := time.Minute // in which one that waits would not end either
	if strict {
		within = 500 * time.Millisecond
	}
	y := newYard(t)
	if !y.Set([]any{"fifo", "pipe.txt"}) {
		t.Skip("no FIFO can be made")
	}
	os.Remove(y.at("pipe.txt"))
	var longest time.Duration
	seen := map[bool]int{}
	inputs := []struct{ name, input string }{{guard.ReadFile, `{"path":"moving.txt"}`},
		{guard.WriteFile, `{"path":"moving.txt","content":"x"}`},
		{guard.WriteFile, `{"path":"moving.txt","content":"x","mode":"append"}`}, {guard.ListDirectory, `{"path":"."}`},
		{guard.ExecuteCommand, `{"command":"cat","args":["moving.txt"]}`}}
	race(t, during, func(i int) {
		in := inputs[i/2%len(inputs)]
		done := make(chan bool, 1)
		began := time.Now()
		go func() {
			if i%2 == 0 || in.name == guard.ExecuteCommand {
				done <- y.tools.Look(in.name, []byte(in.input)) == nil
			} else {
				done <- y.tools.Run(context.Background(), in.name, []byte(in.input), "").Success
			}
		}()
		select {
		case ok := <-done:
			seen[ok]++
			longest = max(longest, time.Since(began))
		case <-time.After(within):
			t.Fatalf("%s %s has not ended after %v", in.name, in.input, within)
		}
	}, func() {
		y.Set([]any{"fifo", "pipe.txt"})
		os.Rename(y.at("pipe.txt"), y.at("moving.txt"))
		os.WriteFile(y.at("real.txt"), []byte("inside"), 0o644)
		os.Rename(y.at("real.txt"), y.at("moving.txt"))
	}, func() bool { return seen[true] > 0 && seen[false] > 0 })
	t.Logf("%d calls went well, %d did not, the longest took %v", seen[true], seen[false], longest)
}
