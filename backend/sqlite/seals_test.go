package sqlite

import (
	"crypto/ed25519"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/database"
	"sekisho/backend/journal"
	"sekisho/backend/permission"
)

func newKey(t *testing.T) (ed25519.PublicKey, ed25519.PrivateKey) {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return public, key
}

func sign(t *testing.T, s *Store, key ed25519.PrivateKey, fresh bool) journal.Range {
	t.Helper()
	unsigned, err := s.SignWith(t.Context(), key, fresh)
	if err != nil {
		t.Fatal(err)
	}
	return unsigned
}

// signed is a furnished folder whose journal is signed to its end.
func signed(t *testing.T) (dir string, public ed25519.PublicKey, key ed25519.PrivateKey) {
	dir = furnished(t)
	public, key = newKey(t)
	s := opened(t, dir)
	sign(t, s, key, true)
	putRules(t, s, false, ruled("more", "x"))
	s.Close()
	return dir, public, key
}

// endedByForce ends a store as a kill does: it signs nothing any more.
func endedByForce(t *testing.T, s *Store, dir string) {
	t.Helper()
	left := map[string][]byte{}
	for _, suffix := range []string{"", "-wal"} {
		raw, err := os.ReadFile(filepath.Join(dir, database.FileName+suffix))
		if err != nil {
			t.Fatal(err)
		}
		left[suffix] = raw
	}
	s.Close()
	for suffix, raw := range left {
		if err := os.WriteFile(filepath.Join(dir, database.FileName+suffix), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAJournalKeepsItsName: one that is gone, or is none, is said, and nothing is taken as
// it stands meanwhile. The name by which it was signed is put back.
func TestAJournalKeepsItsName(t *testing.T) {
	for name, sql := range map[string]string{
		"none": "DELETE FROM journal_name", "a path": "UPDATE journal_name SET name = '../../evil'",
		"another": "UPDATE journal_name SET name = '0190b6e0-0000-7000-8000-000000000000'",
	} {
		for _, withKey := range []bool{false, true} {
			dir, key := furnished(t), ed25519.PrivateKey(nil)
			if withKey {
				dir, _, key = signed(t)
			} else if name == "another" {
				continue // no signature says which it was
			}
			s := opened(t, dir)
			was := s.JournalName()
			s.Close()
			tampered(t, dir, sql, "UPDATE tool_permission_rules SET tool_pattern = '*' WHERE id = 'reads'")
			s = opened(t, dir)
			list := s.Differences()
			if len(list) != 2 || list[0].Key != permission.JournalNameKey || list[1].Key != "reads" ||
				!strings.Contains(s.Disputed(), "name of the journal") || s.JournalName() != "" {
				t.Fatalf("%s: %+v %q %q", name, list, s.Disputed(), s.JournalName())
			}
			putRules(t, s, false, ruled("new", "a*"))
			if _, err := s.Settle(t.Context(), ids(list), permission.VersionTable, entry(permission.StateSettled)); err != nil ||
				s.Disputed() != "" {
				t.Fatalf("%s: %v %q", name, err, s.Disputed())
			}
			s.Close()
			s = opened(t, dir)
			if s.Disputed() != "" || s.JournalName() == "" || withKey != (s.JournalName() == was) {
				t.Errorf("%s: %q, named %q, was %q", name, s.Disputed(), s.JournalName(), was)
			}
			if withKey {
				if sign(t, s, key, false); !strings.Contains(s.Disputed(), "not signed by its key") {
					t.Errorf("%s: changes that nobody signed: %q", name, s.Disputed())
				}
			}
		}
	}
}

// TestANewKeySignsWhatStands: a folder that came without its key, from another computer.
func TestANewKeySignsWhatStands(t *testing.T) {
	dir, _, _ := signed(t)
	_, key := newKey(t)
	for i := range 4 {
		s := opened(t, dir)
		if sign(t, s, key, i == 0); s.Disputed() != "" {
			t.Fatalf("start %d: %s", i, s.Disputed())
		}
		if i == 1 {
			putRules(t, s, false, ruled("later", "*"))
		}
		endedByForce(t, s, dir)
	}
}

// TestWhatNobodySignedIsInDispute: rows and entries that somebody wrote who has the folder
// and not the key are found at the next start, and stay in dispute until a person settles.
func TestWhatNobodySignedIsInDispute(t *testing.T) {
	for name, c := range map[string]struct {
		forge func(t *testing.T, s *Store)
		key   bool // another one
	}{
		"an entry appended": {forge: func(t *testing.T, s *Store) { putRules(t, s, false, ruled("evil", "*")) }},
		"signed by another": {forge: func(t *testing.T, s *Store) {
			_, other := newKey(t)
			sign(t, s, other, true)
			putRules(t, s, false, ruled("evil", "*"))
		}},
		"no signature at all": {forge: func(t *testing.T, s *Store) {
			if _, err := s.db.Conn.Exec("DELETE FROM journal WHERE kind = 'checkpoint'"); err != nil {
				t.Fatal(err)
			}
		}},
		"another key": {forge: func(*testing.T, *Store) {}, key: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir, public, key := signed(t)
			s := opened(t, dir)
			c.forge(t, s)
			endedByForce(t, s, dir)
			if c.key {
				_, key = newKey(t)
			}
			for range 2 {
				s = opened(t, dir)
				sign(t, s, key, false)
				if list := s.Differences(); len(list) != 1 || list[0].Set != permission.SetJournal ||
					!strings.Contains(s.Disputed(), "not signed by its key") {
					t.Fatalf("%+v %q", list, s.Disputed())
				}
				s.Close()
			}
			s = opened(t, dir)
			sign(t, s, key, false)
			if _, err := s.Settle(t.Context(), ids(s.Differences()), permission.VersionTable, entry(permission.StateSettled)); err != nil {
				t.Fatal(err)
			}
			endedByForce(t, s, dir)
			s = opened(t, dir)
			if sign(t, s, key, false); s.Disputed() != "" {
				t.Error(s.Disputed())
			}
			s.Close()
			r, err := journal.Verify(t.Context(), dir, permission.Seals{Keys: []ed25519.PublicKey{public}})
			if _, unsigned := r.Unsigned(); name != "an entry appended" && err == nil && unsigned == nil {
				t.Errorf("whole, by the key: %+v", r)
			}
		})
	}
}

// TestAKilledDeskIsNoDispute: what changes rules was signed at once; calls that were not are
// said, and so they are by Verify.
func TestAKilledDeskIsNoDispute(t *testing.T) {
	dir, public, key := signed(t)
	seals := permission.Seals{Keys: []ed25519.PublicKey{public}}
	for _, calls := range []int64{0, 3} {
		s := opened(t, dir)
		if unsigned := sign(t, s, key, false); unsigned.Last != 0 {
			t.Errorf("%+v", unsigned)
		}
		putRules(t, s, false, ruled("more", "y"))
		for range calls {
			if err := s.Note(t.Context(), entry(permission.SettingsChanged)); err != nil {
				t.Fatal(err)
			}
		}
		endedByForce(t, s, dir)
		r, err := journal.Verify(t.Context(), dir, seals)
		if err != nil {
			t.Fatal(err)
		}
		after, err := r.Unsigned()
		if n := after.Last - after.First + 1; err != nil || calls == 0 && after.Last != 0 || calls > 0 && n != calls {
			t.Errorf("%+v after %d calls, %v", after, calls, err)
		}
		s = opened(t, dir)
		if again := sign(t, s, key, false); again != after || s.Disputed() != "" || s.Damage() != "" {
			t.Errorf("%+v and %+v; %q %q", again, after, s.Disputed(), s.Damage())
		}
		chained(t, s)
		s.Close()
	}
	s := opened(t, dir)
	putRules(t, s, false, ruled("evil", "*"))
	s.Close()
	r, err := journal.Verify(t.Context(), dir, seals)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Unsigned(); err == nil {
		t.Errorf("a rule that nobody signed is whole: %+v", r)
	}
}

// TestABrokenEndIsSaid: an entry after the last signature that is not what was written.
func TestABrokenEndIsSaid(t *testing.T) {
	dir, _, key := signed(t)
	s := opened(t, dir)
	for range 3 {
		if err := s.Note(t.Context(), permission.Entry{At: 1, Kind: permission.OperatorRefused, Actor: permission.ActorDesk,
			Data: json.RawMessage(`{"n":1}`)}); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	tampered(t, dir, `UPDATE journal SET data = '{"n":2}' WHERE seq = (SELECT MAX(seq) - 1 FROM journal)`)
	s = opened(t, dir)
	if sign(t, s, key, false); !strings.Contains(s.Damage(), "is not what was written") || s.Disputed() != "" {
		t.Errorf("%q %q", s.Damage(), s.Disputed())
	}
}
