package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
)

// checked runs journal verify on a folder.
func checked(dir string, keys ...ed25519.PublicKey) (out string, err error) {
	var b bytes.Buffer
	c := newVerifyCommand()
	args := []string{dir}
	for _, key := range keys {
		args = append(args, "--key", permission.PublicKey(key))
	}
	c.SetArgs(args)
	c.SetOut(&b)
	c.SetErr(&b)
	err = c.ExecuteContext(context.Background())
	return b.String(), err
}

// kept runs work on the store of a folder, which it signs with a key, where there is one.
func kept(t *testing.T, dir string, key ed25519.PrivateKey, work func(*sqlite.Store)) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if key != nil {
		if _, err := s.SignWith(t.Context(), key, true); err != nil {
			t.Fatal(err)
		}
	}
	work(s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func ruled(t *testing.T, id string) func(*sqlite.Store) {
	return func(s *sqlite.Store) {
		rule := permission.Rule{ID: permission.RuleID(id), ToolName: &id, Effect: permission.Ask, Enabled: true, CreatedAt: 1, UpdatedAt: 1,
			Examples: []permission.Example{}}
		entry := permission.Entry{At: 1, Kind: permission.RulesChanged, Actor: permission.ActorPerson}
		if _, err := s.ChangeRules(t.Context(), permission.RuleChange{Put: []permission.Rule{rule}, Entry: entry}); err != nil {
			t.Fatal(err)
		}
	}
}

func noted(t *testing.T, kind permission.EntryKind, data func(*sqlite.Store) string) func(*sqlite.Store) {
	return func(s *sqlite.Store) {
		if err := s.Note(t.Context(), permission.Entry{At: 1, Kind: kind, Actor: permission.ActorDesk,
			Data: json.RawMessage(data(s))}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatIsNotSignedIsNamed: entries after the last signature, and an entry among them that
// changes rules is no end of a desk that was killed.
func TestWhatIsNotSignedIsNamed(t *testing.T) {
	dir := t.TempDir()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	kept(t, dir, key, ruled(t, "one"))
	out, err := checked(dir, public)
	if err != nil || !strings.Contains(out, "Signed up to entry 1 by ed25519:") || strings.Contains(out, "not signed") {
		t.Errorf("%q %v", out, err)
	}
	kept(t, dir, nil, noted(t, permission.OperatorRefused, func(*sqlite.Store) string { return "{}" }))
	if out, err = checked(dir, public); err != nil || !strings.Contains(out, "Entries 3 to 3 are not signed") {
		t.Errorf("%q %v", out, err)
	}
	kept(t, dir, nil, ruled(t, "two"))
	if out, err = checked(dir, public); err == nil || !strings.Contains(err.Error(), "entry 4 of the journal changes rules") {
		t.Errorf("%q %v", out, err)
	}
}

// TestASignatureIsNotBelievedUnchecked: without a key to hold it against, a forged one is
// told as what was not checked.
func TestASignatureIsNotBelievedUnchecked(t *testing.T) {
	dir := t.TempDir()
	kept(t, dir, nil, ruled(t, "one"))
	kept(t, dir, nil, noted(t, permission.CheckpointKind, func(s *sqlite.Store) string {
		entries, _, err := s.Journal(t.Context(), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		last := entries[len(entries)-1]
		raw, err := json.Marshal(permission.Checkpoint{Journal: s.JournalName(), Seq: last.Seq, Hash: last.Hash, Key: "ed25519:AAAA",
			Sig: "forged"})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}))
	out, err := checked(dir)
	if err != nil || !strings.Contains(out, "The signatures were not checked: say --key") {
		t.Errorf("%q %v", out, err)
	}
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := checked(dir, public); err == nil {
		t.Errorf("%q by a key that signed nothing", out)
	}
}
