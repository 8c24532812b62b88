package shell

import (
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func hasBrace(w *syntax.Word) bool {
	for _, part := range w.Parts {
		if lit, is := part.(*syntax.Lit); is && strings.IndexByte(lit.Value, '{') >= 0 {
			return true
		}
	}
	return false
}

// unit is a character of a word, or a part of it that braces do not look into.
type unit struct {
	char   byte
	quoted bool // by a backslash, or the backslash itself
	part   syntax.WordPart
}

func (u unit) is(char byte) bool { return u.part == nil && !u.quoted && u.char == char }

func unitsIn(w *syntax.Word) (units []unit) {
	for _, part := range w.Parts {
		lit, is := part.(*syntax.Lit)
		if !is {
			units = append(units, unit{part: part})
			continue
		}
		quoted := false
		for i := range len(lit.Value) {
			c := lit.Value[i]
			units = append(units, unit{char: c, quoted: quoted || c == '\\'})
			quoted = c == '\\' && !quoted
		}
	}
	return units
}

// wordOf is the word that units are.
func wordOf(units []unit) *syntax.Word {
	w := &syntax.Word{}
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			w.Parts = append(w.Parts, &syntax.Lit{Value: text.String()})
			text.Reset()
		}
	}
	for _, u := range units {
		if u.part == nil {
			text.WriteByte(u.char)
			continue
		}
		flush()
		w.Parts = append(w.Parts, u.part)
	}
	flush()
	return w
}

// readExpanded reads a word that stands in the place of another one in the text.
func readExpanded(text string, place, w *syntax.Word) Word {
	raw := ""
	for _, part := range w.Parts {
		if lit, is := part.(*syntax.Lit); is {
			raw += lit.Value
			continue
		}
		start, end := Bounds(text, part.Pos(), part.End())
		raw += text[start:end]
	}
	start, end := Bounds(text, place.Pos(), place.End())
	r := wordReader{Word: Word{Literal: true, Raw: raw, Start: start, End: end, Inside: -1}}
	r.parts(w.Parts, false)
	return r.done()
}

// Expand adds to words what a word of the text is to bash: one word for each of its brace
// expansions, as rm {-rf,x} has three words, and how many of them there are; left is how many there
// may be. It is not known where shells read the braces in different ways, or they make too many.
func Expand(words []Word, text string, w *syntax.Word, left int) (all []Word, made int, known bool) {
	if !hasBrace(w) {
		return append(words, ReadWord(text, w)), 0, true
	}
	x := braces{left: left}
	list := x.expand(unitsIn(w))
	if x.odd || !x.made {
		return append(words, ReadWord(text, w)), 0, !x.odd
	}
	for _, units := range list {
		if len(units) > 0 {
			words = append(words, readExpanded(text, w, wordOf(units)))
		}
	}
	return words, len(list), true
}

// braces expands the braces of one word.
type braces struct {
	left int
	made bool // there was something to expand
	odd  bool // it is not known what bash makes of them, or too much
}

// expand gives the words that bash makes of one: what is before the first pair of braces with
// a comma or a sequence in it, each of what is between them, and the same of what is behind.
func (x *braces) expand(text []unit) [][]unit {
	open, end := pair(text)
	if open < 0 || x.odd {
		return [][]unit{text}
	}
	inside := text[open+1 : end]
	var between [][]unit
	if comma, plain := hasComma(inside); comma {
		from, pieces := 0, 0
		for at := 0; at <= len(inside); at++ {
			if at = gobble(inside, at, ','); at < 0 {
				at = len(inside)
			}
			between = append(between, x.expand(inside[from:at])...)
			from, pieces = at+1, pieces+1
		}
		x.made, x.odd = true, x.odd || pieces == 1
	} else if list, is := x.sequence(inside); is && plain {
		between, x.made = list, true
	} else {
		x.odd = x.odd || !plain
		between = [][]unit{text[open : end+1]}
	}
	behind := x.expand(text[end+1:])
	if x.odd = x.odd || len(between)*len(behind) > x.left; x.odd {
		return nil
	}
	all := make([][]unit, 0, len(between)*len(behind))
	for _, middle := range between {
		for _, last := range behind {
			word := make([]unit, 0, open+len(middle)+len(last))
			all = append(all, append(append(append(word, text[:open]...), middle...), last...))
		}
	}
	return all
}

// pair finds the first braces that bash may expand.
func pair(text []unit) (open, end int) {
	for open = 0; ; open++ {
		if open = gobble(text, open, '{'); open < 0 {
			return -1, -1
		}
		if end = gobble(text, open+1, '}'); end >= 0 {
			return open, end
		}
	}
}

// gobble finds a character from a place on, outside of pairs of braces: of an end of braces one
// with a comma or a sequence before it. It is -1 where there is none.
func gobble(text []unit, from int, char byte) int {
	level, marks := 0, 0
	for i := from; i < len(text); i++ {
		u := text[i]
		switch {
		case u.is(char) && level == 0 && (char != '}' || marks > 0):
			if char == '{' && i == 0 && i+1 < len(text) && text[i+1].is('}') {
				continue
			}
			return i
		case u.is('{'):
			level++
		case u.is('}') && level > 0:
			level--
		case level == 0 && u.is(','), level == 0 && u.is('.') && i+2 < len(text) && text[i+1].is('.') && !text[i+2].is(char):
			marks++
		}
	}
	return -1
}

// hasComma reports whether a comma stands anywhere in what is between braces. It is not plain
// if there are quotes, which may hold one.
func hasComma(text []unit) (comma, plain bool) {
	plain = true
	for _, u := range text {
		comma, plain = comma || u.is(','), plain && u.part == nil
	}
	return comma, plain
}

// terms are those of a sequence.
var terms = regexp.MustCompile(`^(?:([-+]?\d{1,18})\.\.([-+]?\d{1,18})|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))(?:\.\.([-+]?\d{1,18}))?$`)

// dots begin what may be a sequence that is not read here.
var dots = regexp.MustCompile(`^([A-Za-z]|[-+]?\d+)\.\.([A-Za-z]|[-+]?\d+)(\.\.|$)`)

// sequence gives the words of 1..3 or a..e.
func (x *braces) sequence(text []unit) (words [][]unit, is bool) {
	var plain strings.Builder
	for _, u := range text {
		plain.WriteByte(u.char)
	}
	match := terms.FindStringSubmatch(plain.String())
	if match == nil {
		x.odd = x.odd || dots.MatchString(plain.String())
		return nil, false
	}
	from, to, letters := match[1], match[2], false
	if from == "" {
		from, to, letters = match[3]+match[5], match[4]+match[6], true
	}
	width := 0
	if padded(from) || padded(to) {
		width = max(len(from), len(to))
		x.odd = x.odd || match[7] != "" || strings.ContainsAny(from+to, "+")
	}
	first, last := term(from, letters), term(to, letters)
	step, _ := strconv.Atoi(match[7])
	if step = max(step, -step, 1); (max(first, last)-min(first, last))/step >= x.left {
		x.odd = true
		return nil, true
	}
	for n := range (max(first, last)-min(first, last))/step + 1 {
		at := first + n*step
		if first > last {
			at = first - n*step
		}
		word := strconv.Itoa(at)
		if letters {
			word = string(rune(at))
		}
		sign := ""
		if word[0] == '-' {
			sign, word = "-", word[1:]
		}
		word = sign + strings.Repeat("0", max(0, width-len(sign)-len(word))) + word
		units := make([]unit, len(word))
		for i := range units {
			units[i].char = word[i]
		}
		words = append(words, units)
	}
	return words, true
}

// padded reports whether a number has a zero in front of it.
func padded(number string) bool {
	number = strings.TrimPrefix(number, "-")
	return len(number) > 1 && number[0] == '0'
}

// term is a term as a number.
func term(text string, letter bool) int {
	if letter {
		return int(text[0])
	}
	n, _ := strconv.Atoi(text)
	return n
}
