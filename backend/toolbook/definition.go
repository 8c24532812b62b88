package toolbook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Bounds of what is kept of definitions, in bytes of indented JSON. The hash is always
// of the whole.
const (
	maxDefinition = 256 << 10 // of one
	maxDefined    = 8 << 20   // of one server; the definitions that come after are cut
	minDefinition = 4 << 10   // what is kept of those
)

// definition is what a server's list says of one name: one definition, or several where
// the name is there more than once, in their order.
type definition struct {
	hash        string
	before      string   // the hash that a desk gave it which looked at some members alone
	json        [][]byte // canonical; what cannot be made so as it was written
	parts       [][]byte // of these, what before is the hash of
	destructive bool     // it says that it may destroy
}

// text writes a definition out, so far as the budget reaches.
func (d *definition) text(budget *int) permission.ToolText {
	limit := max(min(maxDefinition, *budget), minDefinition)
	var out bytes.Buffer
	cut := false
	for _, one := range d.json {
		cut = cut || !indent(&out, one, limit)
	}
	*budget -= out.Len()
	text := strings.ToValidUTF8(out.String(), "\uFFFD")
	return permission.ToolText{Hash: hashOf([]byte(text)), Text: text, Cut: cut}
}

// Text is a definition as it is shown to a person.
type Text struct {
	permission.ToolText
	Whole bool   // it is what its pin says
	kept  string // the hash of the text, where its pin names it
}

// NewText is the kept text of a definition; kept is the text's own hash, as its pin names it.
func NewText(text permission.ToolText, kept, definition string) Text {
	whole := definition == "" || vouched(text, kept, definition)
	if !whole {
		text = permission.ToolText{Text: "(what was kept of this is damaged, and is not shown)\n", Cut: true}
	}
	text.Hash = definition
	return Text{text, whole, kept}
}

// vouched reports whether a kept text is what its pin says: it has the hash that the pin
// names, or, of an older pin, it is the whole of a definition that has the pin's own.
func vouched(text permission.ToolText, kept, definition string) bool {
	if kept != "" {
		return hashOf([]byte(text.Text)) == kept
	}
	var parts [][]byte
	for d := json.NewDecoder(strings.NewReader(text.Text)); ; {
		var part json.RawMessage
		if d.Decode(&part) != nil {
			break
		}
		parts = append(parts, canonical(part))
	}
	return !text.Cut && len(parts) > 0 && hashOfAll(parts) == definition
}

// launchText is how a server is started or reached, with its hash.
func launchText(s *permission.Server) permission.ToolText {
	text := s.Launch()
	return permission.ToolText{Hash: hashOf([]byte(text)), Text: text}
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Said is what a list says, by the names of the tools.
type Said map[string]*definition

// Definitions gathers the entries of a list by their names. Names that no rule can allow
// are left out.
func Definitions(offered []permission.OfferedTool) Said {
	all := make(Said, min(len(offered), maxTools))
	for _, o := range offered {
		if len(o.Name) > permission.MaxNameBytes {
			continue
		}
		if all[o.Name] == nil {
			all[o.Name] = &definition{}
		}
		all[o.Name].json = append(all[o.Name].json, canonical(o.Raw))
		all[o.Name].parts = append(all[o.Name].parts, defining(o.Raw))
		all[o.Name].destructive = all[o.Name].destructive || destroys(o.Raw)
	}
	for _, d := range all {
		d.hash, d.before = hashOfAll(d.json), hashOfAll(d.parts)
	}
	return all
}

// hashOfAll is the hash of one text, or of several as the array that they would be.
func hashOfAll(texts [][]byte) string {
	if len(texts) == 1 {
		return hashOf(texts[0])
	}
	return hashOf(slices.Concat([]byte("["), bytes.Join(texts, []byte(",")), []byte("]")))
}

// destroys reports whether a definition has the hint of a tool that may destroy. One that
// is not understood has not: hints only raise the risk of what nothing is known about.
func destroys(entry []byte) bool {
	var tool struct {
		Annotations struct {
			DestructiveHint bool
		}
	}
	_ = json.Unmarshal(entry, &tool)
	return tool.Annotations.DestructiveHint
}

// canonical is the whole of an entry. One that two readers could read differently stays as
// it was written.
func canonical(entry []byte) []byte {
	text, err := rawjson.Canonical(nil, entry)
	if err != nil {
		return entry
	}
	return text
}

// defines are the members that a definition's hash once was of. Pins from then are held
// against them a last time.
var defines = []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations"}

// defining is the part of an entry that has these members, in any case, canonical.
func defining(entry []byte) []byte {
	members, err := rawjson.Members(entry)
	if err != nil {
		return entry
	}
	part := []byte("{")
	for _, m := range members {
		if !slices.ContainsFunc(defines, func(name string) bool { return strings.EqualFold(name, m.Key) }) {
			continue
		}
		if len(part) > 1 {
			part = append(part, ',')
		}
		part = append(append(append(part, m.RawKey...), ':'), m.Value...)
	}
	canonical, err := rawjson.Canonical(nil, append(part, '}'))
	if err != nil {
		return entry
	}
	return canonical
}

// indent writes JSON without white space out in lines, and stops where the text would be
// longer than limit: false. Depth makes an indented text much longer than its JSON.
func indent(out *bytes.Buffer, text []byte, limit int) bool {
	depth, quoted := 0, false
	line := func() {
		out.WriteByte('\n')
		out.WriteString(strings.Repeat("  ", min(depth, maxIndent)))
	}
	for i := 0; i < len(text); i++ {
		if out.Len() >= limit {
			return false
		}
		c := text[i]
		empty := !quoted && i+1 < len(text) && (c == '{' && text[i+1] == '}' || c == '[' && text[i+1] == ']')
		if !quoted && (c == '}' || c == ']') {
			depth--
			line()
		}
		out.WriteByte(c)
		switch {
		case quoted && c == '\\' && i+1 < len(text):
			i++
			out.WriteByte(text[i])
		case c == '"':
			quoted = !quoted
		case empty:
			i++
			out.WriteByte(text[i])
		case quoted:
		case c == '{' || c == '[':
			depth++
			line()
		case c == ',':
			line()
		case c == ':':
			out.WriteByte(' ')
		}
	}
	out.WriteByte('\n')
	return true
}

// maxIndent bounds the blanks before a line, in steps.
const maxIndent = 32

// Bounds of what is known of one server's tools.
const (
	maxTools  = 1000
	maxUnseen = 250 // of these, tools that are allowed and were in no list
)
