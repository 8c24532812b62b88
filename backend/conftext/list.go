package conftext

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Object is a table to be written, its fields in their order. Values are Objects, Lists,
// strings, bools and ints.
type Object []Field

// Field is a key and value of an Object.
type Field struct {
	Key   string
	Value any
}

// List is an array to be written.
type List []any

// layout is how a JSON file is written: one value a line, or, with unit "", on one line.
type layout struct{ unit, newline string }

func layoutOf(src string, root *Node) layout {
	l := layout{"  ", "\n"}
	if strings.Contains(src, "\r\n") {
		l.newline = "\r\n"
	}
	if len(root.Members) > 0 {
		first := root.Members[0].key.start
		line, own := ownLine(src, first)
		if own {
			l.unit = src[line:first]
		} else if !strings.Contains(src[root.start:root.end], "\n") {
			l.unit = ""
		}
	}
	return l
}

// text writes a value whose line begins with an indentation.
func (l layout) text(value any, indent string) string {
	var parts []string
	marks := "[]"
	switch v := value.(type) {
	case Object:
		marks = "{}"
		for _, f := range v {
			parts = append(parts, Quote(f.Key)+": "+l.text(f.Value, indent+l.unit))
		}
	case List:
		for _, item := range v {
			parts = append(parts, l.text(item, indent+l.unit))
		}
	case string:
		return Quote(v)
	default:
		return fmt.Sprint(v)
	}
	switch {
	case len(parts) == 0:
		return marks
	case l.unit == "":
		return marks[:1] + " " + strings.Join(parts, ", ") + " " + marks[1:]
	}
	gap := l.newline + indent + l.unit
	return marks[:1] + gap + strings.Join(parts, ","+gap) + l.newline + indent + marks[1:]
}

// Text writes a JSON document of its own.
func Text(o Object) string { return layout{"  ", "\n"}.text(o, "") + "\n" }

// Decoded is what a document gives for a value that it holds.
func Decoded(value any) any {
	switch v := value.(type) {
	case Object:
		out := map[string]any{}
		for _, f := range v {
			out[f.Key] = Decoded(f.Value)
		}
		return out
	case List:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = Decoded(item)
		}
		return out
	case int:
		return Literal(strconv.Itoa(v))
	}
	return value
}

var errNoList = errors.New("there is something else where a list is needed")

// Append puts an item at the end of the list at a path of a JSON text, and makes the tables
// on the way, and the list, where they are missing.
func Append(src string, dialect Dialect, path []string, item any) (string, error) {
	doc, err := Read(src, dialect)
	if err != nil {
		return "", err
	}
	if doc.json == nil || doc.json.Kind != KindObject {
		return "", errNoList
	}
	n, l := doc.json, layoutOf(src, doc.json)
	for i, step := range path {
		if n.Kind != KindObject {
			return "", errNoList
		}
		m := n.find(step)
		if m == nil {
			var value any = List{item}
			for _, above := range slices.Backward(path[i+1:]) {
				value = Object{{above, value}}
			}
			return l.insert(src, n, func(l layout, indent string) string { return Quote(step) + ": " + l.text(value, indent) })
		}
		n = m.Value
	}
	if n.Kind != KindArray {
		return "", errNoList
	}
	return l.insert(src, n, func(l layout, indent string) string { return l.text(item, indent) })
}

// insert puts a last child into an object or array.
func (l layout) insert(src string, n *Node, text func(l layout, indent string) string) (string, error) {
	children := n.children()
	if len(children) > 0 {
		last := children[len(children)-1]
		at, gap, indent := last.Value.end, " ", ""
		if line, own := ownLine(src, last.key.start); own {
			indent = src[line:last.key.start]
			gap = l.newline + indent
		} else {
			l.unit = ""
		}
		return Apply(src, []Edit{{Span{at, at}, "," + gap + text(l, indent)}})
	}
	at := n.start + 1
	if l.unit == "" {
		return Apply(src, []Edit{{Span{at, at}, " " + text(l, "") + " "}})
	}
	line := strings.LastIndexByte(src[:n.start], '\n') + 1
	indent := src[line:n.start]
	indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
	put := l.newline + indent + l.unit + text(l, indent+l.unit)
	if !strings.Contains(src[at:n.end], "\n") {
		put += l.newline + indent
	}
	return Apply(src, []Edit{{Span{at, at}, put}})
}

// children are the members of an object, and those of an array under their numbers.
func (n *Node) children() []Member {
	if n.Kind != KindArray {
		return n.Members
	}
	var all []Member
	for i, item := range n.Items {
		at := Span{item.start, item.start}
		all = append(all, Member{Path: []string{strconv.Itoa(i)}, Value: item, key: at, last: at, comma: n.commas[i]})
	}
	return all
}

// Drop takes those items out of the list at a path of a JSON text that match, or, where
// inner is not "", those items of the list inner of each that match; an item, a list and a
// table that has nothing left goes too.
func Drop(src string, dialect Dialect, path []string, inner string, match func(item any) bool) (string, error) {
	doc, err := Read(src, dialect)
	if err != nil {
		return "", err
	}
	n := within(doc.json, path)
	if n == nil || n.Kind != KindArray {
		return src, nil
	}
	var edits []Edit
	gone := map[string]bool{}
	for i, item := range n.Items {
		list := []*Node{item}
		var of *Node
		if m := item.find(inner); inner != "" {
			if m == nil || m.Value.Kind != KindArray {
				continue
			}
			of, list = m.Value, m.Value.Items
		}
		dropped := map[string]bool{}
		for k, it := range list {
			if match(it.decoded()) {
				dropped[strconv.Itoa(k)] = true
			}
		}
		if len(dropped) == len(list) && len(list) > 0 {
			gone[strconv.Itoa(i)] = true
		} else if len(dropped) > 0 {
			edits = append(edits, removals(src, &Node{Kind: KindObject, Span: of.Span, Members: of.children()}, dropped)...)
		}
	}
	if len(gone) == len(n.Items) && len(gone) > 0 {
		return dropTable(doc, path)
	}
	edits = append(edits, removals(src, &Node{Kind: KindObject, Span: n.Span, Members: n.children()}, gone)...)
	return Apply(src, edits)
}

// dropTable takes a member out, and each table above it that has nothing else.
func dropTable(doc *Document, path []string) (string, error) {
	for len(path) > 1 && len(within(doc.json, path[:len(path)-1]).Members) == 1 {
		path = path[:len(path)-1]
	}
	of := within(doc.json, path[:len(path)-1])
	return Apply(doc.Src, removals(doc.Src, of, map[string]bool{path[len(path)-1]: true}))
}
