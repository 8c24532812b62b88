package connect

import "sekisho/backend/permission"

// redact gives a document's text with the secrets of its tool servers masked, to be
// shown.
func redact(d *document, c *Client) string {
	var edits []edit
	fields := append([]string{c.dialect.environment}, c.dialect.headers...)
	for _, e := range d.entries(c) {
		for _, field := range fields {
			for _, n := range e.values(field) {
				edits = mask(edits, n)
			}
		}
		for _, n := range e.values("command") {
			if env := within(n, []string{"env"}); env != nil {
				edits = mask(edits, env)
			}
		}
	}
	text, err := apply(d.src, edits)
	if err != nil {
		return "" // rather nothing than a secret
	}
	return text
}

// mask hides all strings and numbers of a value.
func mask(edits []edit, n *node) []edit {
	for i := range n.members {
		edits = mask(edits, n.members[i].value)
	}
	for _, item := range n.items {
		edits = mask(edits, item)
	}
	if n.kind == kindString || n.kind == kindLiteral {
		edits = append(edits, edit{n.span, quote(permission.Mask)})
	}
	return edits
}
