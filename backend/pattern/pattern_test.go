package pattern_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/cputime"
	"sekisho/backend/pattern"
)

// text is a string of testdata/wildcards.json, or a generator of a long one.
type text string

func (x *text) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, (*string)(x))
	}
	var g struct {
		Repeat []json.RawMessage `json:"$repeat"`
		Concat []text            `json:"$concat"`
		Bytes  string            `json:"$bytes"`
	}
	if err := json.Unmarshal(b, &g); err != nil {
		return err
	}
	if g.Repeat != nil {
		var s string
		var n int
		if err := json.Unmarshal(g.Repeat[0], &s); err != nil {
			return err
		}
		if err := json.Unmarshal(g.Repeat[1], &n); err != nil {
			return err
		}
		*x = text(strings.Repeat(s, n))
		return nil
	}
	for _, part := range g.Concat {
		*x += part
	}
	raw, err := hex.DecodeString(g.Bytes)
	*x += text(raw)
	return err
}

func TestWildcards(t *testing.T) {
	raw, err := os.ReadFile("testdata/wildcards.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID, Cls, Reason string
		Pattern, Tool   text
		Expected        bool
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 90 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, r := range rows {
		start := cputime.Now()
		got := pattern.Compile(string(r.Pattern)).Match(string(r.Tool))
		if took := cputime.Since(start); took > 500*time.Millisecond {
			t.Errorf("%s took %v", r.ID, took)
		}
		if got != r.Expected {
			t.Errorf("%s: %.60q matches %.60q = %v: %s", r.ID, r.Pattern, r.Tool, got, r.Reason)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"**", "x", true}, {"a*", "a", true}, {"*a", "a", true},
		{"a*a", "a", false}, {"a*a", "aa", true}, {"ab*ba", "aba", false}, {"*ab*ab*", "xabab", true},
		{"*ab*ab*", "xab", false}, {"a*b*a", "aba", true}, {"*aab*", "aaab", true}, {"*aab", "aaab", true},

		// Line ends: a star never crosses one, a literal one is itself.
		{"*", "a\rb", false}, {"*", "a\u2029b", false}, {"a*\n", "abc\n", true}, {"a\nb", "a\nb", true},
		{"a\n*", "a\nb", true}, {"*\nb*", "x\nb\nb", false}, {"*\nb*\nb", "x\nb\nb", true},
		{"*b*\n*", "abb\nc", true}, {"*b\n*", "abab\nc", true}, {"*b*", "abab\nc", false}, {"*", "a\u0085b", true},
		{"*", "\u2027\u202a", true}, {"*\u2028*", "a\u2028b", true}, {"\r\n", "\r\n", true}, {"\r*\n", "\r\r\n", false},

		// Characters beyond the BMP are two code units and never folded; half of one
		// cannot be matched.
		{"*\U0001F600*", "a\U0001F600b", true}, {"\U00010428", "\U00010400", false}, {"*\uFFFD*", "\U0001F600", false},

		// A byte that is not UTF-8 counts as U+FFFD.
		{"a*", "a\xff", true}, {"a\uFFFD", "a\xff", true}, {"a\xfe", "a\xff", true}, {"*\xa9", "é", false}, {"\xc3*", "é", false},
		{"a\xff\xff", "a\xff", false}, {"*", "\xe2\x80", true}, {"*", "\xe2", true}, {"*\xe2*", "\u2028", false},
	} {
		if got := pattern.Compile(tt.pattern).Match(tt.name); got != tt.want {
			t.Errorf("%q matches %q = %v, want %v", tt.pattern, tt.name, got, tt.want)
		}
	}
}

func TestMatchFoldedTakesAnyString(t *testing.T) {
	for _, s := range []string{"", "\xe2", "\xe2\x80", "A", "a\xe2\x80\xa8"} {
		pattern.Compile("*").MatchFolded(s) // must not panic
	}
}

func TestString(t *testing.T) {
	for _, s := range []string{"", "Read_*", "**", "\xff"} {
		if got := pattern.Compile(s).String(); got != s {
			t.Errorf("Compile(%q).String() = %q", s, got)
		}
	}
}

func TestMatchFoldedAllocatesNothing(t *testing.T) {
	p, name := pattern.Compile("*read*_é*"), pattern.Fold("X_READ_it_É_now")
	if !p.MatchFolded(name) {
		t.Fatal("does not match")
	}
	if n := testing.AllocsPerRun(100, func() { p.MatchFolded(name) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { name = pattern.Fold("read_text_file") }); n != 0 {
		t.Errorf("Fold of a small ASCII name: %v allocations", n)
	}
}

// TestLinear gives the matcher what makes a backtracking one last for hours.
func TestLinear(t *testing.T) {
	p := pattern.Compile(strings.Repeat("*a", 1000) + "*b")
	for _, name := range []string{strings.Repeat("a", 1_000_000), strings.Repeat("a", 999) + strings.Repeat("c", 1_000_000)} {
		start := cputime.Now()
		if p.Match(name) {
			t.Error("matches")
		}
		if took := cputime.Since(start); took > 2*time.Second {
			t.Errorf("took %v", took)
		}
	}
}

// FuzzMatch compares with a matcher written from the definition alone.
func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{
		{"read_*", "READ_x"}, {"*\nb*", "x\nb\nb"}, {"*a*\u2028*", "ba\u2028"}, {"k*", "\u212a"}, {"*ß*", "ẞ"}, {"\U00010428*", "\U00010400"},
		{"*\xff", "é\xff"}, {"*aab*", "aaab"}, {"ᾳ", "ᾼ"}, {"*\r\n", "\r\n"}, {"ǅ", "Ǆ"}, {"*σ*ς", "ΣΣ"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pat, name string) {
		if len(pat)*len(name) > 1<<16 {
			return
		}
		p := pattern.Compile(pat)
		if got, want := p.Match(name), slowMatch(pat, name); got != want {
			t.Fatalf("%q matches %q = %v, by the definition %v", pat, name, got, want)
		}
		if p.Match(name) != p.MatchFolded(pattern.Fold(name)) {
			t.Fatalf("Match and MatchFolded disagree on %q, %q", pat, name)
		}
	})
}

// TestMatchesDefinition walks all short patterns and names over the characters that
// matter, so that the plain test run has what the fuzzer would find first.
func TestMatchesDefinition(t *testing.T) {
	words := func(alphabet string, max int) []string {
		all := []string{""}
		for from := 0; max > 0; max-- {
			longest := all[from:]
			from = len(all)
			for _, w := range slices.Clone(longest) {
				for _, c := range alphabet {
					all = append(all, w+string(c))
				}
			}
		}
		return all
	}
	names := words("aB\n", 5)
	for _, pat := range words("*aB\n", 5) {
		p := pattern.Compile(pat)
		for _, name := range names {
			if got, want := p.Match(name), slowMatch(pat, name); got != want {
				t.Fatalf("%q matches %q = %v, by the definition %v", pat, name, got, want)
			}
		}
	}
}
