package shell_test

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"sekisho/backend/shell"
)

// words are those of the first command of a text, with their braces.
func words(t *testing.T, text string) (all []shell.Word, known bool) {
	t.Helper()
	file, err := shell.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	known = true
	for _, w := range file.Stmts[0].Cmd.(*syntax.CallExpr).Args {
		var sure bool
		all, _, sure = shell.Expand(all, text, w, 8)
		known = known && sure
	}
	return all, known
}

// TestWords: a word says what a program gets, and else how it begins.
func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		`a 'b c' "d"e \f`: {"a", "b c", "de", "f"}, `a "$b"c "d$e" *.go`: {"a", "?", "?d", "?"}, "a {b,c}d": {"a", "bd", "cd"},
		"a x{1..3}": {"a", "x1", "x2", "x3"}, "a HEAD@{1}": {"a", "HEAD@{1}"}, `a ""`: {"a", ""},
	} {
		all, known := words(t, text)
		var got []string
		for _, w := range all {
			if mark := "?" + w.Head; !w.Literal {
				got = append(got, mark)
				continue
			}
			got = append(got, w.Text)
		}
		if !known || !slices.Equal(got, want) {
			t.Errorf("%s: %q, known %v, want %q", text, got, known, want)
		}
	}
	for _, text := range []string{"a {1..9}", `a {"b,c"..d}`} {
		if all, known := words(t, text); known || len(all) != 2 {
			t.Errorf("%s is taken for known: %v", text, all)
		}
	}
}

// TestDoubts: a text that shells read in different ways, or that is too much, has an error.
func TestDoubts(t *testing.T) {
	for text, file := range map[string]bool{
		"a; b": true, "if": false, "a \x01": false, strings.Repeat("(", shell.MaxOpen+1): false, strings.Repeat("a", shell.MaxText+1): false,
		"a # b\\\nrm x": true, "a $'b\\'c'": true,
	} {
		got, err := shell.Parse(text)
		if (got != nil) != file || (err == nil) != (text == "a; b") {
			t.Errorf("%.40q: a file is %v, and the error %v", text, got != nil, err)
		}
	}
}

// TestPlainLine: what every shell takes as it is has the words that the parser finds.
func TestPlainLine(t *testing.T) {
	for _, text := range []string{"a", " a  b/c.d ", "git log -n1 --format=%h", "a 'b'", `a "b c" '' "" 'd"e' "f'g"`} {
		plain, is := shell.PlainLine(text)
		parsed, _ := words(t, text)
		if !is || !slices.Equal(plain, parsed) {
			t.Errorf("%q: %+v, parsed %+v", text, plain, parsed)
		}
	}
	for _, text := range []string{"", "a;b", "A=b c", "if a", "export a", "a $b", "'a' b", `"a"`, `a "$b"`, "a 'b", "a 'b'c", "~ a"} {
		if _, is := shell.PlainLine(text); is {
			t.Errorf("%q is plain", text)
		}
	}
}

// FuzzQuote: a shell reads a quoted text as that text.
func FuzzQuote(f *testing.F) {
	for _, text := range []string{"", "a", "a b", "it's", "{}", "[", "{a,b}", "~", "$x", "é", "-n", "a=b", "if"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted := "x " + shell.Quote(text)
		file, err := shell.Parse(quoted)
		if err != nil {
			t.Skip(err)
		}
		args := file.Stmts[0].Cmd.(*syntax.CallExpr).Args
		if got, literal := shell.LiteralText(quoted, args[1]); len(args) != 2 || !literal || got != text {
			t.Fatalf("%q is read as %q, literal %v", quoted, got, literal)
		}
	})
}
