package pattern_test

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"sekisho/backend/pattern"
)

// canonical is ECMAScript's Canonicalize of every code unit, written from the
// specification with another library's full case mapping.
var canonical = sync.OnceValue(func() *[1 << 16]uint16 {
	upper := cases.Upper(language.Und)
	table := new([1 << 16]uint16)
	for i := range table {
		unit := uint16(i)
		table[i] = unit
		if utf16.IsSurrogate(rune(unit)) {
			continue
		}
		u := utf16.Encode([]rune(upper.String(string(rune(unit)))))
		if len(u) == 1 && (unit < 128 || u[0] >= 128) {
			table[i] = u[0]
		}
	}
	return table
})

// slowMatch fills a table: does the pattern's rest from i match the name's from j?
func slowMatch(pat, name string) bool {
	fold := canonical()
	p, n := utf16.Encode([]rune(pat)), utf16.Encode([]rune(name))
	below := make([]bool, len(n)+1)
	below[len(n)] = true
	for i := len(p) - 1; i >= 0; i-- {
		row := make([]bool, len(n)+1)
		for j := len(n); j >= 0; j-- {
			switch {
			case p[i] == '*':
				row[j] = below[j] || j < len(n) && !slices.Contains([]uint16{'\n', '\r', 0x2028, 0x2029}, n[j]) && row[j+1]
			case j < len(n):
				row[j] = fold[p[i]] == fold[n[j]] && below[j+1]
			}
		}
		below = row
	}
	return below[0]
}

// TestFoldIsCanonicalize compares Fold with the definition over the whole BMP, and
// says so if a new Unicode version brings a character that upperIsLonger must know.
func TestFoldIsCanonicalize(t *testing.T) {
	want := classes(func(r rune) string { return string(rune(canonical()[r])) })
	got := classes(func(r rune) string { return pattern.Fold(string(r)) })
	compare(t, got, want)
}

// TestFoldIsJavaScripts compares Fold with what a real engine matches.
// testdata/javascript-fold.mjs made the table. An engine with a newer Unicode knows
// pairs of letters that Go does not know yet: a letter that is unassigned in Go's
// tables is left out, and nothing else.
func TestFoldIsJavaScripts(t *testing.T) {
	f, err := os.Open("testdata/javascript-fold.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var want []string
	leftOut := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var class []string
		for _, hex := range strings.Fields(lines.Text()) {
			n, err := strconv.ParseUint(hex, 16, 16)
			if err != nil {
				t.Fatal(err)
			}
			if assigned(rune(n)) {
				class = append(class, hex)
			} else {
				leftOut++
			}
		}
		if len(class) > 1 {
			want = append(want, strings.Join(class, " "))
		}
	}
	if len(want) < 1000 || leftOut > 40 {
		t.Fatalf("%d classes, %d letters unknown to Go", len(want), leftOut)
	}
	slices.Sort(want)
	compare(t, classes(func(r rune) string { return pattern.Fold(string(r)) }), want)
}

func TestFoldIsIdempotentAndLeavesTheRestAlone(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		s := string(r)
		folded := pattern.Fold(s)
		if again := pattern.Fold(folded); again != folded {
			t.Errorf("U+%04X folds to %q and then to %q", r, folded, again)
		}
		if r > 0xFFFF && folded != s {
			t.Errorf("U+%04X folds to %q", r, folded)
		}
	}
}

func assigned(r rune) bool { return !unicode.Is(unicode.Cn, r) }

// classes lists the sets of BMP characters with one key, as sorted lines of code
// points; lone characters are left out.
func classes(key func(rune) string) []string {
	members := map[string][]string{}
	for r := rune(0); r <= 0xFFFF; r++ {
		if !utf16.IsSurrogate(r) {
			k := key(r)
			members[k] = append(members[k], fmt.Sprintf("%x", r))
		}
	}
	var all []string
	for _, m := range members {
		if len(m) > 1 {
			all = append(all, strings.Join(m, " "))
		}
	}
	slices.Sort(all)
	return all
}

func compare(t *testing.T, got, want []string) {
	t.Helper()
	for _, g := range got {
		if _, ok := slices.BinarySearch(want, g); !ok {
			t.Errorf("folds together but should not: %s", g)
		}
	}
	for _, w := range want {
		if _, ok := slices.BinarySearch(got, w); !ok {
			t.Errorf("should fold together: %s", w)
		}
	}
}
