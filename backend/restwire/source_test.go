package restwire

import "testing"

func TestLoopbackHost(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.255.0.1:1": true, "::1": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true,
		"": false, ":80": false, "[::1%eth0]:80": false, "0x7f.0.0.1": false, "127.0.0.01": false, "127.0.0.1:80:80": false,
		"localhost:80:80": false, "[localhost]]": false, "127.0.0.1\x00": false,
	} {
		if got := loopbackHost(host); got != want {
			t.Errorf("loopbackHost(%q) = %v", host, got)
		}
	}
}
