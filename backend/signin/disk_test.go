package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// slowDisk keeps secrets and a journal, and writes nothing before it is let go.
type slowDisk struct {
	mu      sync.Mutex
	kept    map[string]string
	written []string
	fails   error
	stuck   chan struct{} // closed when something waits
	goes    chan struct{} // closed to let it go
}

func newSlowDisk(t *testing.T, ids ...string) *slowDisk {
	d := &slowDisk{kept: map[string]string{}, stuck: make(chan struct{}), goes: make(chan struct{})}
	for _, id := range ids {
		raw, err := json.Marshal(ticket{Server: "https://" + id, Issuer: "AS", Access: "token-" + id})
		if err != nil {
			t.Fatal(err)
		}
		d.kept[namePrefix+id] = string(raw)
	}
	return d
}

func (d *slowDisk) wait() {
	d.mu.Lock()
	select {
	case <-d.stuck:
	default:
		close(d.stuck)
	}
	d.mu.Unlock()
	<-d.goes
}

func (d *slowDisk) Secrets() (map[string]string, error) { return d.kept, nil }

func (d *slowDisk) ChangeSecrets(put map[string]string, forget []string) error {
	d.wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, value := range put {
		d.kept[name] = value
		d.written = append(d.written, "put "+name)
	}
	for _, name := range forget {
		delete(d.kept, name)
		d.written = append(d.written, "forget "+name)
	}
	return d.fails
}

func (d *slowDisk) NoteSignIn(_ context.Context, c permission.SignInChange) error {
	d.wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.written = append(d.written, fmt.Sprint(c.What, " ", c.ServerID))
	return nil
}

func far(id string) permission.Server {
	return permission.Server{ID: id, Transport: permission.TransportHTTP, URL: "https://" + id}
}

// TestASlowDiskHoldsUpNoOtherServer: while something is written, whatever it is, the
// sign-ins of other servers answer at once; when the book is closed, all is written, in the
// order in which it came.
func TestASlowDiskHoldsUpNoOtherServer(t *testing.T) {
	short := []string{`Bearer error="insufficient_scope", scope="more"`}
	for name, tt := range map[string]struct {
		write func(b *Book) error
		want  string
	}{
		"a note": {func(b *Book) error { b.Lacks("a", "https://a", "Bearer token-a", short); return nil }, "signInLacks a"},
		"an expiry": {func(b *Book) error {
			b.Renewed(t.Context(), "a", "https://a", "Bearer token-a")
			return nil
		}, "signInExpired a, forget sekisho-sign-in:a"},
		"a sign-out":     {func(b *Book) error { _, err := b.SignOut(t.Context(), "a"); return err }, "forget sekisho-sign-in:a, signedOut a"},
		"a server's end": {func(b *Book) error { b.Keep([]permission.Server{far("b")}); return nil }, "forget sekisho-sign-in:a, signedOut a"},
		"a client's entry": {func(b *Book) error {
			return b.enterClient(b.start(far("a")), &client{Server: "https://a", ID: "x"})
		}, "put sekisho-oauth-client:a"},
		"a token": {func(b *Book) error { keepToken(b); return nil }, "put sekisho-sign-in:a"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSlowDisk(t, "a", "b")
			b := New(d, Options{Journal: d, Logger: slog.New(slog.DiscardHandler)})
			written := make(chan error, 1)
			go func() { written <- tt.write(b) }()
			<-d.stuck
			answered := make(chan string, 1)
			go func() {
				answered <- string(b.SignIn(far("b")).State) + " " + b.Authorization(t.Context(), "b", "https://b")
			}()
			select {
			case got := <-answered:
				if got != string(permission.SignedIn)+" Bearer token-b" {
					t.Errorf("it says %s", got)
				}
			case <-time.After(5 * time.Second):
				t.Error("another server's sign-in waits for the disk")
			}
			close(d.goes)
			if err := <-written; err != nil {
				t.Error(err)
			}
			b.Close()
			if got := strings.Join(d.written, ", "); got != tt.want {
				t.Errorf("wrote %s\nwant  %s", got, tt.want)
			}
		})
	}
}

// keepToken is the end of a renewal.
func keepToken(b *Book) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.put("a", b.pages["a"], &ticket{Server: "https://a", Access: "next"})
}

// TestWhatCannotBeForgottenIsStillKnown, and whoever asked is told.
func TestWhatCannotBeForgottenIsStillKnown(t *testing.T) {
	d := newSlowDisk(t, "a")
	d.fails = errors.New("the disk is full")
	close(d.goes)
	b := New(d, Options{Journal: d, Logger: slog.New(slog.DiscardHandler)})
	defer b.Close()
	if _, err := b.SignOut(t.Context(), "a"); !errors.Is(err, d.fails) || b.SignIn(far("a")).State != permission.SignedIn {
		t.Errorf("%v, %+v", err, b.SignIn(far("a")))
	}
	known := &client{Server: "https://a", ID: "known"}
	b.clients["a"] = known
	if err := b.enterClient(b.start(far("a")), &client{Server: "https://a", ID: "x"}); !errors.Is(err, d.fails) || b.clients["a"] != known {
		t.Errorf("%v, %+v", err, b.clients["a"])
	}
	if _, err := b.clientFor(far("a"), &permission.SignInClient{}); !errors.Is(err, d.fails) || b.clients["a"] != known {
		t.Errorf("%v, %+v", err, b.clients["a"])
	}
	if got := strings.Join(d.written, ", "); strings.Contains(got, "signedOut") {
		t.Errorf("the journal says %s", got)
	}
}

// TestASignOutIsTheLastWord: a token that is still to be written does not come back.
func TestASignOutIsTheLastWord(t *testing.T) {
	d := newSlowDisk(t, "a")
	b := New(d, Options{Logger: slog.New(slog.DiscardHandler)})
	keepToken(b)
	out := make(chan error, 1)
	go func() {
		_, err := b.SignOut(t.Context(), "a")
		out <- err
	}()
	eventually(t, "signed out", func() bool { return b.SignIn(far("a")).State == permission.SignedOut })
	close(d.goes)
	if err := <-out; err != nil {
		t.Error(err)
	}
	b.Close()
	if len(d.kept) > 0 {
		t.Errorf("kept %v", d.kept)
	}
}
