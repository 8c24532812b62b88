package connect

import (
	"slices"

	"sekisho/backend/conftext"
	"sekisho/backend/permission"
)

// redact gives a document's text to be shown, with what may be secret masked; "" when
// that cannot be done in full. What a client keeps in further fields is not known, so all
// strings of an entry are secrets but those that say what it starts or where it connects,
// and so are all strings elsewhere in the file.
func redact(d *conftext.Document, c *Client) string {
	var edits []conftext.Edit
	inside := map[*conftext.Node]bool{}
	for _, e := range entriesOf(d, c) {
		nodes := e.Nodes()
		if len(nodes) == 0 {
			return "" // dotted keys of an inline table: the values are not found
		}
		for _, n := range nodes {
			inside[n] = true
		}
		for _, field := range e.Order() {
			for _, n := range e.Values(field) {
				edits = hide(edits, n, field, &c.dialect)
			}
		}
	}
	for _, n := range d.Values() {
		edits = maskOutside(edits, n, inside)
	}
	text, err := conftext.Apply(d.Src, edits)
	if err != nil {
		return "" // rather nothing than a secret
	}
	return text
}

// maskOutside masks what no entry has.
func maskOutside(edits []conftext.Edit, n *conftext.Node, inside map[*conftext.Node]bool) []conftext.Edit {
	if inside[n] || n.Kind == conftext.KindObject && asksDesk(n.Decoded()) {
		return edits
	}
	for i := range n.Members {
		edits = maskOutside(edits, n.Members[i].Value, inside)
	}
	for _, item := range n.Items {
		edits = maskOutside(edits, item, inside)
	}
	if n.Kind == conftext.KindString {
		edits = append(edits, conftext.Edit{Span: n.Span, Text: conftext.Quote(permission.Mask)})
	}
	return edits
}

// open are the fields of an entry that are shown, beside those of its URL. The last ones
// name variables and files that hold secrets.
var open = []string{"command", "args", "cwd", "type", "source", "bearer_token_env_var", "env_vars", "envFile"}

// hide masks what a field of an entry must not show.
func hide(edits []conftext.Edit, n *conftext.Node, field string, d *dialect) []conftext.Edit {
	switch {
	case field == d.environment, field == "env", slices.Contains(d.headers, field):
		return mask(edits, n, true)
	case field == "command" && n.Kind == conftext.KindObject: // Zed's older shape
		for i := range n.Members {
			if m := &n.Members[i]; m.Path[0] != "path" {
				edits = hide(edits, m.Value, m.Path[0], d)
			}
		}
		return edits
	case slices.Contains(open, field), slices.Contains(d.urls, field):
		return edits
	}
	return mask(edits, n, false)
}

// mask hides all strings of a value, and all numbers too where those may be secrets.
func mask(edits []conftext.Edit, n *conftext.Node, numbers bool) []conftext.Edit {
	for i := range n.Members {
		edits = mask(edits, n.Members[i].Value, numbers)
	}
	for _, item := range n.Items {
		edits = mask(edits, item, numbers)
	}
	if n.Kind == conftext.KindString || n.Kind == conftext.KindLiteral && numbers {
		edits = append(edits, conftext.Edit{Span: n.Span, Text: conftext.Quote(permission.Mask)})
	}
	return edits
}
