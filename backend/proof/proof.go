// Package proof lets a desk prove that it is the desk before a program gives it a token.
// A port is no name: when a desk ends, any program of any user can take its port, and
// would be handed whatever is sent there.
//
// The program sends a fresh nonce and the key of its token; the desk answers with an
// HMAC that only a holder of the token's hash can make, over the nonce and the address
// that the program reached. The hash is what a desk keeps of a token anyway, and what
// nobody else has. The address keeps another program from passing the question on to
// the real desk: that does not listen where the other program does.
package proof

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/netip"
	"strings"
)

// Path is the row of a desk that proves it.
const Path = "/v1/proof"

// Question is what a program asks.
type Question struct {
	Key     string `json:"key"`
	Nonce   string `json:"nonce"`
	Address string `json:"address,omitempty"`
}

// Answer is what a desk answers.
type Answer struct {
	Proof string `json:"proof"`
}

// Hash is what a desk keeps of a token: its SHA-256.
type Hash [sha256.Size]byte

// HashOf gives the hash of a token.
func HashOf(token string) Hash { return sha256.Sum256([]byte(token)) }

// Key names a token without telling it: 8 bytes of the hash of its hash, in hexadecimal.
func (h Hash) Key() string {
	sum := sha256.Sum256(h[:])
	return hex.EncodeToString(sum[:8])
}

// purpose keeps these proofs apart from whatever else a token's hash may ever be the key of.
const purpose = "sekisho-proof-1"

// Of gives the proof for a nonce and an address, in hexadecimal. Neither of them has a
// line end in it, so that no two questions read the same.
func (h Hash) Of(nonce, address string) string {
	mac := hmac.New(sha256.New, h[:])
	mac.Write([]byte(purpose + "\n" + nonce + "\n" + address))
	return hex.EncodeToString(mac.Sum(nil))
}

// Ask makes a new question to what is at an address.
func (h Hash) Ask(address string) Question {
	var nonce [32]byte
	rand.Read(nonce[:]) // never fails: it ends the program instead
	return Question{Key: h.Key(), Nonce: hex.EncodeToString(nonce[:]), Address: address}
}

// Proves reports whether a body is the proof that a question asks for.
func (h Hash) Proves(q Question, body []byte) bool {
	var said Answer
	return json.Unmarshal(body, &said) == nil && hmac.Equal([]byte(said.Proof), []byte(h.Of(q.Nonce, q.Address)))
}

// ValidNonce reports whether a desk takes a nonce: 32 to 128 letters, digits, dashes and
// underscores.
func ValidNonce(nonce string) bool {
	const taken = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return len(nonce) >= 32 && len(nonce) <= 128 && strings.Trim(nonce, taken) == ""
}

// ValidKey reports whether a text can be a key.
func ValidKey(key string) bool { return len(key) == 16 && strings.Trim(key, "0123456789abcdef") == "" }

// Address spells host:port in the one way in which both sides write it: numbers as
// themselves, an IPv4 address as one also where it came over IPv6, names in lower case.
func Address(address string) string {
	if at, err := netip.ParseAddrPort(address); err == nil {
		return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port()).String()
	}
	return strings.ToLower(address)
}

// Dialled is the address that a connection was made to. One that was given by number, or
// as localhost, is the one that was reached; any other name stands for itself.
func Dialled(address string, conn net.Conn) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return Address(address)
	}
	if _, err := netip.ParseAddr(host); err == nil || strings.EqualFold(host, "localhost") {
		return Address(conn.RemoteAddr().String())
	}
	return Address(address)
}
