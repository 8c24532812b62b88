package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// alone runs the program with these words and no others, in a home of its own.
func alone(t *testing.T, home string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, said bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // a desk that starts would stay
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), "SEKISHOD_TEST_MAIN=1", "HOME="+home, "XDG_DATA_HOME=", "XDG_RUNTIME_DIR=")
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

// TestWrongUsage starts no desk, least of all over the user's own data.
func TestWrongUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(operator), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ line, want string }{
		{"--frob", "unknown flag"},
		{"nope", `unknown command "nope"`},
		{"help nope", `unknown command "nope"`},
		{"journal nope", `unknown command "nope" for "sekishod journal"`},
		{"journal verfy", "did you mean verify?"},
		{"completion nope", `unknown command "nope"`},
		{"completion bash nope", `unknown command "nope"`},
		{"completion --frob", "unknown flag"},
		{"--data", "needs an argument"},
		{"--listen 127.0.0.1:0 --data=", "--data is empty"},
		{"--listen 127.0.0.1:0 --data= --operator-token-file " + file, "--data is empty"},
		{"--data " + t.TempDir() + " --listen=", "--listen is empty"},
		{"--data " + t.TempDir() + " --listen 127.0.0.1:0 --operator-token-file=", "--operator-token-file is empty"},
		{"--data " + t.TempDir() + " --address=", "--address is empty"},
		{"--data " + t.TempDir() + " --address desk.example", "is not host:port"},
		{"--data " + t.TempDir() + " --address desk.example:0", "is not host:port"},
		{"--data " + t.TempDir() + " --address http://desk.example:80", "is not host:port"},
		{"--data " + t.TempDir() + " --address :7360", "is not host:port"},
	} {
		home := t.TempDir()
		out, said, code := alone(t, home, strings.Fields(test.line)...)
		if code != 2 || out != "" || !strings.Contains(said, test.want) {
			t.Errorf("%s: exit code %d, printed %q, said %s", test.line, code, out, said)
		}
		if made, err := os.ReadDir(home); err != nil || len(made) > 0 {
			t.Errorf("%s: made %v, %v", test.line, made, err)
		}
	}
	for line, want := range map[string]string{"--help": "Exit code", "--version": "sekishod version", "completion": "bash",
		"completion bash": "# bash completion"} {
		if out, said, code := alone(t, t.TempDir(), strings.Fields(line)...); code != 0 || said != "" || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, said %s, printed %s", line, code, said, out)
		}
	}
}
