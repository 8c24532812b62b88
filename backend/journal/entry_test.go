package journal

import (
	"testing"
	"unicode/utf8"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// FuzzEntryHash holds the hash that is made by hand against the one that Unhashed
// says: both refuse the same data.
func FuzzEntryHash(f *testing.F) {
	f.Add(int64(1), "call.created", "agent:a", "id", []byte(`{"b":1,"a":"\u003c"}`), "")
	f.Add(int64(0), "k\"<>&\u2028", "\xff\xfe a \x00", "", []byte(` [1.0, "é\/" ] `), "00ff")
	f.Add(int64(-5), "", "日本", "\\", []byte(`{"a":1,"a":2}`), "x\"y")
	f.Add(int64(253402300800000), "k", "a", "id", []byte(`{"half":`), "")
	f.Add(int64(7), "k", "a", "id", []byte("\"\xff\""), "")
	f.Add(int64(7), "k", "a", "id", []byte{}, "")
	f.Fuzz(func(t *testing.T, at int64, kind, actor, id string, data []byte, prev string) {
		e := permission.Entry{At: permission.Time(at), Kind: permission.EntryKind(kind), Actor: actor, Data: data}
		var call *permission.Call
		if id != "" {
			call = &permission.Call{ID: permission.CallID(id)}
		}
		r, err := NewDraft(e, call)
		if data == nil {
			e.Data = []byte("{}")
		}
		if call != nil {
			e.CallID = &call.ID
		}
		e.Seq, e.PrevHash = 42, prev
		want, wantErr := rawjson.Sum(e.Unhashed())
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("by hand %v, by its form %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if got := r.place(head{41, prev}); got != (head{42, want}) {
			t.Errorf("%+v, want %s", got, want)
		}
		if utf8.ValidString(actor) && r.args[3].Value != actor {
			t.Errorf("actor %q", r.args[3].Value)
		}
	})
}

// TestTheEndIsNotRememberedAfterAFailure: what is on disk is not certain then.
func TestTheEndIsNotRememberedAfterAFailure(t *testing.T) {
	w := &Writer{head: head{seq: 7}, certain: true}
	if err := w.Begin(); err != nil || w.end.seq != 7 {
		t.Fatal(err, w.end)
	}
	if w.Undone(); w.certain {
		t.Error("the next transaction goes on from memory")
	}
}
