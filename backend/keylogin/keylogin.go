// Package keylogin lets the person in who has the operator's key: the desk gives a
// challenge, they sign it, and the desk gives a token that lives for a quarter of an hour.
// The desk has only the public half of the key (package proof), so that who reads its
// settings, or poses as it, gets nothing that another desk would take.
package keylogin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"net/http"
	"sync"
	"time"

	"sekisho/backend/proof"
	"sekisho/backend/restwire"
)

const (
	// SessionLife is how long a token lives.
	SessionLife = 15 * time.Minute

	challengeLife = time.Minute
	maxSessions   = 256
)

// Keys is the operator's key as the desk knows it, with the sessions that it was used for.
// It keeps hashes only, in memory only, and is safe for use by many goroutines.
type Keys struct {
	public proof.Public
	secret [32]byte // that challenges are recognised by

	mu       sync.Mutex
	used     map[string]time.Time     // challenges that were answered, until they are over
	sessions map[proof.Hash]time.Time // until when each lives
}

// New makes the keys of a desk that is decided for by the holder of one.
func New(public proof.Public) *Keys {
	k := &Keys{public: public, used: map[string]time.Time{}, sessions: map[proof.Hash]time.Time{}}
	rand.Read(k.secret[:]) // never fails: it ends the program instead
	return k
}

// Knows reports whether a token is a live session's.
func (k *Keys) Knows(token string, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return now.Before(k.sessions[proof.HashOf(token)])
}

// Proving gives what the desk proves itself with for a key of package proof: that of the
// operator's key, or of a live session. A session is known to the desk that made it alone.
func (k *Keys) Proving(key string, now time.Time) (proof.Hash, bool) {
	if own := k.public.Hash(); own.Key() == key {
		return own, true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for hash, until := range k.sessions {
		if now.Before(until) && hash.Key() == key {
			return hash, true
		}
	}
	return proof.Hash{}, false
}

// challenge makes a text that this desk recognises for a minute: when it ends, 16 random
// bytes, and a code over both. Nothing is kept of it until it is answered, so that nobody
// can use up the room for challenges.
func (k *Keys) challenge(now time.Time) string {
	raw := binary.BigEndian.AppendUint64(nil, uint64(now.Add(challengeLife).UnixMilli()))
	raw = append(raw, make([]byte, 16)...)
	rand.Read(raw[8:])
	return base64.RawURLEncoding.EncodeToString(append(raw, k.code(raw)...))
}

func (k *Keys) code(raw []byte) []byte {
	mac := hmac.New(sha256.New, k.secret[:])
	mac.Write(raw)
	return mac.Sum(nil)
}

// live reports whether a challenge is this desk's, and until when.
func (k *Keys) live(challenge string, now time.Time) (until time.Time, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(challenge)
	if err != nil || len(raw) != 8+16+sha256.Size || subtle.ConstantTimeCompare(k.code(raw[:24]), raw[24:]) != 1 {
		return until, false
	}
	until = time.UnixMilli(int64(binary.BigEndian.Uint64(raw)))
	return until, now.Before(until)
}

// login changes an answered challenge for a token. Each is taken once.
func (k *Keys) login(challenge, address, signature string, now time.Time) (token string, ok bool) {
	until, ok := k.live(challenge, now)
	if !ok || !k.public.Signed(challenge, address, signature) {
		return "", false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	over := func(at time.Time) bool { return !now.Before(at) }
	maps.DeleteFunc(k.used, func(_ string, at time.Time) bool { return over(at) })
	maps.DeleteFunc(k.sessions, func(_ proof.Hash, at time.Time) bool { return over(at) })
	if _, again := k.used[challenge]; again {
		return "", false
	}
	if len(k.sessions) >= maxSessions {
		k.forgetOldest()
	}
	token = "sko_" + rand.Text() + rand.Text()
	k.used[challenge], k.sessions[proof.HashOf(token)] = until, now.Add(SessionLife)
	return token, true
}

func (k *Keys) forgetOldest() {
	var oldest proof.Hash
	for hash, until := range k.sessions {
		if first, any := k.sessions[oldest]; !any || until.Before(first) {
			oldest = hash
		}
	}
	delete(k.sessions, oldest)
}

// Door is what the rows need beside the keys.
type Door struct {
	Keys *Keys // nil: no key lets anybody in
	Now  func() time.Time
	// OwnAddress reports whether the desk can have been reached at an address, and gives it in
	// the form that is signed.
	OwnAddress func(ctx context.Context, asked string) (address string, ok bool)
}

// Add adds the rows.
func (d Door) Add(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "POST " + proof.LoginPath, ID: "challengeOperator", Remote: true,
		Summary: "Give a challenge to whoever has the operator's key",
		About:   "Of a desk that was started with --operator-key-file; 401 of others. A challenge is answered once, within a minute."}, d.ask)
	restwire.Register(a, restwire.Row{Route: "POST " + proof.LoginPath + "/answer", ID: "answerChallenge", Remote: true,
		Summary: "Change a signed challenge for a token",
		About: "signature is that of Ed25519 over \"sekisho-login-1\", the challenge and the address, with a line feed (U+000A) between them, in base64url without padding. " +
			"address is the one that was dialled, as for /v1/proof. The token is for the Authorization header, and lives for 15 minutes or until the desk ends."}, d.answer)
}

type challengeOut struct {
	Body struct {
		Challenge string `json:"challenge"`
	} `nameHint:"Challenge"`
}

func (d Door) ask(context.Context, *struct{}) (*challengeOut, error) {
	if d.Keys == nil {
		return nil, restwire.Unauthorized()
	}
	out := &challengeOut{}
	out.Body.Challenge = d.Keys.challenge(d.Now())
	return out, nil
}

type answerIn struct {
	Body struct {
		Challenge string `json:"challenge" minLength:"1" maxLength:"256"`
		Address   string `json:"address" minLength:"1" maxLength:"300" doc:"host:port that was dialled, localhost as the number that was reached"`
		Signature string `json:"signature" minLength:"1" maxLength:"128"`
	}
}

type answerOut struct {
	Body struct {
		Token   string  `json:"token"`
		Seconds float64 `json:"seconds" doc:"how long it lives"`
	} `nameHint:"OperatorSession"`
}

func (d Door) answer(ctx context.Context, in *answerIn) (*answerOut, error) {
	if d.Keys == nil {
		return nil, restwire.Unauthorized()
	}
	address, ok := d.OwnAddress(ctx, in.Body.Address)
	out := &answerOut{}
	if ok {
		out.Body.Token, ok = d.Keys.login(in.Body.Challenge, address, in.Body.Signature, d.Now())
	}
	if !ok {
		return nil, restwire.Refuse(http.StatusUnauthorized, restwire.CodeUnauthorized,
			"this is no answer to a challenge of this desk: one is taken once, within a minute, by the operator's key, for the address that was reached")
	}
	out.Body.Seconds = SessionLife.Seconds()
	return out, nil
}
