package show

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sekisho/backend/command"
	"sekisho/backend/cputime"
	"sekisho/backend/diff"
	"sekisho/backend/permission"
)

func TestTooManyEdits(t *testing.T) {
	path := t.TempDir() + "/f"
	save(t, path, strings.Repeat("ab\n", maxText/3-1)+"END")
	for n, code := range map[int]string{20: "", 1000: "too_many_edits"} {
		input := `{"path":"` + path + `","edits":[` + strings.TrimSuffix(strings.Repeat(`{"oldText":"END","newText":"END"},`, n), ",") + `]}`
		if f := fileOf(t, glass(), "edit", input, "", home{here: true}); f.Code != code || (code == "") != (f.State == permission.FileSame) {
			t.Errorf("%d edits: %s %s", n, f.State, f.Reason)
		}
	}
}

// Hostile inputs are answered soon.
func TestHostileInputs(t *testing.T) {
	dir := t.TempDir()
	save(t, dir+"/f", strings.Repeat("ab\n", maxText/3))
	save(t, dir+"/small", "a\n")
	deep := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	edits := func(path, old string, n int) string {
		return `{"path":"` + dir + path + `","edits":[` +
			strings.TrimSuffix(strings.Repeat(`{"oldText":"`+old+`","newText":"`+old+`"},`, n), ",") + `]}`
	}
	var members []string
	for i := range 30_000 {
		members = append(members, fmt.Sprintf(`"k%d":%d`, i, i))
	}
	keys := "{" + strings.Join(members, ",") + "}"
	last := call(t, "", `{"k1":2,"gone":"`+strings.Repeat("y", 3<<20)+`"}`)
	for name, input := range map[string]string{
		"deep": `{"path":"/f","content":` + deep + `}`, "deep edits": `{"path":"/f","edits":[` + deep + `]}`,
		"deep arrays":  `{"path":"/f","edits":` + strings.Repeat("[", 120) + strings.Repeat("]", 120) + "}",
		"30,000 edits": edits("/small", "a", 30_000), "30,000 edits of a large file": edits("/f", "x", 30_000),
		"edits that copy a large file": edits("/f", strings.Repeat(`ab\n`, maxText/3-1)+"ab", 3),
		"3 MB of content":              `{"path":"` + dir + `/f","content":"` + strings.Repeat("x", 3<<20) + `"}`,
		"3 MB of path":                 `{"path":"/` + strings.Repeat("x", 3<<20) + `","content":"x"}`,
		"3 MB of names":                `{"path":"/` + strings.Repeat("x/", 3<<19) + `y","content":"x"}`,
		"ups":                          `{"path":"` + strings.Repeat("/..", 1<<20) + `/nowhere","content":"x"}`,
		"30,000 keys":                  keys, "3 MB of command": `{"command":"` + strings.Repeat("a;", 3<<19) + `"}`,
		"3 MB of args": `{"command":"ls","args":[` + strings.TrimSuffix(strings.Repeat(`"a",`, 750_000), ",") + `]}`,
	} {
		c := call(t, "", input)
		start := cputime.Now()
		look, err := New(book{last: &last}, Options{}).Look(context.Background(), c)
		took := cputime.Since(start)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took > 20*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		state := permission.FileState("-")
		if look.File != nil {
			state = look.File.State + " " + permission.FileState(look.File.Code)
		}
		t.Log(name, took, state)
	}
}

// large gives a text of whole lines, of 2 MiB at most.
func large(line func(int) string) string {
	var b strings.Builder
	for i := 0; ; i++ {
		next := line(i)
		if b.Len()+len(next) > maxText {
			return b.String()
		}
		b.WriteString(next)
	}
}

// rewrites are 2 MiB files and what they become.
var rewrites = map[string][2]func(int) string{
	"all lines": {func(i int) string { return fmt.Sprintf("the old line %d of a file\n", i) }, func(i int) string {
		return fmt.Sprintf("the new line %d of this file\n", i)
	}},
	"every other": {func(i int) string { return fmt.Sprintf("line %d of a file\n", i) }, func(i int) string {
		return fmt.Sprintf("line %d of a file\n", i+i%2*1_000_000)
	}},
	"shuffled": {func(i int) string { return fmt.Sprintf("line %d\n", i*7919%1000) }, func(i int) string {
		return fmt.Sprintf("line %d\n", i*104729%1000)
	}},
	"short lines": {func(i int) string { return string(rune('a'+i%7)) + "\n" }, func(i int) string {
		return string(rune('a'+i*i%7)) + "\n"
	}},
	"empty lines": {func(i int) string { return "\n" }, func(i int) string { return "\r\n" }},
	"line ends": {func(i int) string { return fmt.Sprintf("line %d\n", i) }, func(i int) string {
		return fmt.Sprintf("line %d\r\n", i)
	}},
	"one line": {func(i int) string { return "x" }, func(i int) string { return "y" }},
	"moved by a line": {func(i int) string { return fmt.Sprintf("line %d of it\n", i) }, func(i int) string {
		return fmt.Sprintf("line %d of it\n", i+1)
	}},
}

func BenchmarkRewrite(b *testing.B) {
	for name, lines := range rewrites {
		b.Run(name, func(b *testing.B) {
			path := b.TempDir() + "/f"
			save(b, path, large(lines[0]))
			c := call(b, "", writing(path, large(lines[1])))
			g := New(book{}, Options{})
			for b.Loop() {
				look, err := g.Look(context.Background(), c)
				if err != nil || look.File.State != permission.FileChanged {
					b.Fatal(look.File, err)
				}
			}
		})
	}
}

func TestALargeDifferenceIsCut(t *testing.T) {
	path := t.TempDir() + "/f"
	before, after := large(rewrites["all lines"][0]), large(rewrites["all lines"][1])
	save(t, path, before)
	g := New(book{}, Options{})
	look, err := g.Look(context.Background(), call(t, "", writing(path, after)))
	must(t, err)
	f := look.File
	removed, added := strings.Count(before, "\n"), strings.Count(after, "\n")
	if f.Removed != removed || f.Added != added || f.More != removed+added-diff.MaxLines || len(f.Lines) != diff.MaxLines+1 {
		t.Errorf("+%d -%d, %d lines and %d more", f.Added, f.Removed, len(f.Lines), f.More)
	}
	if end := f.Lines[diff.MaxLines]; end.Kind != permission.LineGap || end.Count != removed+added-diff.MaxLines {
		t.Errorf("it ends with %+v", end)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != before {
		t.Error("the file was written to")
	}
}

func TestManyArguments(t *testing.T) {
	for n, c := range map[int]struct {
		parsed bool
		pieces int
	}{maxPieces: {true, 2*maxPieces + 1}, maxPieces + 1: {false, 1}, command.MaxArgs: {false, 1}} {
		look := commandOf(t, `{"command":"ls","args":[`+strings.TrimSuffix(strings.Repeat(`"a",`, n), ",")+`]}`, home{}, "/")
		checkWhole(t, look)
		if !look.Argv != (n == command.MaxArgs) || look.Parsed != c.parsed || (look.Error == "") != c.parsed || len(look.Lines) != 1 ||
			len(look.Lines[0]) != c.pieces {
			t.Errorf("%d arguments: argv %v, %q, %d lines", n, look.Argv, look.Error, len(look.Lines))
		}
	}
}
