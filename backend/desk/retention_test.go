package desk_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

func TestRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		defer h.close()
		old, open := h.ask("write_file"), permission.Call{}
		if _, err := h.decide(old, false); err != nil {
			t.Fatal(err)
		}
		h.set(func(s *permission.Settings) { s.Deadlines.Medium = nil })
		r := h.request("write_file")
		r.Input = json.RawMessage(`{"still":"needed"}`)
		open = h.askAll(r)
		if err := h.Retain(ctx); err != nil {
			t.Fatal(err)
		}
		if c := h.want(old, permission.Declined, false); c.InputWiped {
			t.Error("wiped although nothing says so")
		}
		time.Sleep(3 * 24 * time.Hour)
		h.set(func(s *permission.Settings) { s.Retention.InputDays, s.Retention.JournalDays = 2, 2 })
		if err := h.Retain(ctx); err != nil {
			t.Fatal(err)
		}
		if c := h.want(old, permission.Declined, false); !c.InputWiped || string(c.Input) != "null" || c.InputHash != old.InputHash {
			t.Errorf("the old input is %s, hash %s", c.Input, c.InputHash)
		}
		if c := h.want(open, permission.Pending, false); c.InputWiped || string(c.Input) != `{"still":"needed"}` {
			t.Errorf("a waiting call lost its input: %s", c.Input)
		}
		entries, _, err := h.Entries(ctx, 0, 100)
		if err != nil || len(entries) == 0 || entries[0].Seq == 1 || entries[0].PrevHash == "" {
			t.Errorf("the journal was not trimmed: %+v %v", entries, err)
		}
		h.journalSays(permission.ActorDesk, permission.JournalTrimmed, 1)
		if c, err := h.WipeInput(ctx, open.ID); code(err) != permission.CodeNotApproved || c.InputWiped {
			t.Errorf("wiped by hand while it waits: %v", err)
		}
		if _, err := h.decide(open, false); err != nil {
			t.Fatal(err)
		}
		if c, err := h.WipeInput(ctx, open.ID); err != nil || !c.InputWiped || string(c.Input) != "null" {
			t.Errorf("wiped by hand: %+v %v", c, err)
		}
	})
}
