package policy

import (
	"math/bits"
	"slices"
)

// scripts is a set of scripts.
type scripts uint64

// The scripts that UTS 39 recommends for identifiers, in the order of scriptNames, and
// three sets for the writing systems that mix some of them (UTS 39 section 5.1):
// Japanese, Chinese with Bopomofo, Korean.
const (
	arabic scripts = 1 << iota
	armenian
	bengali
	bopomofo
	cyrillic
	devanagari
	ethiopic
	georgian
	greek
	gujarati
	gurmukhi
	han
	hangul
	hebrew
	hiragana
	kannada
	katakana
	khmer
	lao
	latin
	malayalam
	myanmar
	oriya
	sinhala
	tamil
	telugu
	thaana
	thai
	tibetan
	jpan
	hanb
	kore

	anyScript = ^scripts(0) // Common and Inherited: at home in every script
)

var scriptNames = [...]string{"Arabic", "Armenian", "Bengali", "Bopomofo", "Cyrillic", "Devanagari", "Ethiopic",
	"Georgian", "Greek", "Gujarati", "Gurmukhi", "Han", "Hangul", "Hebrew", "Hiragana", "Kannada", "Katakana", "Khmer",
	"Lao", "Latin", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thaana", "Thai", "Tibetan"}

// String names the first script of a set, and is "" for one that any script may use.
func (s scripts) String() string {
	if i := bits.TrailingZeros64(uint64(s)); s != anyScript && i < len(scriptNames) {
		return scriptNames[i]
	}
	return ""
}

// augment adds the writing systems that use a script.
func (s scripts) augment() scripts {
	if s&han != 0 {
		s |= hanb | jpan | kore
	}
	if s&(hiragana|katakana) != 0 {
		s |= jpan
	}
	if s&hangul != 0 {
		s |= kore
	}
	if s&bopomofo != 0 {
		s |= hanb
	}
	return s
}

// span is a run of characters that belong to the same scripts.
type span struct {
	first, last rune
	scripts     scripts
}

// scriptsOf gives the scripts that a character is used in, or 0 for one that UTS 39
// does not allow in identifiers. Printable ASCII is allowed as a whole: tool names
// hold slashes, dots and blanks.
func scriptsOf(r rune) scripts {
	switch {
	case r|0x20 >= 'a' && r|0x20 <= 'z':
		return latin
	case r < 0x80:
		return anyScript
	}
	i, found := slices.BinarySearchFunc(allowedTable[:], r, func(s span, r rune) int {
		switch {
		case r < s.first:
			return 1
		case r > s.last:
			return -1
		}
		return 0
	})
	if !found {
		return 0
	}
	return allowedTable[i].scripts.augment()
}
