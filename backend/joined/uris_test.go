package joined

import (
	"strings"
	"testing"
)

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		template, uri string
		letters       int // below 0: it does not
	}{
		{"a://b", "a://b", 5},
		{"a://b", "a://c", -1},
		{"a://{x}", "a://", 4},
		{"a://{x}", "a://b/c", 4},
		{"a://{x}", "b://c", -1},
		{"a://{x}/c", "a://b/c", 6},
		{"a://{x}/c", "a://c", -1},
		{"a://{x}/c/{y}", "a://1/c/c/2", 7},
		{"a://{x}/c/{y}.txt", "a://1/c/2.txt", 11},
		{"a://{x}/c/{y}.txt", "a://1/c/2.md", -1},
		{"a://{x}{y}", "a://12", 4},
		{"{+all}", "whatever", 0},
		{"a{x}ab", "aab", 3},
		{"a{x}ab", "ab", -1},
		{"a://{x", "a://1", -1},
		{"", "", 0},
		{"", "a", -1},
	} {
		letters, ok := matches(tt.template, tt.uri)
		if ok != (tt.letters >= 0) || ok && letters != tt.letters {
			t.Errorf("%s for %s: %d, %v", tt.template, tt.uri, letters, ok)
		}
	}
}

// FuzzMatches: what a template is made into is matched by it.
func FuzzMatches(f *testing.F) {
	f.Add("a://", "/c", "1", "2")
	f.Add("", "", "", "}{")
	f.Fuzz(func(t *testing.T, first, second, x, y string) {
		if strings.ContainsAny(first+second, "{}") {
			return
		}
		template := first + "{x}" + second + "{y}"
		if letters, ok := matches(template, first+x+second+y); !ok || letters != len(first)+len(second) {
			t.Errorf("%s: %d, %v", template, letters, ok)
		}
		matches(x, y) // whatever they are
	})
}

func TestJoinedURIs(t *testing.T) {
	pairs := []pair{{"a", "u:1"}, {"a", "u:1"}, {"a", "sekisho:b/u:1"}, {"b", "u:1"}, {"b", "u:2"}, {"c", "u:1"}, {"c", "SEKISHO:x"},
		{"c", "sekisho"}}
	want := map[string]pair{
		"u:1": {"a", "u:1"}, "sekisho:a/sekisho:b/u:1": {"a", "sekisho:b/u:1"}, "sekisho:b/u:1": {"b", "u:1"}, "u:2": {"b", "u:2"},
		"sekisho:c/u:1": {"c", "u:1"}, "sekisho:c/SEKISHO:x": {"c", "SEKISHO:x"}, "sekisho": {"c", "sekisho"},
	}
	of := uniqueURIs(pairs)
	for uri, p := range of {
		if want[uri] != p {
			t.Errorf("%s is %q", uri, p)
		}
	}
	if len(of) != len(want) {
		t.Errorf("%d URIs, want %d", len(of), len(want))
	}
}
