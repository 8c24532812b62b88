package main

import (
	"encoding/json"
	"os"
	"testing"
)

// TestTheDemoPinsItsServer: what npx brings outside of a checkout is the version that the
// tests of a checkout run.
func TestTheDemoPinsItsServer(t *testing.T) {
	raw, err := os.ReadFile("../../../frontend/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ DevDependencies map[string]string }
	if err := json.Unmarshal(raw, &p); err != nil || p.DevDependencies[fileServer] != fileServerVersion {
		t.Errorf("the tests run %q, the demo %q, %v", p.DevDependencies[fileServer], fileServerVersion, err)
	}
}
