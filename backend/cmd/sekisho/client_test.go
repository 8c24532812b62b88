package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTheTokenGoesNowhereElse: a desk's redirect is not followed.
func TestTheTokenGoesNowhereElse(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another program was told %q", r.Header.Get("Authorization"))
	}))
	defer other.Close()
	desk := httptest.NewServer(proving(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect), "operators"))
	defer desk.Close()
	t.Setenv("SEKISHO_URL", desk.URL)
	t.Setenv("SEKISHO_TOKEN", "operators")
	if out, err := run(t, "pending"); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("%v %s", err, out)
	}
}
