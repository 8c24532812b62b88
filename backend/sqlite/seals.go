package sqlite

import (
	"crypto/ed25519"
	"fmt"

	"sekisho/backend/permission"
)

// Range are entries of the journal, by number; 0 to 0 are none.
type Range struct{ First, Last int64 }

// seals holds what a start relies on in the journal against its key: what it says last of
// the sets, and its end. What lies before that is for Verify, which reads all.
type seals struct {
	public  ed25519.PublicKey
	journal string
	fresh   bool  // the key was made just now: whoever signed before had another one
	through int64 // the newest entry that is looked at

	renewed  bool   // another key has signed before
	distrust int64  // this entry is not signed as it has to be
	last     int64  // the newest signature
	broken   string // what is wrong with the end of the chain, in words
	unsigned Range
}

// maxUnsigned bounds how many entries are followed to the next signature: as many as one
// commit may put before it.
const maxUnsigned = checkpointEach + 2*maxGroup

func (s *seals) check(db rowsReader) error {
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
		s.unsigned = Range{at.Seq + 1, s.through}
	}
	found := false
	err = s.follow(db, stated, min(at.Seq, stated+maxUnsigned), func(e *permission.Entry) (more bool) {
		if e.Kind == permission.CheckpointKind {
			why := (&permission.Seals{Keys: []ed25519.PublicKey{s.public}, Journal: s.journal}).Add(*e)
			found = why == ""
			return false
		}
		return true
	})
	if err == nil && !found {
		s.distrust = stated
	}
	return err
}

// good reports whether a checkpoint is by the key, and over the entry before it.
func (s *seals) good(c *permission.Checkpoint, e *permission.Entry) bool {
	return carriesHash(e) && (&permission.Seals{Keys: []ed25519.PublicKey{s.public}, Journal: s.journal}).Add(*e) == ""
}

// follow walks the chain over some entries, and notes where it is broken.
func (s *seals) follow(db rowsReader, first, last int64, visit func(*permission.Entry) (more bool)) error {
	rows, err := db.Query("SELECT "+entryColumns+" FROM journal WHERE seq BETWEEN ? AND ? ORDER BY seq", first, last)
	if err != nil {
		return err
	}
	defer rows.Close()
	before := ""
	for rows.Next() {
		e, err := scanEntry(rows)
		if err != nil {
			return err
		}
		if !carriesHash(&e) || before != "" && e.PrevHash != before {
			s.broken = fmt.Sprintf("entry %d of the journal is not what was written after the one before it", e.Seq)
			return nil
		}
		if before = e.Hash; visit != nil && !visit(&e) {
			return nil
		}
	}
	return rows.Err()
}
