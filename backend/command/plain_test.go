package command_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"sekisho/backend/command"
	"sekisho/backend/shell"
)

// TestPlainLines: a line that is read without the parser is read as the parser reads it, word for word.
func TestPlainLines(t *testing.T) {
	texts := lines(t)
	pick := rand.New(rand.NewPCG(15, 9))
	pieces := strings.Fields("git log -n 3 --oneline ls -la cat a/b.go npm test make A=1 CC=x rm -rf . .. : sh -c bash build.sh python -m pytest " +
		"time if then function let export declare { } ! coproc @x %1 a+b + - -- sudo env xargs find -exec timeout 5 docker exec x=y curl https://a.b/c " +
		"1 select in 2,3 ./x /usr/bin/rm")
	pieces = append(pieces, "'a b'", `"a b"`, "''", `""`, `'it "is"'`, `"it's (x)"`, `'a\b'`, `'rm -rf x'`, `"rm -rf {a,b}"`, `'-n 3'`,
		`'*.go'`, `"~/x"`, "'a[0]'", `"$x"`, `"$(ls)"`, "'$(ls)'", "'`ls`'", `"a!b"`, `"a\"b"`, `'é'`, `'#a'`, `"#a \\"`, `'let x'`,
		`'for ((;;))'`, `"<<E"`, `'a'b`, `a'b'`, `'a''b'`, `'select 1; drop table x'`, `'{print $1}'`, `'HTTP_PROXY=x'`, `"x=1"`, `'test'`,
		"'", `"`, "printf", "-v", "read", "psql", "awk", "sed", "perl", "-e")
	for range 40_000 {
		words := make([]string, 1+pick.IntN(6))
		for i := range words {
			words[i] = pieces[pick.IntN(len(pieces))]
		}
		if pick.IntN(50) == 0 {
			words = append(words, "'"+strings.Repeat("(", 990+pick.IntN(20))+"'")
		}
		texts = append(texts, strings.Repeat(" ", pick.IntN(2))+strings.Join(words, strings.Repeat(" ", 1+pick.IntN(2))))
	}
	for _, text := range texts {
		if got, want := command.Read(text), command.ReadParsed(text); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is read as\n%sand by the parser as\n%s%+v\n%+v", text, written(got), written(want), got, want)
		}
	}
}

// TestQuotedLinesNeedNoParser: those of most agents have a word or two in quotes.
func TestQuotedLinesNeedNoParser(t *testing.T) {
	for text, plain := range map[string]bool{
		"git commit -m 'a b'": true, `git commit -m "a (b): c, {d}"`: true, "grep -rn 'a\\.b' src": true,
		"'git' log": false, `echo "$x"`: false, "echo '$x'": false, `echo "a\"b"`: false, "echo 'a' > b": false, "echo 'a'; ls": false,
		"echo 'é'": false,
		"echo 'a":  false, "echo 'a'b": false, "echo 'a[0]'": false, "echo 'a\nb'": false} {
		if _, is := shell.PlainLine(text); is != plain {
			t.Errorf("%q: %v", text, is)
		}
	}
}

// FuzzPlainLine holds what is read without the parser against what it reads.
func FuzzPlainLine(f *testing.F) {
	for _, text := range lines(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := command.Read(text), command.ReadParsed(text); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is read as\n%+v\nand by the parser as\n%+v", text, got, want)
		}
	})
}
