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

// Readable reports whether what a person is shown of an input could be read in a time. Its words
// are those of its texts, between white space; letters of a script that has no white space
// between words count as half a word each. Names of members are not counted, nor is what is no
// strict JSON.
func Readable(input []byte, in time.Duration) bool {
	most := int(min(in, 24*time.Hour) * 2 * WordsPerMinute / time.Minute) // half words
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	type level struct{ object, value bool }
	var levels []level
	for read := 0; read <= most; {
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
				read += halfWords(token)
			}
		default:
			read += 2
		}
	}
	return false
}

// halfWords counts the words of a text twice.
func halfWords(text string) (n int) {
	for word := range strings.FieldsSeq(text) {
		own := 0
		for _, r := range word {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
				own++
			}
		}
		n += max(own, 2)
	}
	return n
}
