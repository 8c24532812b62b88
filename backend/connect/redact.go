package connect

import (
	"slices"

	"sekisho/backend/permission"
)

// redact gives a document's text to be shown, with what may be secret masked; "" when
// that cannot be done in full. What a client keeps in further fields is not known, so all
// strings of an entry are secrets but those that say what it starts or where it connects,
// and so are all strings elsewhere in the file.
func redact(d *document, c *Client) string {
	var edits []edit
	inside := map[*node]bool{}
	for _, e := range d.entries(c) {
		if e.table == nil && len(e.items) == 0 {
			return "" // dotted keys of an inline table: the values are not found
		}
		inside[e.table] = true
		for _, i := range e.items {
			inside[d.toml.items[i].value] = true
		}
		for _, field := range e.order() {
			for _, n := range e.values(field) {
				edits = hide(edits, n, field, &c.dialect)
			}
		}
	}
	text, err := apply(d.src, append(edits, d.outside(inside)...))
	if err != nil {
		return "" // rather nothing than a secret
	}
	return text
}

// outside masks what no entry has.
func (d *document) outside(inside map[*node]bool) (edits []edit) {
	roots := []*node{d.json}
	if d.json == nil {
		roots = nil
		for _, item := range d.toml.items {
			roots = append(roots, item.value)
		}
	}
	var walk func(n *node)
	walk = func(n *node) {
		if n == nil || inside[n] {
			return
		}
		for i := range n.members {
			walk(n.members[i].value)
		}
		for _, item := range n.items {
			walk(item)
		}
		if n.kind == kindString {
			edits = append(edits, edit{n.span, quote(permission.Mask)})
		}
	}
	for _, n := range roots {
		walk(n)
	}
	return edits
}

// open are the fields of an entry that are shown, beside those of its URL. The last ones
// name variables and files that hold secrets.
var open = []string{"command", "args", "cwd", "type", "source", "bearer_token_env_var", "env_vars", "envFile"}

// hide masks what a field of an entry must not show.
func hide(edits []edit, n *node, field string, d *dialect) []edit {
	switch {
	case field == d.environment, field == "env", slices.Contains(d.headers, field):
		return mask(edits, n, true)
	case field == "command" && n.kind == kindObject: // Zed's older shape
		for i := range n.members {
			if m := &n.members[i]; m.path[0] != "path" {
				edits = hide(edits, m.value, m.path[0], d)
			}
		}
		return edits
	case slices.Contains(open, field), slices.Contains(d.urls, field):
		return edits
	}
	return mask(edits, n, false)
}

// mask hides all strings of a value, and all numbers too where those may be secrets.
func mask(edits []edit, n *node, numbers bool) []edit {
	for i := range n.members {
		edits = mask(edits, n.members[i].value, numbers)
	}
	for _, item := range n.items {
		edits = mask(edits, item, numbers)
	}
	if n.kind == kindString || n.kind == kindLiteral && numbers {
		edits = append(edits, edit{n.span, quote(permission.Mask)})
	}
	return edits
}
