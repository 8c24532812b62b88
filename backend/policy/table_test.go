package policy

import (
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// TestAllowedTable holds the generated table against what another source of Unicode
// data says of the characters in it.
func TestAllowedTable(t *testing.T) {
	last, count := rune(0x7F), 0
	for _, s := range allowedTable {
		if s.first <= last || s.last < s.first {
			t.Errorf("span %U to %U after %U", s.first, s.last, last)
		}
		last = s.last
		for r := s.first; r <= s.last; r++ {
			count++
			if issue := suspect(r, s.scripts); issue != "" {
				t.Errorf("%U %c: %s", r, r, issue)
			}
		}
	}
	if count < 100_000 {
		t.Errorf("only %d characters", count)
	}
}

// inclusions are the marks between letters that UTS 39 table 3a lets into identifiers.
var inclusions = map[rune]bool{0xB7: true, 0x375: true, 0x5F3: true, 0x5F4: true, 0x6FD: true, 0x6FE: true,
	0xF0B: true, 0x30FB: true}

// shared reports characters of one script that others use too: the digits of Arabic
// and Thaana, and three marks of Grantha that Tamil writes.
func shared(r rune) bool {
	return r >= 0x660 && r <= 0x669 || r == 0x11301 || r == 0x11303 || r == 0x1133C
}

func suspect(r rune, s scripts) string {
	switch {
	case s == 0:
		return "has no script"
	case !unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl) && !inclusions[r]:
		return "neither letter, mark nor number"
	case norm.NFKC.String(string(r)) != string(r):
		return "not stable under NFKC"
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return "invisible"
	}
	if unicode.In(r, unicode.Common, unicode.Inherited) || shared(r) {
		return ""
	}
	for i, name := range scriptNames {
		if unicode.Is(unicode.Scripts[name], r) != (s&(1<<i) != 0) {
			return "not the script " + s.String()
		}
	}
	return ""
}
