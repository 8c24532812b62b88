package command_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"sekisho/backend/command"
)

// TestPlainLines: a line that is read without the parser is read as the parser reads it.
func TestPlainLines(t *testing.T) {
	texts := lines(t)
	pick := rand.New(rand.NewPCG(15, 9))
	pieces := strings.Fields("git log -n 3 --oneline ls -la cat a/b.go npm test make A=1 CC=x rm -rf . .. : sh -c bash build.sh python -m pytest " +
		"time if then function let export declare { } ! coproc @x %1 a+b + - -- sudo env xargs find -exec timeout 5 docker exec x=y curl https://a.b/c " +
		"1 select in 2,3 ./x /usr/bin/rm")
	for range 20_000 {
		words := make([]string, 1+pick.IntN(6))
		for i := range words {
			words[i] = pieces[pick.IntN(len(pieces))]
		}
		texts = append(texts, strings.Repeat(" ", pick.IntN(2))+strings.Join(words, strings.Repeat(" ", 1+pick.IntN(2))))
	}
	for _, text := range texts {
		if got, want := command.Read(text), command.ReadParsed(text); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is read as\n%sand by the parser as\n%s%+v\n%+v", text, written(got), written(want), got, want)
		}
	}
}
