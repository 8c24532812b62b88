//go:build unix

package main

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFoldersOfOlderFormats: a data folder that an older program left is taken over whole.
// Each in testdata was made by the program of its format: an agent, a rule, a call that
// waits, one that was approved for its session and one that the rule allowed.
func TestFoldersOfOlderFormats(t *testing.T) {
	files, err := filepath.Glob("testdata/formats/*.db.gz")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".db.gz"), func(t *testing.T) {
			dir, own := t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir() // a journal's key is made once
			unpack(t, file, filepath.Join(dir, "sekisho.db"))
			for _, name := range []string{"first", "second"} { // the second start finds the newest format
				whole(t, dir, own)
				cmd := daemonCommand(dir, "--operator-token-file", "/dev/fd/3")
				cmd.Env = append(cmd.Env, own)
				d := launch(t, cmd)
				if d.Trouble != "" {
					t.Fatalf("%s\n%s", d.Trouble, d.stderr)
				}
				var got struct {
					Calls       []struct{ ToolCallID, Status string }
					Differences []json.RawMessage
					Rules       []struct{ ID string }
				}
				d.operate("GET", "/v1/differences", "", &got)
				d.operate("GET", "/v1/rules", "", &got)
				d.operate("GET", "/v1/calls", "", &got)
				if len(got.Differences) > 0 || len(got.Rules) == 0 || got.Rules[0].ID != "reads" {
					t.Errorf("in dispute: %s; rules: %+v", got.Differences, got.Rules)
				}
				statuses := map[string]string{}
				for _, c := range got.Calls {
					statuses[c.ToolCallID] = c.Status
				}
				for id, status := range map[string]string{"a": "pending", "b": "approved", "c": "approved"} {
					if got := statuses[id]; got != status && got != "expired" { // nobody claimed them in time
						t.Errorf("call %s is %q", id, got)
					}
				}
				if status := d.ask(d.agent(name), "1", "write_file"); status != 201 {
					t.Errorf("a new call: %d", status)
				}
				d.end()
			}
			whole(t, dir, own)
		})
	}
}

// TestKilledWhileItIsTakenOver: the next start of a folder of an older format goes on where a
// killed one was, and nothing is in dispute.
func TestKilledWhileItIsTakenOver(t *testing.T) {
	for i := range 12 {
		dir, own := t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir()
		unpack(t, "testdata/formats/8.db.gz", filepath.Join(dir, "sekisho.db"))
		for n := range 3 {
			cmd := daemonCommand(dir)
			cmd.Env = append(cmd.Env, own)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(30+9*i+3*n) * time.Millisecond) // anywhere in its start
			cmd.Process.Kill()
			cmd.Wait()
		}
		cmd := daemonCommand(dir, "--operator-token-file", "/dev/fd/3")
		cmd.Env = append(cmd.Env, own)
		d := launch(t, cmd)
		var got struct{ Differences []json.RawMessage }
		d.operate("GET", "/v1/differences", "", &got)
		if d.Trouble != "" || len(got.Differences) > 0 {
			t.Errorf("%s %s\n%s", d.Trouble, got.Differences, d.stderr)
		}
		d.end()
	}
}

// whole checks the journal of a folder that no desk has open.
func whole(t *testing.T, dir, settings string) {
	t.Helper()
	cmd := daemonCommand(dir)
	cmd.Env = append(cmd.Env, settings)
	cmd.Args = []string{cmd.Args[0], "journal", "verify", dir}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	unzipped, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(unzipped)
	if err == nil {
		err = os.WriteFile(to, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
