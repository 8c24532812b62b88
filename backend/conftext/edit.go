package conftext

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// Edit puts text in the place of a range.
type Edit struct {
	Span
	Text string
}

// errOverlap says that two edits want the same bytes: a mistake of ours, and the file
// is left alone.
var errOverlap = errors.New("two changes touch the same bytes")

// Apply makes all edits, whose ranges are those of src.
func Apply(src string, edits []Edit) (string, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at || e.end < e.start || e.end > len(src) {
			return "", errOverlap
		}
		b.WriteString(src[at:e.start])
		b.WriteString(e.Text)
		at = e.end
	}
	b.WriteString(src[at:])
	return b.String(), nil
}

// Change is what becomes of one field of an entry.
type Change struct {
	Field string // as it is called in the file, or is to be called
	Name  string // its new name; "" keeps the old one
	Raw   string // its new value as text; "" drops the field
	After string // the field that a new one follows; "" for one that is there
}

// ApartError says that a field is spread over dotted keys or several lines, where it
// cannot be changed.
type ApartError struct{ Field string }

func (e *ApartError) Error() string {
	return "the field " + e.Field + " is spread over dotted keys or several lines"
}

// objectEdits changes fields of a JSON object or an inline table. A field that is
// spread over dotted keys can only be dropped.
func objectEdits(src string, n *Node, changes []Change) ([]Edit, error) {
	var edits []Edit
	dropped := map[string]bool{}
	for _, c := range changes {
		switch {
		case c.After != "":
			e, err := insertion(src, n, c)
			if err != nil {
				return nil, err
			}
			edits = append(edits, e)
		case c.Raw == "":
			dropped[c.Field] = true
		default:
			m := n.find(c.Field)
			if m == nil {
				return nil, &ApartError{c.Field}
			}
			if c.Name != "" {
				edits = append(edits, Edit{m.last, keyLike(src[m.last.start:m.last.end], c.Name)})
			}
			edits = append(edits, Edit{m.Value.Span, c.Raw})
		}
	}
	return append(edits, removals(src, n, dropped)...), nil
}

// keyLike writes a key in quotes if the one it follows is.
func keyLike(written, key string) string {
	if written[0] == '"' {
		return Quote(key)
	}
	return key
}

// insertion puts a field behind another, spaced as that one is.
func insertion(src string, n *Node, c Change) (Edit, error) {
	m := n.find(c.After)
	if m == nil {
		return Edit{}, &ApartError{c.After}
	}
	equals := src[m.key.end:m.Value.start]
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
	at := m.Value.end
	return Edit{Span{at, at}, "," + gap + keyLike(src[m.last.start:m.last.end], c.Field) + equals + c.Raw}, nil
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
func removals(src string, n *Node, dropped map[string]bool) []Edit {
	var edits []Edit
	var holes []Span
	kept := -1 // the last member that stays
	for i := range n.Members {
		if !dropped[n.Members[i].Path[0]] {
			kept = i
		}
	}
	for i := range n.Members {
		m := &n.Members[i]
		if !dropped[m.Path[0]] {
			continue
		}
		gone := Span{m.key.start, m.Value.end}
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
		edits = append(edits, Edit{Span: hole})
	}
	if last := len(n.Members) - 1; kept >= 0 && kept < last && n.Members[last].comma < 0 {
		comma := n.Members[kept].comma
		edits = append(edits, Edit{Span: Span{comma, comma + 1}})
	}
	return edits
}

// separate takes the comma of a member into what goes, or alone when a comment stands
// between the two.
func separate(src string, m *Member, gone *Span) []Edit {
	if strings.Trim(src[m.Value.end:m.comma], " \t\r\n") == "" {
		gone.end = m.comma + 1
		return nil
	}
	return []Edit{{Span: Span{m.comma, m.comma + 1}}}
}

// widen takes the white space that a removed member leaves: its whole lines, or the
// blanks around it.
func widen(src string, n *Node, gone Span) Span {
	end := gone.end
	for end < len(src) && (src[end] == ' ' || src[end] == '\t') {
		end++
	}
	line, own := ownLine(src, gone.start)
	switch {
	case own && line > n.start && strings.HasPrefix(src[end:], "\r\n"):
		return Span{line, end + 2}
	case own && line > n.start && strings.HasPrefix(src[end:], "\n"):
		return Span{line, end + 1}
	case end < n.end-1 && src[end] != '/' && src[end] != '\r' && src[end] != '\n':
		return Span{gone.start, end}
	}
	start := gone.start
	for start > n.start+1 && (src[start-1] == ' ' || src[start-1] == '\t') {
		start--
	}
	if src[end] == '/' || src[start-1] == '\n' { // a comment keeps its place
		return gone
	}
	return Span{start, gone.end}
}
