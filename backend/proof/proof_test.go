package proof

import (
	"net"
	"strings"
	"testing"
)

// TestAProofIsMadeAsTheDocumentSays: programs in other languages make the same one. The
// figures are of: openssl dgst -sha256, and with -mac HMAC.
func TestAProofIsMadeAsTheDocumentSays(t *testing.T) {
	h := HashOf("sko_example")
	if got, want := h.Key(), "40dbaf73ad9df7ac"; got != want {
		t.Errorf("key %s, want %s", got, want)
	}
	if got, want := h.Of("0123456789abcdef0123456789abcdef", "127.0.0.1:7360"),
		"a5d908b2f9d693235e0bebf3a5f13a77239b8ee8a672072cd6123ed55c17e450"; got != want {
		t.Errorf("proof %s, want %s", got, want)
	}
}

type reached struct {
	net.Conn
	at string
}

func (r reached) RemoteAddr() net.Addr { return text(r.at) }

type text string

func (text) Network() string  { return "tcp" }
func (t text) String() string { return string(t) }

func TestTheAddressThatWasDialled(t *testing.T) {
	for _, c := range [][3]string{
		{"127.0.0.1:80", "127.0.0.1:80", "127.0.0.1:80"},
		{"localhost:80", "[::1]:80", "[::1]:80"},
		{"LocalHost:80", "127.0.0.1:80", "127.0.0.1:80"},
		{"0.0.0.0:80", "127.0.0.1:80", "127.0.0.1:80"},
		{"[::ffff:127.0.0.1]:80", "127.0.0.1:80", "127.0.0.1:80"},
		{"[fe80::1%eth0]:80", "[fe80::1%eth0]:80", "[fe80::1]:80"},
		{"Desk.Example:443", "203.0.113.7:443", "desk.example:443"},
	} {
		if got := Dialled(c[0], reached{at: c[1]}); got != c[2] {
			t.Errorf("%s, reached at %s: %s", c[0], c[1], got)
		}
	}
}

func TestWhatADeskTakesForANonceOrAKey(t *testing.T) {
	a := strings.Repeat("a", 128)
	for text, want := range map[string]bool{a[:31]: false, a[:30] + "Z9": true, a[:30] + "-_": true, a: true, a + "a": false,
		a[:30] + " a": false, a[:30] + "é": false, a[:31] + "\n": false, a[:16] + "\x00" + a[:16]: false, "": false} {
		if ValidNonce(text) != want {
			t.Errorf("%q as a nonce: %v", text, !want)
		}
	}
	for text, want := range map[string]bool{"0123456789abcdef": true, "0123456789abcdeF": false, "0123456789abcde": false,
		"0123456789abcdef0": false, "0123456789abcdeg": false, "0123 56789abcdef": false, "": false} {
		if ValidKey(text) != want {
			t.Errorf("%q as a key: %v", text, !want)
		}
	}
}
