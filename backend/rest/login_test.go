package rest

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// code cuts the code out of a login link.
func code(t *testing.T, link string) string {
	t.Helper()
	_, c, ok := strings.Cut(link, "/#login=")
	if !ok {
		t.Fatalf("no code in %q", link)
	}
	return c
}

func TestALoginWorksOnce(t *testing.T) {
	now := time.Now()
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return now } })
	var made struct{ LoginURL string }
	got := s.send("POST", "/v1/login-codes", tokenOp, "")
	got.into(t, &made)
	if got.status != http.StatusCreated || !strings.HasPrefix(made.LoginURL, s.url+"/#login=") {
		t.Fatalf("%d %s", got.status, got.body)
	}
	c := code(t, made.LoginURL)
	for _, wrong := range []string{strings.ToLower(c), c + "x", c[:len(c)-1], tokenOp} {
		if got := s.send("POST", "/v1/login", "", `{"code":"`+wrong+`"}`); got.status != 401 {
			t.Errorf("code %q: %d", wrong, got.status)
		}
	}
	var in struct{ Token string }
	got = s.send("POST", "/v1/login", "", `{"code":"`+c+`"}`)
	got.into(t, &in)
	if got.status != 200 || in.Token == "" || got.header.Get("Set-Cookie") != "" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if got := s.send("GET", "/v1/rules", in.Token, ""); got.status != 200 {
		t.Errorf("the session's token: %d", got.status)
	}
	if got := s.send("POST", "/v1/login", "", `{"code":"`+c+`"}`); got.status != 401 {
		t.Errorf("the same code again: %d", got.status)
	}
	now = now.Add(sessionLife)
	if got := s.send("GET", "/v1/rules", in.Token, ""); got.status != 401 {
		t.Errorf("the session a day later: %d", got.status)
	}
	if got := s.send("GET", "/v1/rules", tokenOp, ""); got.status != 200 {
		t.Errorf("the operator's token: %d", got.status)
	}
}

func TestACodeExpires(t *testing.T) {
	o, now := NewOperator(tokenOp), time.Now()
	c := code(t, o.LoginURL("http://x", now))
	if _, ok, _ := o.login(c, now.Add(codeLife)); ok {
		t.Error("a code of ten minutes ago works")
	}
	c = code(t, o.LoginURL("http://x", now))
	if _, ok, _ := o.login(c, now.Add(codeLife-time.Second)); !ok {
		t.Error("a code of less than ten minutes does not work")
	}
}

func TestGuessingIsSlowedDown(t *testing.T) {
	now := time.Now()
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return now } })
	statuses := map[int]int{}
	for range 20 {
		got := s.send("POST", "/v1/login", "", `{"code":"guess"}`)
		statuses[got.status]++
		if got.status == 429 && got.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After = %q", got.header.Get("Retry-After"))
		}
	}
	if statuses[401] != maxWrong || statuses[429] != 20-maxWrong {
		t.Errorf("answers %v", statuses)
	}
	if got := s.send("POST", "/v1/login", "", `{"code":"`+code(t, s.door.opts.Operator.LoginURL("", now))+`"}`); got.status != 200 {
		t.Errorf("the person is kept out: %d", got.status)
	}
	now = now.Add(time.Second)
	if got := s.send("POST", "/v1/login", "", `{"code":"guess"}`); got.status != 401 {
		t.Errorf("a second later: %d", got.status)
	}
}

func TestAnOperatorKeepsABoundedNumber(t *testing.T) {
	o, now := NewOperator(tokenOp), time.Now()
	var tokens []string
	for range 3 * maxSessions {
		token, ok, _ := o.login(code(t, o.LoginURL("", now)), now)
		if !ok {
			t.Fatal("a fresh code does not work")
		}
		tokens = append(tokens, token)
	}
	for range 3 * maxCodes {
		o.LoginURL("", now)
	}
	if len(o.sessions) != maxSessions || len(o.codes) != maxCodes {
		t.Errorf("%d sessions, %d codes", len(o.sessions), len(o.codes))
	}
	_, oldest := o.knows(tokens[0], now)
	if _, newest := o.knows(tokens[len(tokens)-1], now); oldest || !newest {
		t.Error("the oldest session is not the one forgotten")
	}
}

func TestNobodyIsTheOperatorByNothing(t *testing.T) {
	o := NewOperator("")
	if _, ok := o.knows("", time.Now()); ok {
		t.Error("an empty token is the operator's")
	}
}
