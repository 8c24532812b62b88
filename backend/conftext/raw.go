package conftext

import (
	"fmt"
	"maps"
	"slices"
)

// Raw gives the text of a field's value, for the entry's own kind of file.
func (e *Entry) Raw(field string) string {
	nodes := e.Values(field)
	if whole, ok := e.Value[field].(map[string]any); ok && e.doc.json == nil && !inlined(nodes) {
		return inlineText(whole)
	}
	return e.doc.Src[nodes[0].start:nodes[0].end]
}

// inlined reports whether a TOML table is written as one inline table.
func inlined(nodes []*Node) bool { return len(nodes) == 1 && nodes[0].Kind == KindObject }

// inlineText writes a decoded TOML value on one line.
func inlineText(value any) string {
	switch v := value.(type) {
	case string:
		return Quote(v)
	case Literal:
		return string(v)
	case []any:
		text := "["
		for i, item := range v {
			if i > 0 {
				text += ", "
			}
			text += inlineText(item)
		}
		return text + "]"
	case map[string]any:
		text := "{"
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				text += ","
			}
			text += " " + Quote(key) + " = " + inlineText(v[key])
		}
		return text + " }"
	}
	return fmt.Sprint(value)
}
