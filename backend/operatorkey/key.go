// Package operatorkey is the key of the person who decides at a desk without a window: an
// Ed25519 key, of which the desk has the public half alone, and which signs the desk's challenges.
package operatorkey

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"

	"sekisho/backend/proof"
)

// LoginPath is the row of a desk that gives challenges, and below it the one that takes
// signatures.
const LoginPath = "/v1/operator/challenge"

// Key is the secret half of an operator's key, printed as its seed. A desk is given the public
// half alone, with which nothing can be decided, and which is no secret to those who can read
// the desk's settings.
type Key struct{ private ed25519.PrivateKey }

const (
	keyPrefix    = "skk_"
	publicPrefix = "skp_"
)

var encoding = base64.RawURLEncoding.Strict()

// New makes a key of 256 random bits.
func New() Key {
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed) // never fails: it ends the program instead
	return Key{ed25519.NewKeyFromSeed(seed)}
}

// Parse reads a printed key. IsKey is false of what is a token of another kind.
func Parse(token string) (k Key, isKey bool, err error) {
	text, isKey := strings.CutPrefix(token, keyPrefix)
	if !isKey {
		return k, false, nil
	}
	seed, err := encoding.DecodeString(text)
	if err != nil || len(seed) != ed25519.SeedSize {
		return k, true, errors.New("this operator's token is not whole: it is " + keyPrefix + " and 43 characters")
	}
	return Key{ed25519.NewKeyFromSeed(seed)}, true, nil
}

// Printed is the key as its person keeps it.
func (k Key) Printed() string { return keyPrefix + encoding.EncodeToString(k.private.Seed()) }

// Public is the half that the desk is given.
func (k Key) Public() Public { return Public(k.private.Public().(ed25519.PublicKey)) }

// Sign answers a challenge of the desk that was reached at an address.
func (k Key) Sign(challenge, address string) string {
	return encoding.EncodeToString(ed25519.Sign(k.private, loginMessage(challenge, address)))
}

// Public is the public half of an operator's key.
type Public ed25519.PublicKey

// ParsePublic reads what String has written.
func ParsePublic(text string) (Public, error) {
	text, ok := strings.CutPrefix(text, publicPrefix)
	raw, err := encoding.DecodeString(text)
	if !ok || err != nil || len(raw) != ed25519.PublicKeySize {
		return nil, errors.New("this is no public half of an operator's key: that is " + publicPrefix + " and 43 characters")
	}
	return Public(raw), nil
}

func (p Public) String() string { return publicPrefix + encoding.EncodeToString(p) }

// Hash stands for the key in a proof as the hash of a token does: with it a desk shows that
// it was given this key, which keeps programs of other users from posing as it.
func (p Public) Hash() proof.Hash { return proof.HashOf(p.String()) }

// Signed reports whether a signature answers a challenge.
func (p Public) Signed(challenge, address, signature string) bool {
	raw, err := encoding.DecodeString(signature)
	return err == nil && ed25519.Verify(ed25519.PublicKey(p), loginMessage(challenge, address), raw)
}

// loginMessage is what is signed. Its purpose keeps signatures apart from whatever else the
// key may ever sign, and the address keeps another program from passing a challenge on: a
// desk takes what was signed for its own address alone. Neither part has a line end in it.
func loginMessage(challenge, address string) []byte {
	return []byte("sekisho-login-1\n" + challenge + "\n" + address)
}
