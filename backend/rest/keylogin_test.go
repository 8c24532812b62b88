package rest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sekisho/backend/keylogin"
	"sekisho/backend/operatorkey"
	"sekisho/backend/proof"
)

// TestTheOperatorsKey lets its holder in, for a while, and nobody who has less: not the
// public half, no signature twice, for another address, or over another desk's challenge.
func TestTheOperatorsKey(t *testing.T) {
	key, now := operatorkey.New(), time.Now()
	of := func(public operatorkey.Public) *site {
		return newSite(t, func(o *Options) {
			o.Operator, o.Now = NewKeyOperator(public), func() time.Time { return now }
		})
	}
	s, other := of(key.Public()), of(key.Public())
	here := strings.TrimPrefix(s.url, "http://")
	challenge := func(s *site) string {
		var asked struct{ Challenge string }
		s.send("POST", operatorkey.LoginPath, "", "").into(t, &asked)
		return asked.Challenge
	}
	answer := func(challenge, address, signature string) (*reply, string) {
		got := s.send("POST", operatorkey.LoginPath+"/answer", "",
			fmt.Sprintf(`{"challenge":%q,"address":%q,"signature":%q}`, challenge, address, signature))
		var made struct{ Token string }
		got.into(t, &made)
		return got, made.Token
	}
	decides := func(token string) bool { return s.send("GET", "/v1/rules", token, "").status == 200 }

	c := challenge(s)
	got, token := answer(c, here, key.Sign(c, here))
	if got.status != 200 || !decides(token) {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if again, _ := answer(c, here, key.Sign(c, here)); again.status != 401 {
		t.Errorf("a challenge was answered twice: %d", again.status)
	}
	foreign := challenge(other)
	late := challenge(s)
	for name, try := range map[string][3]string{
		"another desk's challenge": {foreign, here, key.Sign(foreign, here)},
		"another key":              {c, here, operatorkey.New().Sign(c, here)},
		"another address":          {c, "127.0.0.1:1", key.Sign(c, "127.0.0.1:1")},
		"signed for another":       {late, here, key.Sign(late, "127.0.0.1:1")},
		"no challenge":             {"x", here, key.Sign("x", here)},
		"no signature":             {late, here, "x"},
	} {
		if got, token := answer(try[0], try[1], try[2]); got.status != 401 || token != "" {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	for _, no := range []string{key.Public().String(), key.Printed(), "", proof.HashOf(key.Printed()).Key()} {
		if decides(no) {
			t.Errorf("%q decides", no)
		}
	}
	if other.send("GET", "/v1/rules", token, "").status != 401 {
		t.Error("a session is known to another desk")
	}
	now = now.Add(time.Minute)
	if got, _ := answer(late, here, key.Sign(late, here)); got.status != 401 {
		t.Errorf("a challenge outlived its minute: %d", got.status)
	}
	if now = now.Add(keylogin.SessionLife - time.Minute); decides(token) {
		t.Error("a session outlived its time")
	}
}

// TestADeskProvesItselfForSessions: what took its port knows none, though it may have read
// the public half.
func TestADeskProvesItselfForSessions(t *testing.T) {
	key := operatorkey.New()
	s := newSite(t, func(o *Options) { o.Operator = NewKeyOperator(key.Public()) })
	here := strings.TrimPrefix(s.url, "http://")
	var asked struct{ Challenge string }
	s.send("POST", operatorkey.LoginPath, "", "").into(t, &asked)
	var made struct{ Token string }
	s.send("POST", operatorkey.LoginPath+"/answer", "", fmt.Sprintf(`{"challenge":%q,"address":%q,"signature":%q}`, asked.Challenge, here,
		key.Sign(asked.Challenge, here))).into(t, &made)
	for name, hash := range map[string]proof.Hash{"key": key.Public().Hash(), "session": proof.HashOf(made.Token)} {
		var said proof.Answer
		got := s.prove(hash.Key(), goodNonce, here)
		if got.into(t, &said); got.status != 200 || said.Proof != hash.Of(goodNonce, here) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if got := s.prove(proof.HashOf(key.Printed()).Key(), goodNonce, here); got.status != 401 {
		t.Errorf("the desk knows the secret half: %d", got.status)
	}
}

// TestManySessions: the oldest one ends for a new one, so that nobody who has the key is
// kept out.
func TestManySessions(t *testing.T) {
	key := operatorkey.New()
	s := newSite(t, func(o *Options) { o.Operator = NewKeyOperator(key.Public()) })
	here := strings.TrimPrefix(s.url, "http://")
	var tokens []string
	for range 300 {
		var asked struct{ Challenge string }
		s.send("POST", operatorkey.LoginPath, "", "").into(t, &asked)
		got := s.send("POST", operatorkey.LoginPath+"/answer", "",
			fmt.Sprintf(`{"challenge":%q,"address":%q,"signature":%q}`, asked.Challenge, here, key.Sign(asked.Challenge, here)))
		if got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		var made struct{ Token string }
		got.into(t, &made)
		tokens = append(tokens, made.Token)
	}
	for n, want := range map[int]int{0: 401, 43: 401, 44: 200, 299: 200} {
		if got := s.send("GET", "/v1/rules", tokens[n], ""); got.status != want {
			t.Errorf("session %d: %d, not %d", n, got.status, want)
		}
	}
}
