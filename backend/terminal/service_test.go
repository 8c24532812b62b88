package terminal

import (
	"os"
	"strings"
	"testing"
)

// TestTheUnitIsThatOfThePackage, but for what it starts, its pages, which are not there
// everywhere, and words for readers.
func TestTheUnitIsThatOfThePackage(t *testing.T) {
	packaged, err := os.ReadFile("../../packaging/linux/sekishod.service")
	if err != nil {
		t.Fatal(err)
	}
	settings := func(unit string) string {
		var kept []string
		for line := range strings.Lines(unit) {
			if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "ExecStart=") && !strings.HasPrefix(line, "Documentation=") {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "")
	}
	own := unitText("/opt/50% \"of\" $it/sekishod", "127.0.0.1:1", `/a\b`)
	if got, want := settings(own), settings(string(packaged)); got != want {
		t.Errorf("install writes\n%s\nand the package has\n%s", got, want)
	}
	if want := `ExecStart="/opt/50%% \"of\" $$it/sekishod" --listen "127.0.0.1:1" --operator-key-file "/a\\b"` + "\n"; !strings.Contains(own, want) {
		t.Errorf("%s lacks %s", own, want)
	}
}
