package rest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/proof"
	"sekisho/backend/proved"
)

func (s *site) prove(key, nonce, address string) *reply {
	s.t.Helper()
	return s.send("POST", proof.Path, "", fmt.Sprintf(`{"key":%q,"nonce":%q,"address":%q}`, key, nonce, address))
}

// TestTheDeskProvesItself for the tokens that it knows, at the addresses where it is,
// and tells everyone else the same nothing.
func TestTheDeskProvesItself(t *testing.T) {
	s := newSite(t, func(o *Options) { o.Address = "Desk.Example:8000" })
	here := strings.TrimPrefix(s.url, "http://")
	for _, token := range []string{tokenOp, tokenA} {
		hash := proof.HashOf(token)
		for asked, proved := range map[string]string{here: here, "desk.example:8000": "desk.example:8000", "": "desk.example:8000",
			"[::ffff:127.0.0.1]" + here[strings.LastIndex(here, ":"):]: here} {
			var said proof.Answer
			got := s.prove(hash.Key(), goodNonce, asked)
			if got.into(t, &said); got.status != 200 || said.Proof != hash.Of(goodNonce, proved) {
				t.Errorf("at %q: %d %s", asked, got.status, got.body)
			}
		}
	}
	var first string
	for _, c := range [][2]string{
		{proof.HashOf("unknown").Key(), here}, {proof.HashOf("unknown").Key(), "127.0.0.1:1"}, {proof.HashOf("").Key(), here},
		{proof.HashOf(tokenOp).Key(), "127.0.0.1:1"}, {proof.HashOf(tokenA).Key(), "127.0.0.1:1"},
		{proof.HashOf(tokenA).Key(), "localhost" + here[9:]},
	} {
		got := s.prove(c[0], goodNonce, c[1])
		if first == "" {
			first = string(got.body)
		}
		if got.status != 401 || got.problem(t).Code != codeUnauthorized || string(got.body) != first {
			t.Errorf("%v: %d %s", c, got.status, got.body)
		}
	}
	lookups := s.desk.lookups
	s.prove(proof.HashOf(tokenA).Key(), goodNonce, "127.0.0.1:1")
	if s.desk.lookups != lookups {
		t.Error("the address of another made the desk look for the token: that takes a while, and tells whether it knows it")
	}
}

func TestAProofIsAskedForInOneWay(t *testing.T) {
	s := newSite(t, nil)
	key := proof.HashOf(tokenOp).Key()
	for _, c := range []struct{ key, nonce, field string }{
		{key, goodNonce[1:], "nonce"}, {key, strings.Repeat("a", 129), "nonce"}, {key, goodNonce + "\n127.0.0.1:1", "nonce"}, {key, "", "nonce"},
		{key[1:], goodNonce, "key"}, {strings.ToUpper(key[:15]) + "F", goodNonce, "key"}, {"", goodNonce, "key"},
	} {
		if got := s.prove(c.key, c.nonce, ""); got.status != 422 || !strings.Contains(string(got.body), c.field) {
			t.Errorf("%+v: %d %s", c, got.status, got.body)
		}
	}
	if got := s.prove(key, goodNonce, strings.Repeat("x", 1000)); got.status != 422 {
		t.Errorf("a long address: %d", got.status)
	}
	body := `{"key":"` + key + `","nonce":"` + goodNonce + `"}`
	for header, value := range map[string]string{"Origin": "https://evil.example", "Host": "evil.example"} {
		if got := s.send("POST", proof.Path, "", body, header, value); got.status != 403 || got.problem(t).Code != permission.CodeForbidden {
			t.Errorf("%s %s: %d %s", header, value, got.status, got.body)
		}
	}
	if got := s.send("POST", proof.Path, "", strings.Repeat(" ", maxOpenBody)+body); got.status != 413 {
		t.Errorf("a large body: %d", got.status)
	}
}

// TestAConnectionProvesItselfOnce: what is sent on it afterwards needs no proof, and one
// made anew is asked anew.
func TestAConnectionProvesItselfOnce(t *testing.T) {
	asked := 0
	s := newSite(t, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == proof.Path {
			asked++
		}
		s.door.ServeHTTP(w, r)
	}))
	defer web.Close()
	tr := proved.NewTransport(tokenOp)
	c := &http.Client{Transport: tr}
	get := func() int {
		req, _ := http.NewRequest("GET", web.URL+"/v1/rules", nil)
		req.Header.Set("Authorization", "Bearer "+tokenOp)
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		io.Copy(io.Discard, resp.Body)
		return resp.StatusCode
	}
	for range 3 {
		if got := get(); got != 200 || asked != 1 {
			t.Errorf("%d, asked %d times", got, asked)
		}
	}
	tr.CloseIdleConnections()
	if got := get(); got != 200 || asked != 2 {
		t.Errorf("%d, asked %d times", got, asked)
	}
}
