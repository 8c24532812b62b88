package journal

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// checkpointEach is how many entries a signature comes after, at the latest.
const checkpointEach = 1000

// signing is what the writer signs the journal with. Without a key it signs nothing.
type signing struct {
	key     ed25519.PrivateKey
	journal string // its name
	last    int64  // the newest checkpoint; 0: none is known
}

// due reports whether the entries up to one are to be signed: after so many, or now.
func (s *signing) due(end head, now bool) bool {
	since := end.seq - s.last
	return s.key != nil && since >= 1 && (now || since >= checkpointEach)
}

// checkpoint is the entry that signs the one at h.
func (s *signing) checkpoint(h head, at permission.Time, end bool) (e permission.Entry, err error) {
	e = permission.Entry{At: at, Kind: permission.CheckpointKind, Actor: permission.ActorDesk}
	c := permission.Checkpoint{Journal: s.journal, Seq: h.seq, Hash: h.hash, End: end}
	c.Sign(s.key, at)
	e.Data, err = json.Marshal(c)
	return e, err
}

// ErrNoKey says that the journal is not signed.
var ErrNoKey = &permission.Error{Code: permission.CodeUnavailable,
	Message: "the journal is not signed: its key could not be read or made, as the desk said when it started"}

// SignedEnd is the last line of an export that ends with the newest entry: a checkpoint
// over that entry, which follows it by number and hash and is not kept.
func (t *Tx) SignedEnd() (e permission.Entry, err error) {
	if t.w.signing.key == nil {
		return e, ErrNoKey
	}
	if e, err = t.w.signing.checkpoint(t.head, t.Now(), true); err != nil {
		return e, err
	}
	e.Seq, e.PrevHash = t.head.seq+1, t.head.hash
	e.Hash, err = rawjson.Sum(e.Unhashed())
	return e, err
}

// errSigned says that there is nothing to sign, or no key.
var errSigned = errors.New("nothing is to be signed")

// SignEnd lets the transaction be signed where anything was written since the last
// checkpoint; else it is an error, and nothing is written.
func (t *Tx) SignEnd() error {
	if t.w.stated = t.w.signing.due(t.head, true); !t.w.stated {
		return errSigned
	}
	return nil
}

// SignWith lets the journal be signed from now on: each 1,000 entries, and at once what tells
// of the sets. What a check has found out holds the journal in dispute, or is signed anew.
func (t *Tx) SignWith(held *Seals) error {
	t.w.signing = signing{key: held.key, journal: t.w.Name, last: held.last}
	t.stated = t.head.seq > held.last // to be signed now
	switch {
	case held.distrust > 0:
		t.w.disputes.distrust(held.distrust)
		return t.snapshot("unsigned")
	case held.renewed: // from here on, what is said of the sets is signed by this key
		return t.snapshot("signed anew")
	}
	return nil
}
