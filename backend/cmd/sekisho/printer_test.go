package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/terminal"
)

var errFull = errors.New("no space left on the paper")

// paper takes so many bytes and is full then.
type paper struct{ room int }

func (p *paper) Write(b []byte) (int, error) {
	n := min(len(b), p.room)
	p.room -= n
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

func runOn(t *testing.T, out io.Writer, args ...string) error {
	t.Helper()
	c := root()
	c.SetOut(out)
	c.SetErr(io.Discard)
	c.SetArgs(args)
	return c.ExecuteContext(t.Context())
}

// TestWhatCannotBePrintedIsNoSuccess: and nothing is decided that could not be shown,
// wherever in it the room ends.
func TestWhatCannotBePrintedIsNoSuccess(t *testing.T) {
	url, told := stub(t, waiting())
	t.Setenv("SEKISHO_URL", url)
	t.Setenv("SEKISHO_TOKEN", "operators")
	var whole strings.Builder
	if err := terminal.Show(&whole, waiting(), nil); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"approve", "decline"} {
		for _, room := range []int{0, 1, whole.Len() / 2, whole.Len() - 1} {
			*told = nil
			if err := runOn(t, &paper{room: room}, verb, firstID); !errors.Is(err, errFull) || !strings.Contains(err.Error(), "nothing is decided") {
				t.Errorf("%s with room for %d: %v", verb, room, err)
			}
			if sent := strings.Join(*told, "\n"); strings.Contains(sent, "POST") || !strings.Contains(sent, "GET") {
				t.Errorf("%s with room for %d: told %s", verb, room, sent)
			}
		}
		*told = nil
		err := runOn(t, &paper{room: whole.Len()}, verb, firstID)
		if !errors.Is(err, errFull) || !strings.Contains(err.Error(), "is now approved") || len(*told) != 2 {
			t.Errorf("%s that was shown: %v, told %v", verb, err, *told)
		}
	}
	for _, args := range [][]string{{"pending"}, {"login-url"}, {"journal", "export"}} {
		if err := runOn(t, &paper{}, args...); err == nil || code(err) != 1 {
			t.Errorf("%v: %v", args, err)
		}
	}
	*told = nil
	if err := runOn(t, &paper{room: whole.Len()}, "pending"); !errors.Is(err, errFull) {
		t.Errorf("the second page of pending: %v", err)
	}
}

// TestAResultThatCannotBePrinted: the exit code of journal verify says nothing about the
// journal then.
func TestAResultThatCannotBePrinted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(file, []byte(strings.Join(journal(t), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := runOn(t, &paper{room: 10}, "journal", "verify", file); !errors.Is(err, errFull) || code(err) != 2 {
		t.Errorf("exit code %d, %v", code(err), err)
	}
}

// TestTheDemoShowsBeforeItDecides as a person at a terminal would have to see it.
func TestTheDemoShowsBeforeItDecides(t *testing.T) {
	url, told := stub(t, waiting())
	d := &demo{out: &paper{}, desk: newClient(url, "operators")}
	if err := d.ask(t.Context(), waiting(), true, ""); !errors.Is(err, errFull) || len(*told) > 0 {
		t.Errorf("%v, told %v", err, *told)
	}
	if d.shown.ID != permission.CallID("") {
		t.Error("what was not shown can be answered")
	}
}
