package shell_test

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"sekisho/backend/shell"
)

// wordIn is the first word of a text behind a command, or nil.
func wordIn(text string) *syntax.Word {
	file, _ := shell.Parse(text)
	if file == nil || len(file.Stmts) == 0 {
		return nil
	}
	call, is := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !is || len(call.Args) < 2 {
		return nil
	}
	return call.Args[1]
}

// TestLikely: what bash makes of a word that a variable or an escape keeps from being literal, and what is hidden in it.
func TestLikely(t *testing.T) {
	value := func(name string) (string, bool) { return ".env", name == "f" }
	for _, tt := range []struct{ word, likely, inner string }{
		{"$f", ".env", "x"}, {`"$f"`, ".env", "x"}, {"a/${f}", "a/.env", "a/x"}, {"$g", "", "x"}, {"${f:-a}", "", "x"}, {"${#f}", "", "x"},
		{`$'\x2eenv'`, ".env", ".env"}, {`$'.en\166'`, ".env", ".env"}, {`$'\u002eenv\''`, ".env'", ".env'"}, {`$'a\q'`, `a\q`, `a\q`},
		{"${IFS}-rf${IFS}x", "-rf x", "x-rfxx"}, {"a$@b", "ab", "axb"}, {"$1a", "a", "xa"}, {"$0", "", "x"}, {"~/.ssh/*", "~/.ssh/*", "~/.ssh/*"},
		{"$(id)", "", "x"}, {`'a[$(id)]'`, "a[$(id)]", "a[$(id)]"}, {`"a[\$(id)]"`, "a[$(id)]", "a[$(id)]"}, {`a\[\$\(`, "a[$(", "a[$("},
	} {
		w := wordIn("echo " + tt.word)
		if likely, inner := shell.Likely(w, value), shell.Inner(w); likely != tt.likely || inner != tt.inner {
			t.Errorf("%s is likely %q and has %q in it", tt.word, likely, inner)
		}
	}
}

// FuzzLikely: a literal word is likely what it is.
func FuzzLikely(f *testing.F) {
	for _, seed := range []string{"a", `"a b"`, `a\ b`, `'a'"$x"`, `$'\x2e\c'`, "~/a", `$'\U110000'`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = "echo " + text
		w := wordIn(text)
		if w == nil {
			return
		}
		likely := shell.Likely(w, func(string) (string, bool) { return "", false })
		if word, is := shell.LiteralText(text, w); is && len(word) <= shell.MaxLikely && likely != strings.TrimSpace(word) {
			t.Fatalf("%q is likely %q", word, likely)
		}
		shell.Inner(w)
	})
}
