package present

import (
	"os"
	"path/filepath"
	"testing"

	"sekisho/backend/connect"
)

// TestAClientIsThereByAFolderOrAFileOfItsOwn and not by one of another client.
func TestAClientIsThereByAFolderOrAFileOfItsOwn(t *testing.T) {
	for client, at := range map[string]string{
		"claude-desktop": ".config/Claude", "claude-code": ".claude", "cursor": ".cursor", "vscode": ".config/Code/User",
		"codex": ".codex", "gemini": ".gemini", "copilot": ".copilot", "opencode": ".config/opencode", "zed": ".config/zed",
	} {
		p := connect.Places{GOOS: "linux", Home: t.TempDir()}
		for _, c := range connect.Clients() {
			if On(p, c.ID) {
				t.Errorf("%s is in an empty home", c.ID)
			}
		}
		if err := os.MkdirAll(filepath.Join(p.Home, filepath.FromSlash(at)), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, c := range connect.Clients() {
			both := client == "vscode" && c.ID == "copilot" // which lives in it
			if got := On(p, c.ID); got != (c.ID == client || both) {
				t.Errorf("%s by %s: %v", c.ID, at, got)
			}
		}
	}
	if On(connect.Places{GOOS: "linux", Home: t.TempDir()}, "nobody") {
		t.Error("an unknown client is there")
	}
}
