package command_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sekisho/backend/command"
	"sekisho/backend/shell"
)

// TestPlainLines: a line that is read without the parser is read as the parser reads it, word for word.
func TestPlainLines(t *testing.T) {
	texts := append(lines(t), corpora(t)...)
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

// corpora are the lines of the corpora of risk, and of the recordings of work.
func corpora(t *testing.T) (all []string) {
	t.Helper()
	read := func(pattern string, line func(text string) string) {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			before := len(all)
			for text := range strings.Lines(string(raw)) {
				if text := line(strings.TrimSuffix(text, "\n")); text != "" {
					all = append(all, text)
				}
			}
			if len(all) < before+300 {
				t.Errorf("%s has %d lines", name, len(all)-before)
			}
		}
	}
	escapes := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t")
	read("../risk/testdata/commands-*.txt", func(text string) string {
		if fields := strings.SplitN(text, "\t", 4); len(fields) == 4 {
			return escapes.Replace(fields[3])
		}
		return ""
	})
	read("../economy/testdata/*.jsonl", func(text string) string {
		var call struct{ Input struct{ Command string } }
		if err := json.Unmarshal([]byte(text), &call); err != nil {
			return "" // a command that is a list
		}
		return call.Input.Command
	})
	return all
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
