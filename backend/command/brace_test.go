package command_test

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"sekisho/backend/command"
)

// TestBraces: all readers see the words that bash makes of literal braces.
func TestBraces(t *testing.T) {
	for text, want := range map[string]string{
		"rm {-rf,x}": "rm -rf x", "{rm,-rf,x}": "rm -rf x", "cat {.env,a}": "cat .env a", "ls a{1..3}": "ls a1 a2 a3",
		"ls a{3..1..2}b": "ls a3b a1b",
		"ls {a,b}{c,d}":  "ls ac ad bc bd", "ls {a,{b,c}}": "ls a b c", "ls {,a}": "ls a", `ls {a,"b c"}`: "ls a 'b c'",
		"ls {01..03}": "ls 01 02 03",
		"ls {c..a}":   "ls c b a", "r{m,\\ }": "rm 'r '", "ls HEAD@{1} {} {a} x{b}": "ls 'HEAD@{1}' {} '{a}' 'x{b}'", `ls {a,$X}`: "ls a $X",
		"ls {a..b,c}": "ls a..b c", "ls '{a,b}' \\{a,b}": "ls '{a,b}' '{a,b}'", "export {A,B}=x": "export A=x B=x", "ls {-1..1}": "ls -1 0 1",
	} {
		l := command.Read(text)
		if l.Opaque || l.Parts[0].Text != want {
			t.Errorf("%s: opaque %t (%s), %s, want %s", text, l.Opaque, l.Why, l.Parts[0].Text, want)
		}
	}
	for _, text := range []string{"ls {1..100000}", "ls {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "ls {a..Z}",
		"ls {1..9999999999999999999}",
		strings.Repeat("ls {1..200};", 2), `ls {"a,b"..c}`} {
		if l := command.Read(text); !l.Opaque {
			t.Errorf("%s is not opaque: %s", text, written(l))
		}
	}
	for text, effect := range map[string]command.Effect{"rm {-rf,x}": command.Destroys, "{rm,-rf,x}": command.Destroys,
		"git push {--force,origin}": command.Destroys, "git {push,-f}": command.Sends} {
		if l := command.Read(text); !l.Parts[0].Effects.Has(effect) {
			t.Errorf("%s: %s", text, written(l))
		}
	}
	if l := command.Read("export {LD_PRELOAD,X}=/tmp/x"); !l.Parts[0].Code {
		t.Errorf("a variable that steers is set by braces: %s", written(l))
	}
	list := func(yield func(string, []byte) bool) { yield("command", []byte(`["ls","{a,b}"]`)) }
	if o, _ := command.Find(list); len(o.Read(false).Parts[0].Words) != 1 {
		t.Error("braces of an argv are expanded")
	}
}

// TestBracesAsBash holds random words against bash.
func TestBracesAsBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	pick := rand.New(rand.NewPCG(15, 1))
	pieces := []string{"{", "{", "}", "}", ",", ",", "..", "a", "b", "1", "3", "-", `\`, `"x,y"`, "'{'", ".", "09", "{a,b}", "{1..3}"}
	var script strings.Builder
	var texts []string
	for range 3000 {
		text := "w"
		if pick.IntN(2) == 0 {
			text = ""
		}
		for range 1 + pick.IntN(9) {
			text += pieces[pick.IntN(len(pieces))]
		}
		if strings.HasSuffix(text, `\`) || strings.Trim(text, "{}") == "" {
			continue
		}
		if l := command.Read("printf " + text); l.Opaque {
			continue
		}
		texts = append(texts, text)
		script.WriteString("printf '<%s>' " + text + "; echo\n")
	}
	out, err := exec.Command(bash, "--norc", "-c", script.String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(texts) {
		t.Fatalf("%d lines of %d", len(lines), len(texts))
	}
	checked := 0
	for i, text := range texts {
		got, literal := "", true
		words := command.Read("printf " + text).Parts[0].Words
		for _, w := range words {
			got += "<" + w.Text + ">"
			literal = literal && w.Literal
		}
		if len(words) == 0 {
			got = "<>"
		}
		if !literal {
			continue // a shell has a say in it
		}
		if checked++; got != lines[i] {
			t.Errorf("%s: %s, bash says %s", text, got, lines[i])
		}
	}
	if checked < 1000 {
		t.Errorf("only %d words were compared", checked)
	}
}
