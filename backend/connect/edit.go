package connect

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// edit puts text in the place of a range.
type edit struct {
	span
	text string
}

// errOverlap says that two edits want the same bytes: a mistake of ours, and the file
// is left alone.
var errOverlap = errors.New("two changes touch the same bytes")

// apply makes all edits, whose ranges are those of src.
func apply(src string, edits []edit) (string, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at || e.end < e.start || e.end > len(src) {
			return "", errOverlap
		}
		b.WriteString(src[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(src[at:])
	return b.String(), nil
}

// change is what becomes of one field of an entry.
type change struct {
	field string // as it is called in the file, or is to be called
	name  string // its new name; "" keeps the old one
	raw   string // its new value as text; "" drops the field
	after string // the field that a new one follows; "" for one that is there
}

// objectEdits changes fields of a JSON object or an inline table. A field that is
// spread over dotted keys can only be dropped.
func objectEdits(src string, n *node, changes []change) ([]edit, error) {
	var edits []edit
	dropped := map[string]bool{}
	for _, c := range changes {
		switch {
		case c.after != "":
			e, err := insertion(src, n, c)
			if err != nil {
				return nil, err
			}
			edits = append(edits, e)
		case c.raw == "":
			dropped[c.field] = true
		default:
			m := n.find(c.field)
			if m == nil {
				return nil, &Obstacle{Code: writtenApart, Field: c.field}
			}
			if c.name != "" {
				edits = append(edits, edit{m.last, keyLike(src[m.last.start:m.last.end], c.name)})
			}
			edits = append(edits, edit{m.value.span, c.raw})
		}
	}
	return append(edits, removals(src, n, dropped)...), nil
}

// keyLike writes a key in quotes if the one it follows is.
func keyLike(written, key string) string {
	if written[0] == '"' {
		return quote(key)
	}
	return key
}

// insertion puts a field behind another, spaced as that one is.
func insertion(src string, n *node, c change) (edit, error) {
	m := n.find(c.after)
	if m == nil {
		return edit{}, &Obstacle{Code: writtenApart, Field: c.after}
	}
	equals := src[m.key.end:m.value.start]
	if strings.Trim(equals, " \t") != ":" && strings.Trim(equals, " \t") != "=" {
		equals = ": "
	}
	gap := " "
	if equals == ":" || equals == "=" {
		gap = ""
	}
	if line, own := ownLine(src, m.key.start); own {
		gap = newlineOf(src, line) + src[line:m.key.start]
	}
	at := m.value.end
	return edit{span{at, at}, "," + gap + keyLike(src[m.last.start:m.last.end], c.field) + equals + c.raw}, nil
}

// ownLine gives where the line of a place begins, and whether only blanks stand
// before the place.
func ownLine(src string, at int) (line int, own bool) {
	line = strings.LastIndexByte(src[:at], '\n') + 1
	return line, line > 0 && strings.Trim(src[line:at], " \t") == ""
}

// newlineOf gives the line end before a line.
func newlineOf(src string, line int) string {
	if strings.HasSuffix(src[:line], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// removals takes members away with the commas that were theirs.
func removals(src string, n *node, dropped map[string]bool) []edit {
	var edits []edit
	var holes []span
	kept := -1 // the last member that stays
	for i := range n.members {
		if !dropped[n.members[i].path[0]] {
			kept = i
		}
	}
	for i := range n.members {
		m := &n.members[i]
		if !dropped[m.path[0]] {
			continue
		}
		gone := span{m.key.start, m.value.end}
		if m.comma >= 0 {
			edits = append(edits, separate(src, m, &gone)...)
		}
		if hole := widen(src, n, gone); len(holes) > 0 && hole.start <= holes[len(holes)-1].end {
			holes[len(holes)-1].end = hole.end
		} else {
			holes = append(holes, hole)
		}
	}
	for _, hole := range holes {
		edits = append(edits, edit{span: hole})
	}
	if last := len(n.members) - 1; kept >= 0 && kept < last && n.members[last].comma < 0 {
		comma := n.members[kept].comma
		edits = append(edits, edit{span: span{comma, comma + 1}})
	}
	return edits
}

// separate takes the comma of a member into what goes, or alone when a comment stands
// between the two.
func separate(src string, m *member, gone *span) []edit {
	if strings.Trim(src[m.value.end:m.comma], " \t\r\n") == "" {
		gone.end = m.comma + 1
		return nil
	}
	return []edit{{span: span{m.comma, m.comma + 1}}}
}

// widen takes the white space that a removed member leaves: its whole lines, or the
// blanks around it.
func widen(src string, n *node, gone span) span {
	end := gone.end
	for end < len(src) && (src[end] == ' ' || src[end] == '\t') {
		end++
	}
	line, own := ownLine(src, gone.start)
	switch {
	case own && line > n.start && strings.HasPrefix(src[end:], "\r\n"):
		return span{line, end + 2}
	case own && line > n.start && strings.HasPrefix(src[end:], "\n"):
		return span{line, end + 1}
	case end < n.end-1 && src[end] != '/' && src[end] != '\r' && src[end] != '\n':
		return span{gone.start, end}
	}
	start := gone.start
	for start > n.start+1 && (src[start-1] == ' ' || src[start-1] == '\t') {
		start--
	}
	if src[end] == '/' || src[start-1] == '\n' { // a comment keeps its place
		return gone
	}
	return span{start, gone.end}
}
