package sqlite

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// checkpointEach is how many entries a signature comes after, at the latest.
const checkpointEach = 1000

// signing is what the writer signs the journal with. Without a key it signs nothing.
type signing struct {
	key     ed25519.PrivateKey
	journal string // its name
	clock   *clock
	last    int64 // the newest checkpoint; 0: none is known
}

// JournalName is the name of this folder's journal, which its signatures hold.
func (s *Store) JournalName() string { return s.name }

// SignWith lets the store sign its journal from now on: each 1,000 entries, at once what
// tells of the rules and the other sets, and at its end. What was there when it was opened
// has to be signed by the same key: where what the journal says last of the sets is not, the
// journal is in dispute. fresh says that the key was made just now: a journal without
// signatures has not lost them then, and one that another key has signed, on another
// computer, is taken as it stands, and signed so. unsigned are the entries after the last signature,
// which a desk leaves that was killed: calls alone.
func (s *Store) SignWith(ctx context.Context, key ed25519.PrivateKey, fresh bool) (unsigned Range, err error) {
	if s.name == "" {
		return unsigned, errors.New("its name is lost")
	}
	held := seals{public: key.Public().(ed25519.PublicKey), journal: s.name, fresh: fresh, through: s.opened}
	if err := held.check(s.reader); err != nil {
		return unsigned, err
	}
	if held.broken != "" {
		s.unread = strings.TrimPrefix(s.unread+"; "+held.broken, "; ")
	}
	return held.unsigned, s.write(ctx, func(t *tx) error {
		t.w.signing = signing{key: key, journal: s.name, clock: s.clock, last: held.last}
		t.stated = t.head.seq > held.last // to be signed now
		switch {
		case held.distrust > 0:
			t.w.disputes.distrust(held.distrust)
			return t.snapshot("unsigned")
		case held.renewed: // from here on, what is said of the sets is signed by this key
			return t.snapshot("signed anew")
		}
		return nil
	})
}

// sign writes a checkpoint when one is due, or, when it is to be done at once, where
// anything was written since the last.
func (t *tx) sign(now bool) error {
	s := &t.w.signing
	since := t.head.seq - s.last
	if s.key == nil || since < 1 || since < checkpointEach && !now {
		return nil
	}
	e, err := s.checkpoint(t.head, false)
	if err == nil {
		err = t.append(e, nil)
	}
	return err
}

// wrote notes the checkpoint of a commit.
func (s *signing) wrote(t *tx) {
	if len(t.events) > 0 {
		s.last = t.head.seq
	}
}

// checkpoint is the entry that signs the one at h.
func (s *signing) checkpoint(h head, end bool) (e permission.Entry, err error) {
	e = permission.Entry{At: s.clock.now(), Kind: permission.CheckpointKind, Actor: permission.ActorDesk}
	c := permission.Checkpoint{Journal: s.journal, Seq: h.seq, Hash: h.hash, End: end}
	c.Sign(s.key, e.At)
	e.Data, err = json.Marshal(c)
	return e, err
}

// ErrNoKey says that the journal is not signed.
var ErrNoKey = &permission.Error{Code: permission.CodeUnavailable,
	Message: "the journal is not signed: its key could not be read or made, as the desk said when it started"}

// SignedEnd is the last line of an export that ends with the newest entry: a checkpoint
// over that entry, which follows it by number and hash and is not kept.
func (s *Store) SignedEnd(ctx context.Context) (e permission.Entry, err error) {
	err = s.write(ctx, func(t *tx) error {
		if t.w.signing.key == nil {
			return ErrNoKey
		}
		if e, err = t.w.signing.checkpoint(t.head, true); err != nil {
			return err
		}
		e.Seq, e.PrevHash = t.head.seq+1, t.head.hash
		e.Hash, err = rawjson.Sum(e.Unhashed())
		return err
	})
	return e, err
}

// signEnd signs what was written since the last checkpoint. The caller has the turn, and
// nobody writes any more.
func (s *Store) signEnd() {
	if s.writer.signing.key == nil || s.disk.fault() != nil {
		return
	}
	j := &job{ctx: context.Background(), done: make(chan struct{}), fn: func(t *tx) error {
		before := t.head.seq
		if before == t.w.signing.last {
			return nil
		}
		if err := t.sign(true); err != nil {
			return err
		}
		t.w.signing.last = t.head.seq
		return nil
	}}
	s.commit([]*job{j})
}
