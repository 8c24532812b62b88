package main

import (
	"strings"
	"testing"

	"sekisho/backend/tool"
)

// TestEachLevelOfConfinementHasItsWords: what is missing is named with what it is for.
func TestEachLevelOfConfinementHasItsWords(t *testing.T) {
	missing := []string{"landlock", "landlock tcp", "pid namespace", "network namespace", "seccomp"}
	for _, level := range []tool.Level{tool.LevelFull, tool.LevelFiles, tool.LevelNone} {
		var said strings.Builder
		sayConfinement(&said, "workspaces: ", tool.Confinement{Level: level, Missing: missing})
		lines := strings.Split(strings.TrimSuffix(said.String(), "\n"), "\n")
		if !strings.HasPrefix(lines[0], "workspaces: commands are ") || !strings.HasSuffix(lines[0], "(level "+string(level)+")") ||
			len(lines) != 1+len(missing) {
			t.Fatalf("of %s it says\n%s", level, said.String())
		}
		for i, name := range missing {
			if why, is := strings.CutPrefix(lines[i+1], "  missing: "+name+", which "); !is || why == "" {
				t.Errorf("of %s it says %q", name, lines[i+1])
			}
		}
	}
}
