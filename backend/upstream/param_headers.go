package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"sekisho/backend/mcpwire"
)

const (
	ParamHeader = "Mcp-Param-"
	maxMarking  = 1000 // tools whose parameters are repeated in headers
	maxMarked   = 64   // parameters of one tool that are repeated in headers
	maxNested   = 8    // levels of a schema that are looked through
)

// ParamHeaders knows which parameters of a server's tools are repeated in headers: those
// that the last list marked with x-mcp-header. It is safe for use by many goroutines.
type ParamHeaders struct {
	mu    sync.Mutex
	tools map[string]map[string][]string // tool, header, path of the parameter
}

// Learn reads a tools/list answer. more says that it is a further page.
func (p *ParamHeaders) Learn(result []byte, more bool) {
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
		if len(marked) > 0 && len(p.tools) < maxMarking {
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
			marked[http.CanonicalHeaderKey(ParamHeader+property.Header)] = at
		}
		mark(s.Properties[name], at, marked)
	}
}

// of gives the marked parameters of the tool that a message calls.
func (p *ParamHeaders) of(m mcpwire.Message) map[string][]string {
	if m.Method != mcpwire.CallTool {
		return nil
	}
	name, _ := mcpwire.Member(m.Params, "name")
	tool, _ := mcpwire.Text(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tools[tool]
}

// Fault holds the headers of a tools/call against its arguments.
func (p *ParamHeaders) Fault(h http.Header, m mcpwire.Message) *mcpwire.Error {
	for header, path := range p.of(m) {
		want, there := argument(m.Params, path)
		got, ok := mcpwire.HeaderText(h.Values(header))
		if !ok || got != want || there != (len(h.Values(header)) > 0) {
			return mcpwire.Errorf(mcpwire.CodeMismatch, "the header %s does not say what arguments.%s does", header, strings.Join(path, "."))
		}
	}
	return nil
}

// With gives the headers of a tools/call by its arguments: its caller had no place for
// them, or a person wrote the arguments anew. Those of parameters that no list marked go:
// they may say what the arguments said before.
func (p *ParamHeaders) With(h http.Header, m mcpwire.Message) http.Header {
	out := h.Clone()
	maps.DeleteFunc(out, func(name string, _ []string) bool { return strings.HasPrefix(name, ParamHeader) })
	for header, path := range p.of(m) {
		if value, there := argument(m.Params, path); there {
			out.Set(header, mcpwire.HeaderValue(value))
		}
	}
	return out
}

// StrayParam refuses a header for a parameter that says what stands nowhere in the
// arguments of its call: the server would be told what nobody has seen.
func StrayParam(m mcpwire.Message) *mcpwire.Error {
	said := map[string]string{} // the header of each value
	for name, values := range m.Header {
		if !strings.HasPrefix(name, ParamHeader) {
			continue
		}
		value, ok := mcpwire.HeaderText(values)
		if !ok {
			return mcpwire.Errorf(mcpwire.CodeMismatch, "the header %.80s does not say what an argument does", name)
		}
		said[value] = name
	}
	if len(said) == 0 {
		return nil
	}
	args, bad := mcpwire.Member(m.Params, "arguments")
	if bad != nil {
		return bad
	}
	strike(said, args)
	for _, name := range said {
		return mcpwire.Errorf(mcpwire.CodeMismatch, "the header %.80s does not say what an argument does", name)
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
	at, ok := mcpwire.Find(params, 0, append([]string{"arguments"}, path...)...)
	if !ok {
		return "", false
	}
	raw := params[at.From:at.To]
	if s, ok := mcpwire.Text(raw); ok {
		return s, true
	}
	if c := raw[0]; c == '{' || c == '[' || string(raw) == "null" {
		return "", false
	}
	return string(raw), true
}
