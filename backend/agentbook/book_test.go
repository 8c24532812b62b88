package agentbook_test

import (
	"errors"
	"testing"

	"sekisho/backend/agentbook"
	"sekisho/backend/permission"
)

// TestABookKnowsWhoAsksAndWhoIsStopped, and an edit leaves the book before as it was.
func TestABookKnowsWhoAsksAndWhoIsStopped(t *testing.T) {
	first := agentbook.New(nil, nil)
	one := permission.Agent{ID: "1", Name: "one"}
	book := first.With("hash", one).With("other", permission.Agent{ID: "2", Name: "two", StoppedUntil: 50})
	if got, err := book.Agent("hash"); err != nil || got != one {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := first.Agent("hash"); !errors.Is(err, permission.NotFound("")) {
		t.Errorf("the book before knows of it: %v", err)
	}
	stopped := one
	stopped.StoppedUntil = 100
	after := book.Edited(stopped)
	if no := after.Stopped("1", 99); no == nil || no.Approved || no.By != permission.ByPerson || no.DecidedAt != 99 {
		t.Errorf("%+v", no)
	}
	for id, at := range map[permission.AgentID]permission.Time{"1": 100, "2": 50, "3": 0} {
		if no := after.Stopped(id, at); no != nil {
			t.Errorf("%s is stopped at %d", id, at)
		}
	}
	if book.Stopped("1", 0) != nil || after.Stopped("2", 49) == nil {
		t.Error("an edit of one agent is about another, or about the book before")
	}
	if gone := after.Without("1"); gone.Knows("1") || !gone.Knows("2") || !after.Knows("1") || gone.Stopped("1", 0) != nil {
		t.Error("a removed agent is known, or another one is not")
	}
}

// TestABookThatCouldNotBeReadSaysSo, until there is another.
func TestABookThatCouldNotBeReadSaysSo(t *testing.T) {
	refusal := &permission.Error{Code: permission.CodeUnavailable, Message: "no disk"}
	book := agentbook.New(nil, refusal)
	if _, err := book.Agent("hash"); !errors.Is(err, refusal) {
		t.Errorf("%v", err)
	}
	if _, err := book.Prove("key", "nonce", "address"); !errors.Is(err, refusal) {
		t.Errorf("%v", err)
	}
	if _, err := book.With("hash", permission.Agent{}).Agent("another"); !errors.Is(err, permission.NotFound("")) {
		t.Errorf("%v", err)
	}
}
