package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// result puts the checks of a scenario where the suite puts them.
func result(t *testing.T, dir, folder, checks string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, folder, "checks.json"), []byte(checks), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReadOutcome(t *testing.T) {
	dir := t.TempDir()
	result(t, dir, "server-ping-2026-11-22T05-02-30-014Z", `[{"id":"ping","name":"Ping","status":"SUCCESS"}]`)
	result(t, dir, "server-tasks-2026-07-28-2026-11-22T05-02-30-014Z", `[
		{"id":"meta","name":"Meta","status":"SUCCESS"},
		{"id":"meta","name":"Meta","status":"FAILURE","errorMessage":"expected 400"},
		{"id":"meta","name":"Meta","status":"WARNING"},
		{"id":"meta","name":"Other","status":"INFO"}]`)
	o, err := readOutcome(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ping: ping (Ping)",
		"tasks-2026-07-28: meta (Meta)", "tasks-2026-07-28: meta (Meta) #2", "tasks-2026-07-28: meta (Meta) #3",
		"tasks-2026-07-28: meta (Other)",
	}
	if got := slices.Sorted(maps.Keys(o)); !slices.Equal(got, want) {
		t.Errorf("checks %q, want %q", got, want)
	}
	if got := o["tasks-2026-07-28: meta (Meta) #2"]; got.Status != failure || got.ErrorMessage != "expected 400" {
		t.Errorf("the second of its name is %+v", got)
	}
	if got := o.String(); got != "2 of 3" {
		t.Errorf("sum is %q, want 2 of 3", got)
	}
}

func TestReadOutcomeBroken(t *testing.T) {
	dir := t.TempDir()
	result(t, dir, "server-ping-2026-11-22T05-02-30-014Z", `[{"id":`)
	if o, err := readOutcome(dir); err == nil {
		t.Errorf("half a file was taken: %v", o)
	}
}
