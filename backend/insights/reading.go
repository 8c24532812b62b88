package insights

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode"
)

// WordsPerMinute is how fast adults read English that is no story, in silence, on average over
// 190 studies: M. Brysbaert, How many words do we read per minute? A review and meta-analysis
// of reading rate, Journal of Memory and Language 109 (2019).
const WordsPerMinute = 238

// LettersPerWord is how long the words of such texts are on average, as the same review counts them: a text
// of longer words takes as much longer to read.
const LettersPerWord = 4.6

// Readable reports whether what a person is shown of an input could be read in a time. Its words
// are those of its texts, between white space, and at least as many as its letters make on average;
// letters of a script that has no white space between words count as half a word each. Names of
// members are not counted, nor is what is no strict JSON.
func Readable(input []byte, in time.Duration) bool {
	most := min(in, 24*time.Hour).Minutes() * WordsPerMinute
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	type level struct{ object, value bool }
	var levels []level
	var read length
	for read.words() <= most {
		token, err := d.Token()
		if err != nil {
			return true
		}
		name := false
		if n := len(levels); n > 0 && levels[n-1].object {
			if _, end := token.(json.Delim); !end || token == json.Delim('{') || token == json.Delim('[') {
				name, levels[n-1].value = !levels[n-1].value, !levels[n-1].value
			}
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				levels = append(levels, level{object: token == '{'})
			} else {
				levels = levels[:len(levels)-1]
			}
		case string:
			if !name {
				read.add(token)
			}
		case json.Number:
			read.add(token.String())
		default:
			read.between++
		}
	}
	return false
}

// length is how long a text is to its reader.
type length struct {
	between int // words between white space, but for those of ideographs alone
	letters int // and signs, in such words
	ideas   int // ideographs and kana
}

// words is a length in words of average letters.
func (l *length) words() float64 {
	return max(float64(l.between), float64(l.letters)/LettersPerWord) + float64(l.ideas)/2
}

// add counts a text. Marks belong to the letters that they stand on.
func (l *length) add(text string) {
	for word := range strings.FieldsSeq(text) {
		ideas := l.ideas
		letters := l.letters
		for _, r := range word {
			switch {
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
				l.ideas++
			case !unicode.Is(unicode.M, r):
				l.letters++
			}
		}
		if l.letters > letters || l.ideas == ideas {
			l.between++
		}
	}
}
