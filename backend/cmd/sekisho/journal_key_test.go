package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/journalkey"
	"sekisho/backend/permission"
)

// signer makes the journals of one desk.
type signer struct {
	*testing.T
	key  ed25519.PrivateKey
	name string
}

func newSigner(t *testing.T) signer {
	key, _, err := journalkey.Open(filepath.Join(t.TempDir(), "keys", "one.key"))
	if err != nil {
		t.Fatal(err)
	}
	return signer{t, key, "journal-1"}
}

// checkpoint is an entry that signs entry seq, whose hash is given.
func (s signer) checkpoint(seq int64, hash string, end bool) permission.Entry {
	e := permission.Entry{At: 7, Kind: permission.CheckpointKind, Actor: permission.ActorDesk}
	c := permission.Checkpoint{Journal: s.name, Seq: seq, Hash: hash, End: end}
	c.Sign(s.key, e.At)
	e.Data, _ = json.Marshal(c)
	return e
}

func noted(n string) permission.Entry {
	return permission.Entry{At: 1, Kind: permission.RulesChanged, Actor: permission.ActorPerson, Data: []byte(`{"n":"` + n + `"}`)}
}

// export is three entries, a checkpoint, one more, and the signed end.
func (s signer) export(changed string) []string {
	lines, prev := seal(s, 0, "", noted("1"), noted(changed), noted("3"))
	more, prev := seal(s, 3, prev, s.checkpoint(3, prev, false), noted("5"))
	end, _ := seal(s, 5, prev, s.checkpoint(5, prev, true))
	return append(append(lines, more...), end...)
}

func (s signer) verify(lines []string, keys ...ed25519.PrivateKey) (string, error) {
	var public []ed25519.PublicKey
	for _, key := range keys {
		public = append(public, key.Public().(ed25519.PublicKey))
	}
	var out bytes.Buffer
	err := verify(strings.NewReader(strings.Join(lines, "\n")), &out, false, public)
	return out.String(), err
}

// TestAnExportIsHeldAgainstAKey: what hashes cannot show, a signature does.
func TestAnExportIsHeldAgainstAKey(t *testing.T) {
	s, other := newSigner(t), newSigner(t)
	whole := s.export("2")
	out, err := s.verify(whole, s.key)
	if err != nil || !strings.Contains(out, "Whole: 5 entries, 1 to 5.") || !strings.Contains(out, "Signed to its end") {
		t.Fatalf("whole: %v\n%s", err, out)
	}
	if _, err := s.verify(whole, other.key, s.key); err != nil {
		t.Errorf("with a key that was replaced: %v", err)
	}
	if out, err := s.verify(whole); err != nil || !strings.Contains(out, "were not checked") {
		t.Errorf("without a key: %v\n%s", err, out)
	}
	foreign := s
	foreign.name = "journal-2"
	rewritten := s.export("other")
	begin, prev := seal(t, 0, "", noted("1"), noted("other"), noted("3"))
	stale, prev5 := seal(t, 3, prev, s.checkpoint(3, "00", false), noted("5"))
	late, _ := seal(t, 5, prev5, s.checkpoint(3, prev, true))
	mark, _ := seal(t, 5, prev5, s.checkpoint(5, prev5, false))
	beyond, _ := seal(t, 6, last(t, whole[5]), noted("7"))
	for name, lines := range map[string][]string{
		"another's key":                       other.export("2"),
		"cut at the end":                      whole[:5],
		"cut behind a checkpoint within":      whole[:4],
		"cut in the middle":                   append(whole[:2:2], whole[5]),
		"rewritten, and signed by another":    append(rewritten[:3:3], other.export("other")[3:]...),
		"rewritten, with the first's end":     append(rewritten[:5:5], whole[5]),
		"a checkpoint over another entry":     append(append(begin, stale...), late...),
		"an end that is a checkpoint within":  append(append(append([]string{}, begin...), whole[3:5]...), mark...),
		"entries after the end":               append(whole[:6:6], beyond...),
		"the end of another journal":          append(whole[:5:5], foreign.export("2")[5]),
		"the end twice":                       append(whole[:6:6], whole[5]),
		"an end whose time was changed":       append(whole[:5:5], later(t, whole[5])),
		"nothing but the end of another part": {whole[5]},
	} {
		if out, err := s.verify(lines, s.key); err == nil {
			t.Errorf("%s passes:\n%s", name, out)
		}
	}
}

func last(t *testing.T, line string) string {
	var e permission.Entry
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatal(err)
	}
	return e.Hash
}

// later is a line with another time, and the hash that it then has.
func later(t *testing.T, line string) string {
	var e permission.Entry
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatal(err)
	}
	e.At++
	lines, _ := seal(t, e.Seq-1, e.PrevHash, e)
	return lines[0]
}

func TestKeysAreReadAsTheyAreGiven(t *testing.T) {
	s := newSigner(t)
	file := filepath.Join(t.TempDir(), "noted")
	if err := os.WriteFile(file, []byte("journal-1 "+public(s.key)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	keys, err := publicKeys([]string{public(s.key), file})
	if err != nil || len(keys) != 2 || !keys[0].Equal(keys[1]) {
		t.Errorf("%v %v", keys, err)
	}
	for _, bad := range []string{"", "ed25519:AAAA", "/no/such/file", os.DevNull} {
		if _, err := publicKeys([]string{bad}); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}
