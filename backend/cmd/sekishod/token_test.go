package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheTokensFileIsClosedToOthers, and whoever runs the desk is told that it was not.
func TestTheTokensFileIsClosedToOthers(t *testing.T) {
	for before, after := range map[fs.FileMode]fs.FileMode{0o600: 0o600, 0o400: 0o400, 0o644: 0o600, 0o640: 0o600, 0o604: 0o600, 0o620: 0o600,
		0o444: 0o400, 0o666: 0o600} {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte(operator+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, before); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		token, shown, err := operatorToken(file, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil || token != operator || shown != "" {
			t.Errorf("%v: %q %q %v", before, token, shown, err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != after {
			t.Errorf("%v became %v, %v", before, info.Mode(), err)
		}
		if said := log.String(); (said != "") != (before != after) || said != "" &&
			(!strings.Contains(said, "closed") || !strings.Contains(said, file)) || strings.Contains(said, operator) {
			t.Errorf("%v: said %q", before, said)
		}
	}
}

// TestTheDeskClosesTheTokensFile by whichever way it is named.
func TestTheDeskClosesTheTokensFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for _, handed := range []bool{false, true} {
		if err := os.WriteFile(file, []byte(operator), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := daemonCommand(t.TempDir(), "--operator-token-file", file)
		if handed {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			cmd = daemonCommand(t.TempDir(), "--operator-token-file", "/dev/fd/0")
			cmd.Stdin = f
		}
		d := launch(t, cmd)
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(d.stderr.String(), "closed to them now") {
			t.Errorf("handed %v: %v %v, said %s", handed, info.Mode(), err, d.stderr)
		}
		if got := d.as(operator, "GET", "/v1/rules", "", nil); got != 200 {
			t.Errorf("handed %v: %d", handed, got)
		}
		d.kill()
	}
}

// TestAGuessableTokenIsRefused: the desk does not start with one.
func TestAGuessableTokenIsRefused(t *testing.T) {
	for token, good := range map[string]bool{
		"6f1c2a9be07d4358a1b2c3d4e5f60718":             true, // 32 hexadecimal digits
		"6f1c2a9be07d4358a1b2c3d4e5f6071":              false,
		"Zk3v9QxLm2RtYb7NcPw5Hd":                       true, // 22 of base64url
		"Zk3v9QxLm2RtYb7NcPw5H":                        false,
		"123456789012345678901234567890123456789":      false, // long, and ten digits again and again
		strings.Repeat("a", 64):                        false,
		strings.Repeat("secret-Word1", 8):              false,
		"sko_" + strings.Repeat("0123456789abcdef", 1): false,
		"correct horse":                                false,
		"3q2+7wAAAB4dCzmP8s/Kx1fJb0uO6vYtRe5nWl9hQ=":   true, // what base64 makes of random bytes
		operator: true,
	} {
		if err := checkToken(token); (err == nil) != good {
			t.Errorf("%q: %v", token, err)
		}
	}
	for range 1000 {
		raw := make([]byte, 16)
		rand.Read(raw)
		if token := hex.EncodeToString(raw); checkToken(token) != nil {
			t.Errorf("random: %q: %v", token, checkToken(token))
		}
	}
}
