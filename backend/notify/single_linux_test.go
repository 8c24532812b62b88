package notify

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPresent: of several desks, the one that holds the folder comes up.
func TestPresent(t *testing.T) {
	startBus(t, nil)
	here, there := t.TempDir(), t.TempDir()
	_, first := openDesktop(t, here)
	_, second := openDesktop(t, there)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(there, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		folder string
		desk   person
	}{{here, first}, {there, second}, {link, second}, {there + "/../" + filepath.Base(there), second}} {
		until(t, "the desk on "+c.folder, func() bool { return Present(t.Context(), c.folder) })
		c.desk.next(t, "open")
	}
	if Present(t.Context(), t.TempDir()) {
		t.Error("a desk of another folder came up")
	}
	first.nothing(t)
	second.nothing(t)
}

// TestPresentTakesNothing: the one method has no arguments, and there is no other.
func TestPresentTakesNothing(t *testing.T) {
	startBus(t, nil)
	folder := t.TempDir()
	_, p := openDesktop(t, folder)
	conn := join(t)
	until(t, "the desk", func() bool { return ask(conn, deskName, deskPath(folder), deskName+".Present").Err == nil })
	p.next(t, "open")
	for _, method := range []string{"Approve", "Decide", "Hold", "Quit", "present"} {
		if ask(conn, deskName, deskPath(folder), deskName+"."+method).Err == nil {
			t.Errorf("%s was answered", method)
		}
	}
	if ask(conn, deskName, deskPath(folder), deskName+".Present", "approve", "--approve=1").Err == nil {
		t.Error("arguments were taken")
	}
	if ask(conn, deskName, "/dev/sekisho/Desk", deskName+".Present").Err == nil {
		t.Error("it listens elsewhere too")
	}
	p.nothing(t)
}
