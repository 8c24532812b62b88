package gateway

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

const (
	paramHeader = "Mcp-Param-"
	maxMarked   = 64 // parameters of one tool that are repeated in headers
	maxNested   = 8  // levels of a schema that are looked through
)

// paramHeaders knows which parameters of a server's tools are repeated in headers: those
// that the last list marked with x-mcp-header. It is safe for use by many goroutines.
type paramHeaders struct {
	mu    sync.Mutex
	tools map[string]map[string][]string // tool, header, path of the parameter
}

// learn reads a tools/list answer. more says that it is a further page.
func (p *paramHeaders) learn(result []byte, more bool) {
	var list struct {
		Tools []struct {
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if json.Unmarshal(result, &list) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !more || p.tools == nil {
		p.tools = map[string]map[string][]string{}
	}
	for _, tool := range list.Tools {
		marked := map[string][]string{}
		mark(tool.InputSchema, nil, marked)
		if len(marked) > 0 && len(p.tools) < maxTools {
			p.tools[tool.Name] = marked
		}
	}
}

// mark gathers the marked parameters of a schema.
func mark(schema []byte, path []string, marked map[string][]string) {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if len(path) >= maxNested || json.Unmarshal(schema, &s) != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		var property struct {
			Header string `json:"x-mcp-header"`
		}
		at := append(slices.Clone(path), name)
		if json.Unmarshal(s.Properties[name], &property) == nil && property.Header != "" && len(marked) < maxMarked {
			marked[http.CanonicalHeaderKey(paramHeader+property.Header)] = at
		}
		mark(s.Properties[name], at, marked)
	}
}

// of gives the marked parameters of the tool that a message calls.
func (p *paramHeaders) of(m message) map[string][]string {
	if m.method != callTool {
		return nil
	}
	name, _ := within(m.params, "name")
	tool, _ := text(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tools[tool]
}

// fault holds the headers of a tools/call against its arguments.
func (p *paramHeaders) fault(h http.Header, m message) *wireError {
	for header, path := range p.of(m) {
		want, there := argument(m.params, path)
		got, ok := headerText(h.Values(header))
		if !ok || got != want || there != (len(h.Values(header)) > 0) {
			return refusal(codeMismatch, "the header %s does not say what arguments.%s does", header, strings.Join(path, "."))
		}
	}
	return nil
}

// with gives the headers of a tools/call by its arguments: its caller had no place for
// them, or a person wrote the arguments anew.
func (p *paramHeaders) with(h http.Header, m message) http.Header {
	out := h.Clone()
	for header, path := range p.of(m) {
		out.Del(header)
		if value, there := argument(m.params, path); there {
			out.Set(header, headerValue(value))
		}
	}
	return out
}

// strayParam refuses a header for a parameter that says what stands nowhere in the
// arguments of its call: the server would be told what nobody has seen.
func strayParam(m message) *wireError {
	said := map[string]string{} // the header of each value
	for name, values := range m.header {
		if !strings.HasPrefix(name, paramHeader) {
			continue
		}
		value, ok := headerText(values)
		if !ok {
			return refusal(codeMismatch, "the header %.80s does not say what an argument does", name)
		}
		said[value] = name
	}
	if len(said) == 0 {
		return nil
	}
	args, bad := within(m.params, "arguments")
	if bad != nil {
		return bad
	}
	strike(said, args)
	for _, name := range said {
		return refusal(codeMismatch, "the header %.80s does not say what an argument does", name)
	}
	return nil
}

// strike deletes the values that stand somewhere in JSON, as a header repeats them.
func strike(values map[string]string, raw []byte) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return
		}
		switch t := token.(type) {
		case string:
			delete(values, t)
		case json.Number, bool:
			delete(values, fmt.Sprint(t))
		}
	}
}

// argument is a parameter as a header repeats it: a text as it is, a number or truth
// value as it is written. There is none where it is null or no single value.
func argument(params []byte, path []string) (value string, there bool) {
	at, ok := find(params, 0, append([]string{"arguments"}, path...)...)
	if !ok {
		return "", false
	}
	raw := params[at.from:at.to]
	if s, ok := text(raw); ok {
		return s, true
	}
	if c := raw[0]; c == '{' || c == '[' || string(raw) == "null" {
		return "", false
	}
	return string(raw), true
}

// What marks a header's value that is written in base64, as its text could not stand in
// a header by itself.
const (
	base64Begin = "=?base64?"
	base64End   = "?="
)

// headerText is what a header says; false when it is there twice or cannot be read.
func headerText(values []string) (string, bool) {
	switch len(values) {
	case 0:
		return "", true
	case 1:
	default:
		return "", false
	}
	value := strings.Trim(values[0], " \t")
	coded, begins := strings.CutPrefix(value, base64Begin)
	coded, ends := strings.CutSuffix(coded, base64End)
	if !begins || !ends {
		return value, true
	}
	plain, err := base64.StdEncoding.Strict().DecodeString(coded)
	return string(plain), err == nil
}

// headerValue writes a text so that a header can carry it.
func headerValue(s string) string {
	plain := strings.Trim(s, " \t") == s && !strings.HasPrefix(s, base64Begin) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
	if plain {
		return s
	}
	return base64Begin + base64.StdEncoding.EncodeToString([]byte(s)) + base64End
}
