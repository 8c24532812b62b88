package desk_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// TestAYesToAChangedToolTwice: a wide yes to a tool that changed is for its call alone,
// and the same request again is no other answer.
func TestAYesToAChangedToolTwice(t *testing.T) {
	h := asking(t)
	defer h.close()
	c := h.ask("read")
	h.saw(readLater)
	c = h.want(c, permission.Pending, false)
	for _, repeats := range []bool{false, true} {
		got, settled, repeated, err := h.Decide(ctx, c.ID,
			permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev, Scope: permission.ScopeSession})
		if err != nil || repeated != repeats || got.Decision.Scope != permission.ScopeOnce || len(settled) > 0 {
			t.Errorf("repeated %v, %+v, settled %v, %v", repeated, got.Decision, settled, err)
		}
	}
}

// TestAYesToASessionOfLargeCalls: the tools of all that wait are pinned, though a list of
// large calls comes in many pages.
func TestAYesToASessionOfLargeCalls(t *testing.T) {
	h := asking(t)
	defer h.close()
	waiting := h.ask("read")
	for range 70 {
		r := h.request("write")
		r.Description = strings.Repeat("x", 64<<10)
		h.askAll(r)
	}
	h.yes(h.ask("write"), permission.ScopeSession)
	h.want(waiting, permission.Approved, false)
	h.saw(readLater)
	h.wantFallen(waiting)
}

// TestWhatAGrantSettledIsWidenedByNoAnswer: the scope that stands is the grant's.
func TestWhatAGrantSettledIsWidenedByNoAnswer(t *testing.T) {
	h := open(t)
	defer h.close()
	first, second := h.ask("write_file"), h.ask("write_file")
	h.yes(first, permission.ScopeClass)
	h.want(second, permission.Approved, false)
	for scope, same := range map[permission.Scope]bool{"": true, permission.ScopeOnce: true, permission.ScopeClass: true,
		permission.ScopeSession: false} {
		got, _, repeated, err := h.Decide(ctx, second.ID,
			permission.Answer{Approved: true, InputHash: second.InputHash, Rev: second.Rev, Scope: scope})
		if same && (err != nil || !repeated || got.Decision.By != permission.ByGrant) {
			t.Errorf("%q: %+v %v %v", scope, got.Decision, repeated, err)
		}
		if !same {
			h.wantCode(err, permission.CodeAlreadyDecided, permission.Approved)
		}
	}
	if grants, err := h.Grants(ctx); err != nil || len(grants) != 1 {
		t.Errorf("%v %v", grants, err)
	}
}

// TestAResultThatIsNoJSONIsTheSameByItsBytesAlone.
func TestAResultThatIsNoJSONIsTheSameByItsBytesAlone(t *testing.T) {
	h := open(t)
	defer h.close()
	c := h.ask("write_file")
	if _, err := h.decide(c, true); err != nil {
		t.Fatal(err)
	}
	c, err := h.claim(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, output := range []string{"\"\xff\"", "\"\xff\"", "\"\xfe\""} {
		_, err := h.Finish(ctx, h.agent, c.ID, permission.Outcome{ClaimID: *c.ClaimID, OK: true, Output: json.RawMessage(output)})
		if output == "\"\xfe\"" {
			h.wantCode(err, permission.CodeResultConflict, permission.Completed)
		} else if err != nil {
			t.Error(err)
		}
	}
}

// TestWhatNeverExpiresIsNotExtended: it would change nothing, and say that it did.
func TestWhatNeverExpiresIsNotExtended(t *testing.T) {
	h := open(t)
	defer h.close()
	h.set(func(s *permission.Settings) { s.Deadlines.Medium = nil })
	c := h.ask("write_file")
	_, err := h.Extend(ctx, c.ID, time.Minute)
	h.wantCode(err, permission.CodeInvalid, "")
	if got := h.want(c, permission.Pending, false); got.Rev != c.Rev {
		t.Errorf("rev %d, was %d", got.Rev, c.Rev)
	}
}
