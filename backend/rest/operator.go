package rest

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"sync"
	"time"

	"sekisho/backend/keylogin"
	"sekisho/backend/proof"
)

const (
	codeLife    = 10 * time.Minute
	sessionLife = 24 * time.Hour
	maxCodes    = 16
	maxSessions = 64
	maxWrong    = 5 // wrong codes answered per second; further ones are told to wait
)

type secretHash [sha256.Size]byte

// Operator knows the credentials of the person at a desk without a window: one
// token or a key, and the sessions that login codes were changed for. It keeps hashes
// only, in memory only. It is safe for use by many goroutines.
type Operator struct {
	token secretHash
	keys  *keylogin.Keys // nil: there is no key

	mu       sync.Mutex
	codes    expiring
	sessions expiring
	wrong    []time.Time // the latest wrong codes, oldest first
}

// NewOperator makes the operator who has token. An empty token is nobody's.
func NewOperator(token string) *Operator {
	o := &Operator{token: sha256.Sum256([]byte(token))}
	if token == "" {
		rand.Read(o.token[:]) // never fails: it ends the program instead
	}
	return o
}

// NewKeyOperator makes the operator who has the key whose public half a desk was given.
func NewKeyOperator(public proof.Public) *Operator {
	o := NewOperator("")
	o.keys = keylogin.New(public)
	return o
}

// keyed gives the keys by which somebody is let in, or nil.
func (o *Operator) keyed() *keylogin.Keys {
	if o == nil {
		return nil
	}
	return o.keys
}

// credential says how a person shows that they may decide.
func (o *Operator) credential() string {
	switch {
	case o == nil:
		return "window"
	case o.keys != nil:
		return "key"
	}
	return "token"
}

// LoginURL makes a link that works once within ten minutes. base is the desk's
// own URL, without a slash at its end.
func (o *Operator) LoginURL(base string, now time.Time) string {
	code := rand.Text()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.codes.add(code, now, codeLife, maxCodes)
	return base + "/#login=" + code
}

// knows reports whether token is the operator's, or a live session's, whose page is its
// face. The operator's own has none, and what shows its calls arms by itself.
func (o *Operator) knows(token string, now time.Time) (face string, ok bool) {
	if o == nil {
		return "", false
	}
	if o.keys != nil && o.keys.Knows(token, now) {
		return "", true
	}
	hash := sha256.Sum256([]byte(token))
	own := subtle.ConstantTimeCompare(hash[:], o.token[:]) == 1
	o.mu.Lock()
	defer o.mu.Unlock()
	if live := o.sessions.find(hash, now) >= 0; own || !live {
		return "", own
	}
	return "session " + string(hash[:]), true
}

// login changes a code for a session's token. A wrong one says whether its
// caller has to wait. Codes are beyond guessing, so waiting is asked of wrong
// ones alone: else any local program could keep the person out.
func (o *Operator) login(code string, now time.Time) (token string, ok, wait bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.codes.find(sha256.Sum256([]byte(code)), now)
	if at < 0 {
		return "", false, o.tooOften(now)
	}
	o.codes.drop(at)
	token = "sko_" + rand.Text() + rand.Text()
	o.sessions.add(token, now, sessionLife, maxSessions)
	return token, true, false
}

func (o *Operator) tooOften(now time.Time) bool {
	for len(o.wrong) > 0 && now.Sub(o.wrong[0]) >= time.Second {
		o.wrong = o.wrong[1:]
	}
	if len(o.wrong) >= maxWrong {
		return true
	}
	o.wrong = append(o.wrong, now)
	return false
}

// expiring is a bounded list of hashed secrets, oldest first.
type expiring []struct {
	hash  secretHash
	until time.Time
}

// add keeps a secret; past limit the oldest one is forgotten.
func (e *expiring) add(secret string, now time.Time, life time.Duration, limit int) {
	if len(*e) >= limit {
		e.drop(0)
	}
	*e = append(*e, struct {
		hash  secretHash
		until time.Time
	}{sha256.Sum256([]byte(secret)), now.Add(life)})
}

// find compares with every secret, in constant time each, and gives the place of
// the live one, or -1.
func (e *expiring) find(hash secretHash, now time.Time) int {
	at := -1
	for i := range *e {
		same := subtle.ConstantTimeCompare(hash[:], (*e)[i].hash[:]) == 1
		if same && now.Before((*e)[i].until) {
			at = i
		}
	}
	return at
}

func (e *expiring) drop(at int) { *e = append((*e)[:at], (*e)[at+1:]...) }
