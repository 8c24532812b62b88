package server

import (
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/place"
)

// TestBind: an IPv4 address opens no port of IPv6, and the URL is one to go to.
func TestBind(t *testing.T) {
	for listen, at := range map[string]string{"127.0.0.1:0": "127.0.0.1", "0.0.0.0:0": "0.0.0.0", "[::ffff:127.0.0.1]:0": "127.0.0.1"} {
		l, url, err := bind(listen)
		if err != nil {
			t.Fatalf("%s: %v", listen, err)
		}
		_, port, err := net.SplitHostPort(l.Addr().String())
		if got := l.Addr().String(); err != nil || got != at+":"+port || url != "http://127.0.0.1:"+port {
			t.Errorf("%s: listens on %s as %s, %v", listen, got, url, err)
		}
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Errorf("%s: %v", listen, err)
		} else if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "127.0.0.1", "127.0.0.1:x", "999.0.0.1:0"} {
		if _, _, err := bind(bad); err == nil {
			t.Errorf("%q is listened on", bad)
		}
	}
}

func TestTheFamilyOfAnAddressIsItsOwn(t *testing.T) {
	for _, test := range []struct{ host, network, at, reachable string }{
		{"127.0.0.1", "tcp4", "127.0.0.1", "127.0.0.1"},
		{"0.0.0.0", "tcp4", "0.0.0.0", "127.0.0.1"},
		{"192.0.2.1", "tcp4", "192.0.2.1", "192.0.2.1"},
		{"::ffff:0.0.0.0", "tcp4", "0.0.0.0", "127.0.0.1"},
		{"::1", "tcp6", "::1", "::1"},
		{"::", "tcp6", "::", "::1"},
		{"2001:db8::1", "tcp6", "2001:db8::1", "2001:db8::1"},
		{"fe80::1%eth0", "tcp6", "fe80::1%eth0", "fe80::1%eth0"},
		{"localhost", "tcp", "127.0.0.1", "127.0.0.1"},
		{"", "tcp", "::", "127.0.0.1"}, // both families at once
		{"", "tcp", "0.0.0.0", "127.0.0.1"},
	} {
		if got := network(test.host); got != test.network {
			t.Errorf("%q: listens on %s, want %s", test.host, got, test.network)
		}
		if got := reachable(netip.MustParseAddr(test.at), test.host).String(); got != test.reachable {
			t.Errorf("%q, which is %s: is reached at %s, want %s", test.host, test.at, got, test.reachable)
		}
	}
}

// TestTheAddressIsLeftAsItIsReached: in desk.json and for whoever opened the desk. It has
// no operator and knows no token.
func TestTheAddressIsLeftAsItIsReached(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	t.Setenv("XDG_RUNTIME_DIR", "")
	s, err := Open(t.Context(), Config{Data: filepath.Join(dir, "sekisho"), Listen: "0.0.0.0:0", InsecureRemote: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if left, err := place.FindDesk(); err != nil || left.URL != s.URL || !strings.HasPrefix(s.URL, "http://127.0.0.1:") {
		t.Errorf("opened as %s, left %+v, %v", s.URL, left, err)
	}
	resp, err := http.Get(s.URL + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("at that address: %s", resp.Status)
	}
}
