package terminal

import (
	"net"
	"testing"
)

// TestALoginGoesWhereTheDeskIs: a browser may look for localhost elsewhere.
func TestALoginGoesWhereTheDeskIs(t *testing.T) {
	proved := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7360}
	for login, want := range map[string]string{
		"http://localhost:7360/#login=c":    "http://127.0.0.1:7360/#login=c",
		"http://LocalHost:7360/#login=c":    "http://127.0.0.1:7360/#login=c",
		"http://127.0.0.1:7360/#login=c":    "http://127.0.0.1:7360/#login=c",
		"https://desk.example.org/#login=c": "https://desk.example.org/#login=c",
	} {
		if got := atAddress(login, proved); got != want {
			t.Errorf("%s: %s", login, got)
		}
	}
}
