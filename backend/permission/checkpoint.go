package permission

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Checkpoint is the data of an entry that signs the one before it, and with that, by the
// chain, all before. Journal is the name of the journal, so that no other's serves in its
// place. End marks the last line of an export, which is not kept: what stands in a journal
// cannot be passed off as where an export ended.
type Checkpoint struct {
	Journal string `json:"journal"`
	Seq     int64  `json:"seq"`
	Hash    string `json:"hash"`
	End     bool   `json:"end"`
	Key     string `json:"key"`
	Sig     string `json:"sig"`
}

const keyPrefix = "ed25519:"

// PublicKey writes a key as people compare and hand it on.
func PublicKey(key ed25519.PublicKey) string {
	return keyPrefix + base64.StdEncoding.EncodeToString(key)
}

// ParsePublicKey reads what PublicKey writes.
func ParsePublicKey(text string) (ed25519.PublicKey, error) {
	encoded, ok := strings.CutPrefix(strings.TrimSpace(text), keyPrefix)
	raw, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || len(raw) != ed25519.PublicKeySize {
		return nil, errors.New("a public key is " + keyPrefix + " and 44 letters of base64")
	}
	return raw, nil
}

// message is what the signature covers: all of the checkpoint, and when it was made.
func (c *Checkpoint) message(at Time) []byte {
	return fmt.Appendf(nil, "sekisho journal checkpoint 1\n%s\n%d\n%s\n%t\n%s\n", c.Journal, c.Seq, c.Hash, c.End, at)
}

// Sign completes a checkpoint that is made at a time.
func (c *Checkpoint) Sign(key ed25519.PrivateKey, at Time) {
	c.Key = PublicKey(key.Public().(ed25519.PublicKey))
	c.Sig = base64.StdEncoding.EncodeToString(ed25519.Sign(key, c.message(at)))
}

// SignedBy reports whether the signature is good and was made with the private part of
// a key.
func (c *Checkpoint) SignedBy(key ed25519.PublicKey, at Time) bool {
	sig, err := base64.StdEncoding.Strict().DecodeString(c.Sig)
	return err == nil && c.Key == PublicKey(key) && ed25519.Verify(key, c.message(at), sig)
}

// Seals holds the checkpoints of a journal against the keys of who may have signed it.
// Without keys it follows them and believes none.
type Seals struct {
	Keys    []ed25519.PublicKey
	Journal string // its name, as the checkpoints say
	Key     string // of the newest checkpoint
	Count   int64
	Last    int64 // the newest entry that is signed
	Ended   bool  // the entry added last is the signed end of an export
}

// Add takes the next entry, whose place in the chain was checked, and says what is wrong
// with it as a checkpoint.
func (s *Seals) Add(e Entry) (why string) {
	if s.Ended {
		return "it stands after the signed end of the export"
	}
	if e.Kind != CheckpointKind {
		return ""
	}
	var c Checkpoint
	d := json.NewDecoder(bytes.NewReader(e.Data))
	d.DisallowUnknownFields()
	switch {
	case d.Decode(&c) != nil || e.Actor != ActorDesk || e.CallID != nil:
		return "it is no checkpoint that a desk writes"
	case c.Seq != e.Seq-1 || c.Hash != e.PrevHash:
		return "it is a checkpoint over another entry than the one before it"
	case s.Journal != "" && s.Journal != c.Journal:
		return "it is a checkpoint of another journal"
	case len(s.Keys) > 0 && !slices.ContainsFunc(s.Keys, func(k ed25519.PublicKey) bool { return c.SignedBy(k, e.At) }):
		return "its signature is not by the key: what comes before it was rewritten, or signed by another"
	}
	s.Journal, s.Key, s.Last, s.Ended = c.Journal, c.Key, c.Seq, c.End
	s.Count++
	return ""
}
