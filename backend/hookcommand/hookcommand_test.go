package hookcommand_test

import (
	"strings"
	"testing"

	"sekisho/backend/hookcommand"
)

// TestWhatIsWrittenIsExact, on each system and with each shell's words around it.
func TestWhatIsWrittenIsExact(t *testing.T) {
	for _, c := range []hookcommand.Command{
		{Program: "/opt/sekisho", Door: "codex", Agent: "codex"}, {Program: "/it's a/sekisho-hook", Door: "claude"},
		{Program: "/opt/sekisho", Door: "codex", Agent: "a b", Token: "/t/日本", Desk: "http://127.0.0.1:1"},
		{Program: `C:\Program Files (x86)\sekisho-hook.exe`, Door: "copilot", Agent: "copilot"},
	} {
		posix, windows := hookcommand.Join(c.Words(), "linux"), hookcommand.Join(c.Words(), "windows")
		lines := map[string][]string{"linux": {posix, posix + hookcommand.Unanswered}, "windows": {windows, hookcommand.PowerShell(windows)}}
		if strings.Contains(c.Program, "'") { // which no program of Windows needs
			delete(lines, "windows")
		}
		for goos, all := range lines {
			for _, line := range all {
				got, ours := hookcommand.Read(line)
				c.Line = line
				if !ours || got != c || !got.Exact(goos) {
					t.Errorf("%s: %q is %+v", goos, line, got)
				}
				for _, more := range []string{" ", ";", "\n", " & calc", hookcommand.Unanswered + " ", " --help", "\x00"} {
					if got, _ := hookcommand.Read(line + more); got.Exact(goos) {
						t.Errorf("%s: %q is exact", goos, line+more)
					}
				}
			}
		}
	}
}

// TestWhatWindowsExpandsIsNotExact, though it stands in quotes.
func TestWhatWindowsExpandsIsNotExact(t *testing.T) {
	for _, agent := range []string{"$(calc)", "%X%", "a`nb", "“a”", "a & b", "a\nb"} {
		c := hookcommand.Command{Program: `C:\sekisho.exe`, Door: "copilot", Agent: agent}
		line := hookcommand.Join(c.Words(), "windows")
		for _, line := range []string{line, hookcommand.PowerShell(line)} {
			if got, ours := hookcommand.Read(line); !ours || got.Exact("windows") || got.Alike("windows") && agent != "%X%" {
				t.Errorf("%q: %+v", line, got)
			}
		}
	}
}

// TestWordsByHandAreAlike, and nothing that does more is.
func TestWordsByHandAreAlike(t *testing.T) {
	for line, alike := range map[string]bool{
		"exec /x/sekisho hook --client=codex":                               true,
		"/x/sekisho-hook --agent a --client claude --defer 5":               true,
		`"/x/sekisho-hook" --client 'claude'` + hookcommand.Unanswered:      true,
		"/x/sekisho-hook --client claude --version":                         false,
		"/x/sekisho-hook --client claude more":                              false,
		"/x/sekisho-hook --client=claude --agent":                           false,
		"/x/sekisho-hook --client claude;x":                                 false,
		"/x/sekisho-hook --client claude || true":                           false,
		"/x/sekisho-hook --client claude > /dev/null":                       false,
		"/x/sekisho-hook --client claude" + hookcommand.Unanswered + " ; x": false,
	} {
		got, ours := hookcommand.Read(line)
		if !ours || got.Exact("linux") || got.Alike("linux") != alike {
			t.Errorf("%q: %+v", line, got)
		}
	}
}
