package desk_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

// TestSessionsSayWhatTheyAreAt: in review while a call waits, at work after it, ended when they
// are ended or have been quiet, and gone a day after their last call.
func TestSessionsSayWhatTheyAreAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		defer h.close()
		h.rule(permission.Allow, "read_*")
		cwd := "/srv"
		in := func(session, tool string) permission.Call {
			r := h.request(tool)
			r.SessionID, r.Cwd = permission.SessionID(session), &cwd
			return h.askAll(r)
		}
		want := func(id string, state permission.SessionState, pending int) {
			t.Helper()
			all, err := h.Sessions(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range all {
				if string(s.ID) != id {
					continue
				}
				if s.State != state || s.Pending != pending || s.AgentID != "a" || s.AgentName != "Agent A" || s.Cwd == nil || *s.Cwd != cwd ||
					s.CreatedAt.IsZero() || s.LastSeenAt < s.CreatedAt || s.Role != nil || s.Purpose != nil || s.ProjectID != nil {
					t.Errorf("%+v: want %s, %d pending", s, state, pending)
				}
				return
			}
			if state != "" {
				t.Errorf("%s is not listed: %+v", id, all)
			}
		}
		finish := func(c permission.Call) {
			t.Helper()
			c, err := h.claim(c)
			if err == nil {
				_, err = h.Finish(ctx, h.agent, c.ID, permission.Outcome{ClaimID: *c.ClaimID, OK: true, Output: json.RawMessage(`1`)})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		finish(in("s1", "read_file"))
		want("s1", permission.SessionWorking, 0)
		waits := in("s1", "write_file")
		in("s1", "write_file")
		want("s1", permission.SessionReview, 2)
		if _, err := h.decide(waits, false); err != nil {
			t.Fatal(err)
		}
		want("s1", permission.SessionReview, 1)
		if _, _, err := h.EndSession(ctx, permission.Operator(), "s1"); err != nil {
			t.Fatal(err)
		}
		want("s1", permission.SessionEnded, 0)
		time.Sleep(time.Second)
		finish(in("s1", "read_file"))
		want("s1", permission.SessionWorking, 0)
		time.Sleep(10 * time.Minute)
		want("s1", permission.SessionEnded, 0)
		time.Sleep(24 * time.Hour)
		want("s1", "", 0)
	})
}

// TestSessionsOfConnectedClients are listed once, beside those that the desk keeps: at work
// however quiet, and after those in review.
func TestSessionsOfConnectedClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		defer h.close()
		in := func(session, tool string) {
			r := h.request(tool)
			r.SessionID = permission.SessionID(session)
			h.askAll(r)
		}
		h.rule(permission.Deny, "read_*")
		in("quiet", "read_file")
		time.Sleep(time.Hour)
		in("review", "write_file")
		time.Sleep(time.Second)
		in("late", "read_file")
		now := permission.TimeOf(time.Now())
		client := "claude-code"
		all, err := h.Sessions(ctx, []permission.Session{
			{ID: "quiet", AgentID: "a", Client: &client, CreatedAt: 1, LastSeenAt: now.Add(time.Second)},
			{ID: "quiet", AgentID: "b", Client: &client, CreatedAt: 1, LastSeenAt: 1}})
		var got []string
		for _, s := range all {
			got = append(got, fmt.Sprint(s.AgentID, " ", s.ID, " ", s.State, " ", s.Client != nil))
		}
		if want := "a review review false, a quiet working true, a late working false, b quiet working true"; strings.Join(got, ", ") != want || err != nil {
			t.Errorf("%v %v, want %s", got, err, want)
		}
		if all[1].CreatedAt != 1 || all[1].LastSeenAt != now.Add(time.Second) {
			t.Errorf("%+v", all[1])
		}
	})
}

// TestTheJournalNamesTheDoorOfAnAnswer: by which way a person gave it.
func TestTheJournalNamesTheDoorOfAnAnswer(t *testing.T) {
	h := open(t)
	defer h.close()
	c := h.ask("write_file")
	if _, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev, Door: "window"}); err != nil {
		t.Fatal(err)
	}
	entries, _, err := h.store.Journal(ctx, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	last := entries[len(entries)-1]
	if last.Kind != permission.CallDecided || !strings.Contains(string(last.Data), `"door":"window"`) {
		t.Errorf("%s %s", last.Kind, last.Data)
	}
}
