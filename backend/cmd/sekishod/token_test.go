package main

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheTokensFileIsClosedToOthers, and whoever runs the desk is told that it was not.
func TestTheTokensFileIsClosedToOthers(t *testing.T) {
	for before, after := range map[fs.FileMode]fs.FileMode{0o600: 0o600, 0o400: 0o400, 0o644: 0o600, 0o640: 0o600, 0o604: 0o600, 0o620: 0o600, 0o444: 0o400, 0o666: 0o600} {
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
		if said := log.String(); (said != "") != (before != after) || said != "" && (!strings.Contains(said, "closed") || !strings.Contains(said, file)) || strings.Contains(said, operator) {
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
