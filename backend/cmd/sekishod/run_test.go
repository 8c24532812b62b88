package main

import (
	"encoding/json"
	"os"
	"testing"
)

// TestARestoredFolderIsAnotherRun: lists and events name the desk's run, so that a page
// which knows a higher rev takes the smaller one of a restored folder for what it is.
func TestARestoredFolderIsAnotherRun(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()+"/kept"
	d := start(t, dir)
	agent := d.agent("a")
	d.kill()
	if err := os.CopyFS(kept, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}

	run := func(dir string, asks int) (desk, rev string) {
		d := start(t, dir)
		defer d.kill()
		op, a := d.visit(t, "operator", operator), d.visit(t, "agent", agent)
		events, stop := op.listen("", "")
		defer stop()
		for range asks {
			a.ask(201, fields{"input": fields{}})
		}
		list := op.do(200, "GET /v1/calls?status=pending", nil)
		for range asks {
			var e struct{ Desk string }
			if err := json.Unmarshal([]byte(op.hear(events, "call.created")[0].data), &e); err != nil || e.Desk != list.text("desk") {
				t.Errorf("an event is of the desk %q, and the list of %q (%v)", e.Desk, list.text("desk"), err)
			}
		}
		return list.text("desk"), list.text("rev")
	}
	before, rev := run(dir, 3)
	restored, back := run(kept, 1)
	if before == "" || before == restored || len(back) > len(rev) || back >= rev {
		t.Errorf("the run %q at rev %s, restored %q at rev %s: a reader cannot tell", before, rev, restored, back)
	}
}
