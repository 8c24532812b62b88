package command_test

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"mvdan.cc/sh/v3/syntax"

	"sekisho/backend/command"
	"sekisho/backend/cputime"
	"sekisho/backend/shell"
)

// lines are those of testdata.
func lines(t testing.TB) (all []string) {
	for _, name := range []string{"testdata/parts.txtar", "testdata/effects.txtar"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if text, is := strings.CutPrefix(line, "$ "); is {
				all = append(all, strings.TrimSuffix(text, "\n"))
			} else if text, is := strings.CutPrefix(line, "> "); is {
				all[len(all)-1] += "\n" + strings.TrimSuffix(text, "\n")
			}
		}
	}
	return all
}

// checkLine holds a line against what is true of all lines.
func checkLine(t *testing.T, text string) {
	t.Helper()
	start := cputime.Now()
	l := command.Read(text)
	if took := cputime.Since(start); took > 10*time.Second {
		t.Errorf("%.100q: took %v", text, took)
	}
	if l.Text != text || len(l.Parts) == 0 || l.Opaque == (l.Why == "") {
		t.Fatalf("%q: %+v", text, l)
	}
	units := len(utf16.Encode([]rune(text)))
	for _, p := range l.Parts {
		inBytes := p.Start >= 0 && p.Start <= p.End && p.End <= len(text)
		inUnits := p.Start16 >= 0 && p.Start16 <= p.End16 && p.End16 <= units
		if !inBytes || !inUnits || p.Start16 > p.Start || p.End16 > p.End {
			t.Fatalf("%q: %q is at %+v", text, p.Name, p.Span)
		}
		if p.Opaque && !l.Opaque || p.Neutral && (len(p.Writes) > 0 || p.Code || p.Opaque) {
			t.Fatalf("%q: %+v", text, p)
		}
	}
	more := command.Read(text + "\n\nrm -rf x") // a backslash may stand at the end
	last := more.Parts[len(more.Parts)-1]
	if !more.Opaque && (len(more.Parts) < len(l.Parts) || last.Name != "rm" || !last.Effects.Has(command.Destroys)) {
		t.Fatalf("%q: behind it rm is not a part: %s", text, written(more))
	}
	if !l.Opaque {
		checkSimple(t, l)
		checkTexts(t, l)
	}
}

// checkSimple wants a part where the parser finds a simple command.
func checkSimple(t *testing.T, l command.Line) {
	t.Helper()
	file, err := shell.Parse(l.Text)
	if err != nil {
		t.Fatalf("%q: %v", l.Text, err)
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		call, is := n.(*syntax.CallExpr)
		if !is || len(call.Args) == 0 {
			return true
		}
		start, end := shell.Bounds(l.Text, call.Pos(), call.End())
		for _, p := range l.Parts {
			if p.Start >= start && p.End <= end {
				return true
			}
		}
		t.Fatalf("%q: %q is no part: %s", l.Text, l.Text[start:end], written(l))
		return true
	})
}

// checkTexts wants each part to be read again from its text.
func checkTexts(t *testing.T, l command.Line) {
	t.Helper()
	for _, p := range l.Parts {
		if p.Text == "" {
			continue
		}
		again := command.Read(p.Text)
		found := false
		for _, q := range again.Parts {
			found = found || q.Name == p.Name && reflect.DeepEqual(q.Options, p.Options) &&
				reflect.DeepEqual(q.Operands, p.Operands) && reflect.DeepEqual(q.Writes, p.Writes) && (q.Code == p.Code || p.Piped)
		}
		if !found {
			t.Fatalf("%q: the part %q is read again as\n%swhich was\n%s", l.Text, p.Text, written(again), written(l))
		}
	}
}

func TestEveryLine(t *testing.T) {
	for _, text := range lines(t) {
		checkLine(t, text)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range lines(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkLine(t, strings.ToValidUTF8(text, "?"))
	})
}

// TestHostileLines: what is made to cost much costs no more than three usual lines of the same
// length, which take 2 ms each on a quiet machine.
func TestHostileLines(t *testing.T) {
	const most = shell.MaxText - 100
	deep := "x"
	for range 12 {
		deep = "sh -c '" + strings.ReplaceAll(deep, "'", `'\''`) + "'"
		if len(deep) > most {
			break
		}
	}
	list := func(quoted string) string { return "python -c '" + strings.Repeat(quoted, most/len(quoted)-1) + "'" }
	texts := []string{deep, strings.Repeat("😀;", 10_000),
		"{ " + strings.Repeat("sh;", 200) + " } <<'E'\n" + strings.Repeat("ls;", 10_000) + "\nE\n",
		"{ " + strings.Repeat("python;", 200) + " } <<'E'\n" + strings.Repeat("'rm -rf x',", 3000) + "\nE\n",
		"psql -c '" + strings.Repeat("select 1;", 7000) + "'", "awk '" + strings.Repeat("{print $1} ", 5900) + "'",
		"sed '" + strings.Repeat("p;", 30_000) + "'", "perl -e '" + strings.Repeat("system(\"ls -la\");", 3500) + "'",
		"find . " + strings.Repeat("-exec x {} + ", 4000), list(`"rm",`), list(`"rm x",`), list(`"rm" x `), list("rm a | "),
		list(`"` + strings.Repeat("rm -rf x;", 440) + `"; `), strings.Repeat(list(`"` + strings.Repeat("a b;", 100) + `"; `)[:4000]+"\"';", 15),
		"make " + strings.Repeat("--eval='rm -rf x' ", 3500), list(`"\`)}
	for _, unit := range strings.Split("$(|((|( |{ |if |! |`|\"$(|${a:-|$((|<(|@(|a() |$[|a |time |a[$((|x;|'|\"|$a|sudo |env |xargs |"+
		"find -exec |git |-a |"+
		"cd x;|cd x && |A=1 |>x |cat <<E\n|ssh h |uv run |sh -c |docker run x |{a,b}|{a,b} |{1..9} |{|}|,{|case x in a) ls;; esac;|f() { ls; };|"+
		"((a+1));|$((a+1)) |x=$((1+2));|python -c 'a';|python -c 'rm -rf x';|cat <<E\nx\nE\n|sh <<E\nls\nE\n|`ls` |$(ls) |"+
		"for i in a; do ls; done;|[[ a == b ]];|*.go |\\a|\"a\"'b' |é|npm test;|make x=y |tar -|awk '{print}';|psql -c 'select 1';|"+
		"find . -exec x {} + |bash -c 'ls';|--a=b |a\\\n|#a\n|<<a\n|# <<a\n|<<<a |\"${a}\" |a=(b c) |!(a) |a:b,c=d |read a;|export a=b;|$'a' |"+
		"git -c core.pager='rm -rf x; a b c' log;|npx git rm make npm docker kubectl sh bash;", "|") {
		whole := strings.Repeat(unit, most/len(unit))
		texts = append(texts, "ls "+whole, whole, "ls; "+strings.Repeat(unit, 900)+"x", strings.Repeat(unit+";", 250))
	}
	for _, unit := range []string{"ls|", "a|", "echo a | sh;"} {
		texts = append(texts, strings.Repeat(unit, most/len(unit)), strings.Repeat(unit, 900)+"x")
	}
	usual := strings.Repeat("git log -n 3 --oneline src/some/folder/of/the/project/a.go "+
		"src/some/folder/of/the/project/b.go src/some/folder/of/c.go && ", 250)
	usual += "ls " + strings.Repeat("x", most-len(usual))
	least := func(text string, times int) time.Duration {
		took := time.Hour
		for range times {
			start := cputime.Now()
			command.Read(text)
			took = min(took, cputime.Since(start))
		}
		return took
	}
	for _, text := range texts {
		if len(text) > shell.MaxText {
			text = text[:shell.MaxText]
		}
		took, base := least(text, 1), least(usual, 1)
		for try := 0; try < 20 && took > 3*base; try++ { // something else may have taken the time
			took, base = least(text, 3), least(usual, 3)
		}
		if took > 3*base {
			t.Errorf("%.60q: %v, and a usual line of 64 KiB %v", text, took, base)
		}
	}
	if !command.Read(strings.Repeat("a", shell.MaxText+1)).Opaque ||
		!command.Read("ls '"+strings.Repeat("(", shell.MaxOpen+1)+"'").Opaque {
		t.Error("beyond the bounds a line is not opaque")
	}
}
