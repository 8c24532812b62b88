package toolbook

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sekisho/backend/cputime"
)

func TestFlagsOfADefinition(t *testing.T) {
	tags := "\U000E0049\U000E0067\U000E006E"
	for _, c := range []struct{ name, definition, want string }{
		{"read_file", `{"name":"read_file","description":"Reads a file.\n⚠️ Slow."}`, ""},
		{"read_fi\u217ce", `{"name":"read_fi\u217ce"}`, "/name lookAlike 1 U+217C read_file"},
		{"a", `{"name":"a","description":"harmless` + tags + `"}`, "/description tags 3 U+E0049,U+E0067,U+E006E "},
		{"a", `{"name":"a","title":"p\u0430y","annotations":{"title":"\u202ex"}}`,
			"/title lookAlike 1 U+0430 ;/annotations/title direction 1 U+202E "},
		{"a", `{"name":"a","inputSchema":{"properties":{"k\u200b/~":{"description":"x\u2060\u2060"}}}}`,
			"/inputSchema/properties/k\u200b~1~0 hidden 1 U+200B ;/inputSchema/properties/k\u200b~1~0/description hidden 2 U+2060 "},
		{"a", `{"name":"a"}{"name":"a","description":"\u200b"}`, "/description hidden 1 U+200B "},
		{"a", `{"name":"a","description":"cut \u200b`, ""},
		{"a", `{"name":"a","x":"\u200b","description":"cut `, "/x hidden 1 U+200B "},
	} {
		var said []string
		for _, f := range flagsOf(c.name, []byte(c.definition)) {
			said = append(said, fmt.Sprintf("%s %s %d %s %s", f.At, f.Kind, f.Count, strings.Join(f.Characters, ","), f.LooksLike))
		}
		if got := strings.Join(said, ";"); got != c.want {
			t.Errorf("%s: %+q, not %+q", c.definition, got, c.want)
		}
	}
}

// TestFlagsOfHugeDefinitions: a definition that is deep, or has a million flags, costs no
// more than a moment.
func TestFlagsOfHugeDefinitions(t *testing.T) {
	begun := cputime.Now()
	for name, definition := range map[string]string{
		"deep":       strings.Repeat(`{"`+strings.Repeat("k", 1000)+`":`, 8000),
		"deep lists": strings.Repeat("[", 8<<20),
		"many":       "[" + strings.Repeat(`"\u200b",`, 1<<20) + `""]`,
	} {
		if flags := flagsOf("a", []byte(definition)); len(flags) > maxFlags {
			t.Errorf("%s: %d flags", name, len(flags))
		}
	}
	if took := cputime.Since(begun); took > time.Minute {
		t.Errorf("took %s", took)
	}
}
