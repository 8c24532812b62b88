package spoof

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// row is the characters that look like one text of ASCII.
type row struct {
	looks      string
	characters string
}

// class is the table that a look-alike stands in; the tables say what each is.
type class uint8

const (
	isFace class = iota + 1
	isForeign
	isSign
	isOdd
	isApart
)

// look is what a character looks like, and its class.
type look struct {
	text  string
	class class
}

// looks is the tables as one map, made when it is first needed: nearly all texts are ASCII.
var looks = sync.OnceValue(func() map[rune]look {
	all := map[rune]look{}
	for class, table := range map[class][]row{isFace: face[:], isForeign: foreign[:], isSign: sign[:], isOdd: odd[:], isApart: apart[:]} {
		for _, row := range table {
			for _, r := range row.characters {
				all[r] = look{row.looks, class}
			}
		}
	}
	return all
})

// LooksLike is a text as it looks to a reader of ASCII: hidden characters are left out,
// and look-alikes are the letters that they pass for.
func LooksLike(text string) string {
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch l, known := looks()[r]; {
		case Hidden(r):
		case known:
			b.WriteString(l.text)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}

// LookAlikesInName gives the letters of a name that pass for others, in their order. Names
// are read most carefully: every letter of another script among Latin ones counts, all that
// only looks Latin, and each letter of a name that has nothing but look-alikes.
func LookAlikesInName(name string) []rune {
	if isASCII(name) {
		return nil
	}
	letters, latin, poses := 0, false, true
	for _, r := range name {
		latin = latin || unicode.Is(unicode.Latin, r)
		if unicode.IsLetter(r) {
			letters++
			class := looks()[r].class
			poses = poses && (class == isFace || class == isForeign || class == isApart)
		}
	}
	poses = poses && letters > 0
	return filter(name, func(r rune) bool {
		switch class := looks()[r].class; class {
		case isFace, isOdd, isSign:
			return true
		case isForeign, isApart:
			return poses || latin && foreignLetter(r)
		}
		return latin && foreignLetter(r)
	})
}

// besideLatin are the scripts whose writers write Latin letters beside.
var besideLatin = []*unicode.RangeTable{unicode.Latin, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo}

// foreignLetter reports whether a letter has no place among Latin ones.
func foreignLetter(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, besideLatin...)
}

func filter(text string, wanted func(rune) bool) (found []rune) {
	for _, r := range text {
		if wanted(r) {
			found = append(found, r)
		}
	}
	return found
}

// LookAlikesInText gives the characters of a text of any kind that pass for others, in
// their order: letters in words that have plain Latin ones too, and signs between those.
func LookAlikesInText(text string) (found []rune) {
	if isASCII(text) {
		return nil
	}
	all := []rune(text)
	for at := 0; at < len(all); {
		end := at
		for end < len(all) && isWord(all[end]) {
			end++
		}
		if end == at {
			if looks()[all[at]].class == isSign && at > 0 && end+1 < len(all) && isPlain(all[at-1]) && isPlain(all[at+1]) {
				found = append(found, all[at])
			}
			at++
			continue
		}
		if word := all[at:end]; slices.ContainsFunc(word, isPlainLetter) {
			found = append(found, filter(string(word), passesInWord)...)
		}
		at = end
	}
	return found
}

// passesInWord reports whether a letter passes for one of ASCII in a word of such letters.
func passesInWord(r rune) bool {
	class := looks()[r].class
	return class == isFace || class == isForeign
}

func isWord(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

func isPlainLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// isPlain reports whether a character is one of those that addresses and paths are made of.
func isPlain(r rune) bool {
	return isPlainLetter(r) || r >= '0' && r <= '9' || strings.ContainsRune("_.~-", r)
}
