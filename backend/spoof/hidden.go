package spoof

import (
	"slices"
	"unicode"
)

// blank are the characters that draw nothing, or only a box, without being ignorable, and
// the marks that strike letters out or frame them.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0334, 0x0338, 1}, {0x0488, 0x0489, 1}, {0x20D2, 0x20D3, 1}, {0x20D8, 0x20DA, 1}, {0x20DD, 0x20E0, 1},
		{0x20E2, 0x20E6, 1}, {0x20EA, 0x20EB, 1}, {0x2800, 0x2800, 1}, {0xFFFC, 0xFFFC, 1},
	},
	R32: []unicode.Range32{{0x13441, 0x13442, 1}, {0x16FE4, 0x16FE4, 1}, {0x1D159, 0x1D159, 1}},
}

// Hidden reports whether a reader cannot see a character, or only as something that it is
// not: controls, marks of direction, tags, fillers, odd blanks, private use.
func Hidden(r rune) bool {
	if r >= ' ' && r <= '~' {
		return false
	}
	return unicode.In(r, unicode.C, unicode.Z, blank) || isIgnorable(r)
}

func isIgnorable(r rune) bool {
	_, found := slices.BinarySearchFunc(ignorable[:], r, func(span [2]rune, r rune) int {
		switch {
		case r < span[0]:
			return 1
		case r > span[1]:
			return -1
		}
		return 0
	})
	return found
}

// HiddenInName gives the hidden characters of a name, in their order.
func HiddenInName(name string) []rune { return filter(name, Hidden) }

// HiddenInText gives the characters of a text of several lines that hide something from
// its reader, in their order. What people write is none: ends of lines and tabs, blanks of
// other widths, the joiners of emoji and of the scripts that need them, selectors that
// choose the drawing of a sign, marks of direction among letters written from the right,
// and the three flags that are spelled in tags.
func HiddenInText(text string) (found []rune) {
	if isASCII(text) {
		return filter(text, func(r rune) bool { return Hidden(r) && r != '\n' && r != '\t' && r != '\r' })
	}
	all := []rune(text)
	leftward := slices.ContainsFunc(all, isLeftward)
	for at := 0; at < len(all); at++ {
		r := all[at]
		if n := flagLength(all[at:]); n > 0 {
			at += n - 1
			continue
		}
		if Hidden(r) && !isWritten(all, at, leftward) {
			found = append(found, r)
		}
	}
	return found
}

// isWritten reports whether a hidden character has its use where it stands.
func isWritten(all []rune, at int, leftward bool) bool {
	var before, after rune
	if at > 0 {
		before = all[at-1]
	}
	if at+1 < len(all) {
		after = all[at+1]
	}
	switch r := all[at]; {
	case r == '\n', r == '\t', r == '\r', r != 0x1680 && unicode.Is(unicode.Zs, r):
		return true
	case r == 0xFE0E, r == 0xFE0F:
		return isPicture(before) || before >= '0' && before <= '9' || before == '#' || before == '*'
	case r == 0x200D:
		return isPicture(before) && isPicture(after) || before == 0xFE0F && isPicture(after) || joins(before) && joins(after)
	case r == 0x20E3: // a key's frame
		return before == 0xFE0F
	case r == 0x200C:
		return joins(before) && joins(after)
	case r == 0x200E, r == 0x200F, r == 0x061C:
		return leftward
	}
	return false
}

// isPicture reports whether a character is a sign that selectors and joiners belong to.
func isPicture(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sm, unicode.Po, unicode.Sk) && r >= 0x80
}

// joining are scripts in which joiners part or bind letters.
var joining = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi,
	unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer,
	unicode.Myanmar}

func joins(r rune) bool { return unicode.In(r, joining...) }

// isLeftward reports whether a letter is written from right to left.
func isLeftward(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam) && unicode.IsLetter(r)
}

// flags are England, Scotland and Wales, without the black flag before and the tag that ends them.
var flags = []string{"gbeng", "gbsct", "gbwls"}

// flagLength is how many characters at the beginning of a text are such a flag.
func flagLength(text []rune) int {
	const black, base, end, length = 0x1F3F4, 0xE0000, 0xE007F, 7
	if len(text) < length || text[0] != black || text[length-1] != end {
		return 0
	}
	spelled := make([]rune, 0, length)
	for _, r := range text[1 : length-1] {
		spelled = append(spelled, r-base)
	}
	if !slices.Contains(flags, string(spelled)) {
		return 0
	}
	return length
}

// Tag reports whether a character is one of the block of tags, which spell hidden text.
func Tag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }

// Direction reports whether a character changes the order in which others are shown.
func Direction(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F || r == 0x061C
}
