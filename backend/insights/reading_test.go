package insights

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestReadable(t *testing.T) {
	text := `{"content":"` + strings.Repeat("word ", 238) + `","n":[1,true,{"name":"x"}]}`
	for _, c := range []struct {
		input string
		in    time.Duration
		want  bool
	}{
		{text, time.Minute, false}, {text, 62 * time.Second, true},
		{`{"command":"ls"}`, 100 * time.Millisecond, false}, {`{"command":"ls"}`, 300 * time.Millisecond, true},
		{`{}`, 0, true}, {`null`, 0, false}, {`{"a b c d e f g h":{}}`, 0, true}, {`"` + strings.Repeat("語", 100) + `"`, 10 * time.Second, false},
		{`"` + strings.Repeat("語", 100) + `"`, 13 * time.Second, true}, {`not json`, 0, true}, {text, 1 << 62, true},
		{endless("x"), 59 * time.Second, false}, {endless("x"), 61 * time.Second, true}, {endless("/ab-"), 3 * time.Minute, false},
		{endless("ก"), 59 * time.Second, false}, {endless("ก\u0e31\u0e49"), 61 * time.Second, true},
		{`{"n":` + strings.Repeat("1", 1095) + `}`, 59 * time.Second, false}, {`{"n":-1.5e10}`, time.Second, true},
		{`"語 語 語 語"`, 400 * time.Millisecond, false}, {`"語 語 語 語"`, 600 * time.Millisecond, true}, {`"語abc"`, 300 * time.Millisecond, false},
		{`"語abc"`, 400 * time.Millisecond, true}, {`"` + strings.Repeat("a b c d ", 60) + `"`, time.Minute, false},
	} {
		if got := Readable([]byte(c.input), c.in); got != c.want {
			t.Errorf("%.40s in %s: %v", c.input, c.in, got)
		}
	}
}

// endless is a text of 1,095 times the same without white space: so many letters are read in a minute.
func endless(of string) string { return `{"content":"` + strings.Repeat(of, 1095) + `"}` }

func TestTheSpeedIsDocumentedWithItsSource(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for _, words := range []string{
		fmt.Sprintf("%d words a minute", WordsPerMinute),
		fmt.Sprintf("half a word, %d a minute", 2*WordsPerMinute),
		fmt.Sprintf("%v letters to a word", LettersPerWord),
		"doi.org/10.1016/j.jml.2019.104047",
	} {
		if !strings.Contains(text, words) {
			t.Errorf("docs/operations.md lacks %q", words)
		}
	}
}
