package pattern_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"sekisho/backend/pattern"
)

// containLetters has a line end, both cases of a letter, and one letter that no pattern of
// the tests has: without a letter of its own, containment looks wider than it is.
var containLetters = []rune{'a', 'A', 'b', '\n', '\u2028', 'z'}

// containNames are all names over containLetters of up to 6 of them, shortest first. The
// capital is there up to 3, since it doubles the names and adds little.
func containNames() []string {
	all, from := []string{""}, 0
	for length := 1; length <= 6; length++ {
		to := len(all)
		for _, name := range all[from:to] {
			for _, r := range containLetters {
				if length <= 3 || r != 'A' && !strings.ContainsRune(name, 'A') {
					all = append(all, name+string(r))
				}
			}
		}
		from = to
	}
	return all
}

func containPattern(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteRune([]rune("***aAb\n\u2028")[r.IntN(8)])
	}
	return b.String()
}

// shelf is many random patterns, each with a bit for each short name that it matches.
type shelf struct {
	texts []string
	rows  [][]uint64
}

func newShelf(r *rand.Rand, size int) shelf {
	names := containNames()
	var s shelf
	for range size {
		text := containPattern(r)
		p, row := pattern.Compile(text), make([]uint64, len(names)/64+1)
		for i, name := range names {
			if p.Match(name) {
				row[i/64] |= 1 << (i % 64)
			}
		}
		s.texts, s.rows = append(s.texts, text), append(s.rows, row)
	}
	return s
}

// compareRows says of two rows whether the first has all of the second, whether both have
// something, and whether they are the same.
func compareRows(x, y []uint64) (covers, meets, same bool) {
	covers, same = true, true
	for i := range x {
		covers, meets, same = covers && y[i]&^x[i] == 0, meets || x[i]&y[i] != 0, same && x[i] == y[i]
	}
	return covers, meets, same
}

// TestContainmentByAllShortNames holds Covers, Meets and Meaning against every short
// name. The patterns have at most five characters, so that where a name tells two of
// them apart a name of six does.
func TestContainmentByAllShortNames(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	all := newShelf(r, 300)
	count := map[string]int{}
	for range 20_000 {
		i, j := r.IntN(300), r.IntN(300)
		x, y := all.texts[i], all.texts[j]
		covers, meets, same := compareRows(all.rows[i], all.rows[j])
		p, q := pattern.Compile(x), pattern.Compile(y)
		if got := pattern.Covers(p, q); got != covers {
			t.Fatalf("Covers(%q, %q) = %v", x, y, got)
		}
		if got := pattern.Meets(p, q); got != meets && (meets || len(letters(x+y)) <= 6) {
			t.Fatalf("Meets(%q, %q) = %v", x, y, got)
		}
		if name, ok := pattern.Common(p, q); ok && !(p.Match(name) && q.Match(name)) {
			t.Fatalf("Common(%q, %q) = %q", x, y, name)
		}
		if got := p.Meaning() == q.Meaning(); got != same {
			t.Fatalf("%q and %q mean the same: %v", x, y, got)
		}
		for what, is := range map[string]bool{"covers": covers && x != y, "meets": meets && !covers, "apart": !meets, "same": same && x != y} {
			if is {
				count[what]++
			}
		}
	}
	for _, what := range []string{"covers", "meets", "apart", "same"} {
		if count[what] < 50 {
			t.Errorf("%s: %d pairs only, the test is blind for it", what, count[what])
		}
	}
}

// letters of two patterns bound the shortest name that they can have in common.
func letters(patterns string) []rune { return []rune(strings.ReplaceAll(patterns, "*", "")) }

// TestUnionNeedsOneAlone is what Witness says of several patterns: where no single one
// covers, neither do all together.
func TestUnionNeedsOneAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	all := newShelf(r, 200)
	apart := 0
	for range 2000 {
		weak, strong := r.IntN(200), []int{r.IntN(200), r.IntN(200), r.IntN(200), r.IntN(200)}
		alone, together := false, true
		for _, s := range strong {
			alone = alone || pattern.Covers(pattern.Compile(all.texts[s]), pattern.Compile(all.texts[weak]))
		}
		for k, bits := range all.rows[weak] {
			for _, s := range strong {
				bits &^= all.rows[s][k]
			}
			together = together && bits == 0
		}
		if alone != together {
			t.Fatalf("%q by %v: alone %v, together %v", all.texts[weak], strong, alone, together)
		}
		if !alone {
			apart++
		}
	}
	if apart < 500 || apart > 1900 {
		t.Errorf("%d of 2000 were not covered, the test is blind", apart)
	}
}

func TestContainment(t *testing.T) {
	for _, tt := range []struct {
		a, b          string
		covers, meets bool
	}{
		{"*q*", "*", false, true}, {"*z*", "*", false, true}, {"*", "", true, true}, {"", "*", false, true}, {"", "", true, true},
		{"", "a", false, false},
		{"*", "read_*", true, true}, {"read_*", "*", false, true}, {"READ_*", "read_file", true, true},
		{"read_*", "read_*_x", true, true}, {"*a*", "*b*a*c*", true, true}, {"*ab*", "*a*b*", false, true},
		{"a*a", "a", false, false}, {"a*a", "a*", false, true}, {"ab*ba", "ab*a", false, true},
		{"*", "a\nb", false, false}, {"*", "a*\n", false, false}, {"a*\n*", "a*\nb", true, true}, {"*\n*", "*\r*", false, false},
		{"*\n*b", "a*\nc*", false, true}, {"*a\n*", "*b\n*", false, false}, {"*\u2028*", "*\u2029*", false, false},
		{"k*", "\u212a*", false, false}, {"*ß*", "*ẞ*", false, true}, {"Σ*", "ς*", true, true}, {"*\xff", "*\uFFFD", true, true},
		{"a*", "b*", false, false}, {"*a", "*b", false, false}, {"a*b", "ab*", false, true}, {"aa*", "a*", false, true},
	} {
		a, b := pattern.Compile(tt.a), pattern.Compile(tt.b)
		if got := pattern.Covers(a, b); got != tt.covers {
			t.Errorf("%q covers %q: %v", tt.a, tt.b, got)
		}
		if got := pattern.Meets(a, b); got != tt.meets || pattern.Meets(b, a) != got {
			t.Errorf("%q meets %q: %v", tt.a, tt.b, got)
		}
	}
}

// TestSpellings counts by folding every character that can have a case.
func TestSpellings(t *testing.T) {
	count := map[string]int{}
	for r := rune(0); r <= 0xFFFF; r++ {
		if !utf16.IsSurrogate(r) {
			count[pattern.Fold(string(r))]++
		}
	}
	for folded, want := range count {
		if folded == "\uFFFD" || folded == "*" {
			continue // any bad byte spells it; a star
		}
		if got := pattern.Compile(folded).Spellings(100); got != want {
			t.Errorf("%q: %d spellings, want %d", folded, got, want)
		}
	}
	if got := pattern.Compile(strings.Repeat("a", 256)).Spellings(math.MaxInt); got != math.MaxInt {
		t.Errorf("256 letters: %d spellings", got)
	}
	for text, want := range map[string]int{"": 1, "1_2": 1, "ab1": 4, "abcdefghijk": 100, "a*": 100, "\uFFFD": 100, "\xff": 100} {
		if got := pattern.Compile(text).Spellings(100); got != want {
			t.Errorf("%q: %d spellings, want %d", text, got, want)
		}
	}
}

// FuzzContain holds what is said of two patterns against one name.
func FuzzContain(f *testing.F) {
	f.Add("read_*", "READ_*x", "read_x")
	f.Add("*\nb*", "a*\n*", "a\nb")
	f.Add("*\xff", "é*\u2028", "é\xff")
	f.Fuzz(func(t *testing.T, x, y, name string) {
		if len(x)+len(y)+len(name) > 1<<12 {
			return
		}
		p, q := pattern.Compile(x), pattern.Compile(y)
		covers, meets := pattern.Covers(p, q), pattern.Meets(p, q)
		if covers && q.Match(name) && !p.Match(name) {
			t.Fatalf("%q does not cover %q: %q", x, y, name)
		}
		if !meets && p.Match(name) && q.Match(name) {
			t.Fatalf("%q and %q meet in %q", x, y, name)
		}
		common, ok := pattern.Common(q, p)
		if ok != meets || ok && !(p.Match(common) && q.Match(common)) {
			t.Fatalf("%q and %q: meets %v, common %v %q", x, y, meets, ok, common)
		}
		if (p.Meaning() == q.Meaning()) != (covers && pattern.Covers(q, p)) {
			t.Fatalf("%q and %q: Meaning and Covers disagree", x, y)
		}
		if again := pattern.Compile(p.Meaning()); again.Meaning() != p.Meaning() || again.Match(name) != p.Match(name) {
			t.Fatalf("%q: its meaning %q means something else", x, p.Meaning())
		}
	})
}
