package attend_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/attend"
	"sekisho/backend/permission"
)

// away is where the call of a scene is executed elsewhere.
type away struct {
	*scene
	err error
}

func (w *away) Executed(ctx context.Context, _ permission.Agent, _ permission.CallID, _ time.Time) (permission.Call, error) {
	for {
		w.mu.Lock()
		row, changed, err := w.row, w.changed, w.err
		w.mu.Unlock()
		if err != nil || row.Status != permission.Approved && row.Status != permission.Claimed || ctx.Err() != nil {
			return row, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// moves lets the program elsewhere, or whoever else, change the call after a while.
func (s *scene) moves(after time.Duration, to permission.Status) {
	time.AfterFunc(after, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if to == permission.Completed || to == permission.Failed {
			s.row.Result = fmt.Appendf(nil, `{"its":"%s"}`, to)
		}
		s.set(to)
	})
}

func TestElsewhere(t *testing.T) {
	const second = time.Second
	for _, tt := range []struct {
		what   string
		rules  permission.Status
		play   func(*away)
		leaves time.Duration
		want   []string
	}{
		{"allowed and executed", permission.Approved, func(w *away) {
			w.moves(8*second, permission.Claimed)
			w.moves(100*second, permission.Completed) // beyond its caller's patience
		}, 0, []string{"ask", `done {"its":"completed"}`}},
		{"approved and executed", permission.Pending, func(w *away) {
			w.moves(8*second, permission.Approved)
			w.moves(9*second, permission.Claimed)
			w.moves(20*second, permission.Failed)
		}, 0, []string{"ask", `done {"its":"failed"}`}},
		{"executed before its caller sees the yes", permission.Pending,
			func(w *away) { w.moves(8*second, permission.Completed) }, 0, []string{"ask", `done {"its":"completed"}`}},
		{"lost", permission.Approved, func(w *away) {
			w.moves(8*second, permission.Claimed)
			w.moves(60*second, permission.InDoubt)
		}, 0, []string{"ask", "done  in doubt"}},
		{"nobody comes", permission.Approved, func(w *away) { w.moves(30*second, permission.Expired) }, 0,
			[]string{"ask", "refused expired: Approval timeout"}},
		{"nobody comes, and its caller waits no longer", permission.Approved, nil, 0, []string{"ask", "leave", "refused pending: PENDING"}},
		{"claimed at the last moment", permission.Approved, func(w *away) {
			w.onLeave = func() { w.set(permission.Claimed); w.moves(30*second, permission.Completed) }
		}, 0, []string{"ask", "leave", `done {"its":"completed"}`}},
		{"approved and claimed at the last moment", permission.Pending, func(w *away) {
			w.onLeave = func() { w.set(permission.Claimed); w.moves(30*second, permission.Completed) }
		}, 0, []string{"ask", "leave", `done {"its":"completed"}`}},
		{"its caller leaves before it is claimed", permission.Approved, nil, 7 * second, []string{"ask", "leave", "failed: the caller stopped"}},
		{"its caller leaves as it runs", permission.Approved, func(w *away) { w.moves(second, permission.Claimed) }, 7 * second,
			[]string{"ask", "failed: the caller stopped"}},
		{"the rules take their yes back", permission.Approved, func(w *away) {
			w.moves(8*second, permission.Pending)
			w.moves(16*second, permission.Approved)
			w.moves(24*second, permission.Completed)
		}, 0, []string{"ask", `done {"its":"completed"}`}},
		{"the desk breaks before it is claimed", permission.Approved, func(w *away) { w.err = errors.New("it broke") }, 0,
			[]string{"ask", "leave", "failed: the desk does not answer: the call was not executed"}},
		{"the desk breaks as it runs", permission.Approved, func(w *away) {
			w.moves(second, permission.Claimed)
			time.AfterFunc(7*second, func() { w.mu.Lock(); defer w.mu.Unlock(); w.err = errors.New("it broke") })
		}, 0, []string{"ask", "failed: the desk does not answer: it is not known whether the call ran. Look before you repeat it"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &away{scene: newScene(tt.rules)}
				if tt.play != nil {
					tt.play(w)
				}
				w.attending(t, tt.leaves)
				if got, want := strings.Join(w.trace, "\n"), strings.Join(tt.want, "\n"); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		})
	}
}

// attending runs the request of a caller who leaves after a while; 0 is never.
func (w *away) attending(t *testing.T, leaves time.Duration) {
	t.Helper()
	ctx, leave := context.WithCancelCause(t.Context())
	defer leave(nil)
	if leaves > 0 {
		defer time.AfterFunc(leaves, func() { leave(errStopped) }).Stop()
	}
	q := request()
	q.Elsewhere = w
	newRunner(w.scene).Run(ctx, q, w, w)
}

// Done says whether the call is in doubt, beside what came of it.
func (w *away) Done(c *permission.Call, r attend.Result) {
	if r.Doubt {
		w.step("done %s in doubt", r.Output)
		return
	}
	w.scene.Done(c, r)
}

// TestASignOfLifeSaysWhereTheCallIs.
func TestASignOfLifeSaysWhereTheCallIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &away{scene: newScene(permission.Pending)}
		w.moves(8*time.Second, permission.Approved)
		w.moves(16*time.Second, permission.Claimed)
		w.moves(24*time.Second, permission.Completed)
		w.attending(t, 0)
		if got := slices.Compact(w.seen); !slices.Equal(got, []permission.Status{permission.Pending, permission.Approved, permission.Claimed}) {
			t.Errorf("told of %v", got)
		}
	})
}

// TestAnotherCallElsewhere: a row that is not what was asked for is neither waited for nor answered with.
func TestAnotherCallElsewhere(t *testing.T) {
	for what, change := range others {
		for rules, want := range map[permission.Status]string{
			permission.Approved: "ask\nleave\nfailed: the desk answered with another call: nothing was executed",
			permission.Claimed:  "ask\nfailed: the desk answered with another call: it is not known what became of this one. Look before you repeat it",
			permission.Completed: "ask\n" +
				"failed: the desk answered with another call: it is not known what became of this one. Look before you repeat it",
		} {
			for _, later := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					w := &away{scene: newScene(rules)}
					if later { // it becomes another while its caller waits
						w.scene = newScene(permission.Approved)
						time.AfterFunc(8*time.Second, func() {
							w.mu.Lock()
							defer w.mu.Unlock()
							change(&w.row)
							w.set(rules)
						})
					} else {
						w.changeIt = change
					}
					w.moves(5*time.Minute, permission.Completed)
					w.attending(t, 0)
					if got := strings.Join(w.trace, "\n"); got != want {
						t.Errorf("%s, %s, later %v: got\n%s\nwant\n%s", what, rules, later, got, want)
					}
				})
			}
		}
	}
}
