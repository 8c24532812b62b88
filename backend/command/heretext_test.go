package command_test

import (
	"strings"
	"testing"

	"sekisho/backend/command"
)

// TestHereTexts: a quoted here-document that a substitution prints is the text that stands
// there, and what only looks like it is not.
func TestHereTexts(t *testing.T) {
	here := func(delimiter, body string) string { return "$(cat <<" + delimiter + "\n" + body + "\nEOF\n)" }
	for _, tt := range []struct{ line, want string }{
		{`git commit -m "` + here("'EOF'", "a: b\n\n$x `y`") + `" && git status`, "git commit -m|a: b\n\n$x `y`; git status "},
		{`bash -c "` + here("'EOF'", "rm -rf x") + `"`, "rm -rf"},
		{`git commit -m "` + here("EOF", "$(rm -rf x)") + `"`, "git commit -m|; cat ; rm -rf"},
		{`git commit -m "` + here("'EOF'", "a") + `$x"`, "git commit -m|"},
		{`git commit -m "$(cat .env <<'EOF'` + "\na\nEOF\n)\"", "git commit -m|; cat "},
		{`git commit -m "$(cat <<'EOF' > x` + "\na\nEOF\n)\"", "git commit -m|; cat "},
		{`cat() { rm -rf x; }; git commit -m "` + here("'EOF'", "a") + `"`, "rm -rf; git commit -m|a"},
	} {
		var got []string
		for _, p := range command.Read(tt.line).Parts {
			got = append(got, p.Name+" "+strings.Join(p.Said(), "|"))
		}
		if said := strings.Join(got, "; "); said != tt.want {
			t.Errorf("%s\n%s\nwant %s", tt.line, said, tt.want)
		}
	}
}
