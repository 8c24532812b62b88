package journal

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// Range are entries of the journal, by number; 0 to 0 are none.
type Range struct{ First, Last int64 }

// Seals holds what a start relies on in the journal against its key: what it says last of
// the sets, and its end. What lies before that is for Verify, which reads all.
type Seals struct {
	Unsigned Range  // the entries after the last signature, which a desk leaves that was killed: calls alone
	Broken   string // what is wrong with the end of the chain, in words

	key     ed25519.PrivateKey
	journal string
	fresh   bool  // the key was made just now: whoever signed before had another one
	through int64 // the newest entry that is looked at

	renewed  bool  // another key has signed before
	distrust int64 // this entry is not signed as it has to be
	last     int64 // the newest signature
}

// maxUnsigned bounds how many entries are followed to the next signature: as many as one
// commit may put before it.
const maxUnsigned = checkpointEach + 2*database.MaxGroup

// CheckSeals holds the journal against a key. What was there when it was opened has to be signed
// by it: where what the journal says last of the sets is not, the journal is in dispute. fresh
// says that the key was made just now: a journal without signatures has not lost them then,
// and one that another key has signed, on another computer, is taken as it stands.
func (w *Writer) CheckSeals(db database.Querier, key ed25519.PrivateKey, fresh bool) (*Seals, error) {
	if w.Name == "" {
		return nil, errors.New("its name is lost")
	}
	s := &Seals{key: key, journal: w.Name, fresh: fresh, through: w.opened}
	return s, s.check(db)
}

func (s *Seals) check(db database.Querier) error {
	signed, at, err := newestCheckpoint(db)
	if err != nil || s.fresh {
		s.renewed = signed != nil
		return err
	}
	var stated int64
	err = statements(db, func(_ statement, seq int64) bool {
		stated = seq
		return seq > s.through
	})
	if err != nil { // it is in dispute already
		return nil
	}
	if stated > s.through {
		stated = 0
	}
	switch {
	case signed == nil:
		s.distrust = stated
		return nil
	case !s.good(signed, &at):
		s.distrust = at.Seq
		return nil
	}
	s.last = at.Seq
	if err := s.follow(db, at.Seq-1, s.through, nil); err != nil || stated == 0 {
		return err
	}
	if at.Seq < s.through {
		s.Unsigned = Range{at.Seq + 1, s.through}
	}
	found := false
	err = s.follow(db, stated, min(at.Seq, stated+maxUnsigned), func(e *permission.Entry) (more bool) {
		if e.Kind == permission.CheckpointKind {
			found = s.against().Add(*e) == ""
			return false
		}
		return true
	})
	if err == nil && !found {
		s.distrust = stated
	}
	return err
}

// against are the seals of the key.
func (s *Seals) against() *permission.Seals {
	return &permission.Seals{Keys: []ed25519.PublicKey{s.key.Public().(ed25519.PublicKey)}, Journal: s.journal}
}

// good reports whether a checkpoint is by the key, and over the entry before it.
func (s *Seals) good(c *permission.Checkpoint, e *permission.Entry) bool {
	return carriesHash(e) && s.against().Add(*e) == ""
}

// follow walks the chain over some entries, and notes where it is broken.
func (s *Seals) follow(db database.Querier, first, last int64, visit func(*permission.Entry) (more bool)) error {
	rows, err := db.Query("SELECT "+Columns+" FROM journal WHERE seq BETWEEN ? AND ? ORDER BY seq", first, last)
	if err != nil {
		return err
	}
	defer rows.Close()
	before := ""
	for rows.Next() {
		e, err := Scan(rows)
		if err != nil {
			return err
		}
		if !carriesHash(&e) || before != "" && e.PrevHash != before {
			s.Broken = fmt.Sprintf("entry %d of the journal is not what was written after the one before it", e.Seq)
			return nil
		}
		if before = e.Hash; visit != nil && !visit(&e) {
			return nil
		}
	}
	return rows.Err()
}
