package risk

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"

	"sekisho/backend/permission"
)

// step is one of the way to a text: the member of an object, or the place in a list.
type step struct {
	key   []byte // as it is written, with its quotes; nil: a list
	index int
}

// walker goes over the texts of an input, each once.
type walker struct {
	raw   []byte
	at    int
	steps []step
	visit func(w *walker, text string)
}

// walk reads what is known to be good JSON; of other bytes it reads what it can.
func (w *walker) walk() {
	for w.at < len(w.raw) {
		switch c := w.raw[w.at]; c {
		case '{':
			w.steps = append(w.steps, step{key: []byte{}})
		case '[':
			w.steps = append(w.steps, step{})
		case '}', ']':
			if len(w.steps) > 0 {
				w.steps = w.steps[:len(w.steps)-1]
			}
		case ',':
			if n := len(w.steps); n > 0 && w.steps[n-1].key == nil {
				w.steps[n-1].index++
			}
		case '"':
			w.text()
			continue
		}
		w.at++
	}
}

// text reads a key or a text.
func (w *walker) text() {
	start, escaped := w.at, false
	for w.at++; w.at < len(w.raw) && w.raw[w.at] != '"'; w.at++ {
		if w.raw[w.at] == '\\' {
			escaped = true
			w.at++
		}
	}
	w.at = min(w.at+1, len(w.raw))
	literal := w.raw[start:w.at]
	next := w.at
	for next < len(w.raw) && (w.raw[next] == ' ' || w.raw[next] == '\t' || w.raw[next] == '\n' || w.raw[next] == '\r') {
		next++
	}
	if n := len(w.steps); n > 0 && w.steps[n-1].key != nil && next < len(w.raw) && w.raw[next] == ':' {
		w.steps[n-1].key = literal
		return
	}
	if len(literal) < 2 {
		return
	}
	text := ""
	if !escaped {
		text = string(literal[1 : len(literal)-1])
	} else if json.Unmarshal(literal, &text) != nil {
		return
	}
	w.visit(w, text)
}

// key is the name of the nearest member that a text belongs to.
func (w *walker) key() string {
	for i := len(w.steps) - 1; i >= 0; i-- {
		if len(w.steps[i].key) > 0 {
			return name(w.steps[i].key)
		}
	}
	return ""
}

func name(literal []byte) (key string) {
	if json.Unmarshal(literal, &key) != nil {
		return string(literal)
	}
	return key
}

var escapes = strings.NewReplacer("~", "~0", "/", "~1")

// place is that of a stretch of a text, in bytes of it.
func (w *walker) place(text string, start, end int) *permission.InputPlace {
	var pointer strings.Builder
	for _, s := range w.steps {
		pointer.WriteByte('/')
		if s.key != nil {
			pointer.WriteString(escapes.Replace(name(s.key)))
		} else {
			pointer.WriteString(strconv.Itoa(s.index))
		}
	}
	before := units(text[:start])
	return &permission.InputPlace{Pointer: pointer.String(), Start: before, End: before + units(text[start:end])}
}

func units(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
