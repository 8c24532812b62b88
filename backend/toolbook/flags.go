package toolbook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/spoof"
)

// Bounds of what is said of deceiving characters.
const (
	maxFlags      = 20  // of one tool
	maxFlagged    = 100 // tools of one server
	maxCharacters = 8   // of one flag
	maxFlagDepth  = 1000
	maxStep       = 64 // bytes of a member's name in a pointer
)

// flagsOf looks for deceiving characters in every text of a tool's definition, members'
// names included. nil is none. Several definitions may follow each other.
func flagsOf(name string, definition []byte) (flags []permission.TextFlag) {
	flags = flagText(flags, "/name", name, true)
	w := textWalk{each: func(at, text string) bool {
		if at != "/name" {
			flags = flagText(flags, at, text, false)
		}
		return len(flags) < maxFlags
	}}
	w.documents(definition)
	return flags[:min(len(flags), maxFlags)]
}

// flagsText writes flags for a pin; "" is none.
func flagsText(flags []permission.TextFlag) string {
	if len(flags) == 0 {
		return ""
	}
	raw, err := json.Marshal(flags)
	if err != nil {
		panic("flags always marshal: " + err.Error())
	}
	return string(raw)
}

// keptFlags reads what flagsText wrote.
func keptFlags(text string) (flags []permission.TextFlag) {
	if json.Unmarshal([]byte(text), &flags) != nil {
		return nil
	}
	return flags
}

// flagText appends what deceives in one text: a kind is told once.
func flagText(flags []permission.TextFlag, at, text string, isName bool) []permission.TextFlag {
	hidden, alike := spoof.HiddenInText, spoof.LookAlikesInText
	if isName {
		hidden, alike = spoof.HiddenInName, spoof.LookAlikesInName
	}
	found := map[permission.TextKind][]rune{permission.TextLookAlike: alike(text)}
	for _, r := range hidden(text) {
		kind := permission.TextHidden
		switch {
		case spoof.Tag(r):
			kind = permission.TextTags
		case spoof.Direction(r):
			kind = permission.TextDirection
		}
		found[kind] = append(found[kind], r)
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		if len(found[kind]) == 0 {
			continue
		}
		flag := permission.TextFlag{At: at, Kind: kind, Count: len(found[kind]), Characters: points(found[kind])}
		if look := spoof.LooksLike(text); isName && look != text {
			flag.LooksLike = look
		}
		flags = append(flags, flag)
	}
	return flags
}

// points names characters, each once and in the order in which they come.
func points(found []rune) (names []string) {
	for _, r := range found {
		if name := fmt.Sprintf("U+%04X", r); len(names) < maxCharacters && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// textWalk gives the texts of JSON documents, decoded, with a JSON Pointer to each. It ends
// early where each answers false.
type textWalk struct {
	each  func(at, text string) bool
	over  bool
	depth int
}

// documents walks what can be read. The rest of a text that was cut is left out.
func (w *textWalk) documents(raw []byte) {
	for d := json.NewDecoder(bytes.NewReader(raw)); w.value(d, ""); {
	}
}

// value walks the next value; false says that there is none, or that the walk is over.
func (w *textWalk) value(d *json.Decoder, at string) bool {
	token, err := d.Token()
	if err != nil {
		return false
	}
	switch t := token.(type) {
	case string:
		w.say(at, t)
	case json.Delim:
		return w.inside(d, at, t == '{')
	}
	return !w.over
}

// inside walks the members or elements of a value that was opened.
func (w *textWalk) inside(d *json.Decoder, at string, object bool) bool {
	if w.depth++; w.depth > maxFlagDepth {
		return false
	}
	defer func() { w.depth-- }()
	for i := 0; d.More(); i++ {
		step := strconv.Itoa(i)
		if object {
			key, err := d.Token()
			if err != nil {
				return false
			}
			step, _ = key.(string) // of an object it is always one
		}
		next := at + "/" + pointerStep(step)
		if object {
			w.say(next, step)
		}
		if !w.value(d, next) {
			return false
		}
	}
	_, err := d.Token()
	return err == nil && !w.over
}

func (w *textWalk) say(at, text string) {
	if !w.over {
		w.over = !w.each(at, text)
	}
}

// pointerStep escapes a member's name for a JSON Pointer (RFC 6901), and cuts a long one.
func pointerStep(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(permission.Short(name, maxStep))
}
