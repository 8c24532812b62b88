package policy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// What a condition may be asked about: doors take no deeper input, and a longer one
// takes too long to read for a decision.
const (
	MaxInputBytes  = 4 << 20
	maxInputValues = 100_000
	maxInputDepth  = 128
)

// facts are what conditions see of a call, read when the first one asks.
type facts struct {
	vars   map[string]any
	broken error  // why the input or the envelope could not be read
	spent  uint64 // work of the conditions so far
	about  *about
	line   *reading // nil: the call has none, or no rule looks at it
	asked  int      // the number of the part that is asked about, from 1; 0 is the whole line
	seen   int      // the one that stands in the place of the line now
	looks  int      // at parts
	input  object   // the call's own
	parted object   // with a part in the place of the line
}

// see puts the part of the line that is asked about into its place, or the line itself.
func (f *facts) see() {
	if f.seen == f.asked || f.line == nil || f.line.whole {
		return
	}
	if f.parted.members == nil {
		f.input = f.vars["input"].(object)
		own := maps.Clone(f.input.members)
		delete(own, types.String("args"))
		f.parted = newObject(own)
	}
	if f.seen, f.about.part = f.asked, nil; f.asked == 0 {
		f.vars["input"] = f.input
		return
	}
	f.about.part = &f.line.line.Parts[f.asked-1]
	f.parted.members[types.String(f.line.key)] = types.String(f.about.part.Text)
	f.vars["input"] = f.parted
}

func variables(c *Call) (map[string]any, error) {
	input, err := readInput(c.Input)
	if err != nil {
		return nil, fmt.Errorf("read input: %w", err)
	}
	envelope, err := readInput(c.Envelope)
	if err != nil {
		return nil, fmt.Errorf("read envelope: %w", err)
	}
	method := c.Method
	if method == "" {
		method = permission.CallTool
	}
	agent := map[ref.Val]ref.Val{types.String("id"): types.String(c.AgentID), types.String("name"): types.String(c.AgentName),
		types.String("subagent"): orNull(c.Subagent)}
	return map[string]any{
		"input":     input,
		"envelope":  envelope,
		"serverId":  orNull(c.ServerID),
		"method":    types.String(method),
		"toolName":  types.String(c.ToolName),
		"sessionId": types.String(c.SessionID),
		"agent":     newObject(agent),
		"cwd":       orNull(c.Cwd),
		"risk":      types.String(cmp.Or(c.Risk, permission.RiskMedium)),
	}, nil
}

func orNull(s *string) ref.Val {
	if s == nil {
		return types.NullValue
	}
	return types.String(*s)
}

// nothing is the input or envelope without members.
var nothing = newObject(nil)

// readInput is strict, since a loose reader could see another input than the tool does.
func readInput(raw []byte) (ref.Val, error) {
	switch {
	case len(raw) == 0:
		return nothing, nil
	case len(raw) > MaxInputBytes:
		return nil, fmt.Errorf("longer than %d bytes", MaxInputBytes)
	}
	if err := rawjson.Check(raw, maxInputDepth); err != nil {
		return nil, err
	}
	r := reader{raw: raw, left: maxInputValues}
	return r.value()
}

// reader makes CEL values of JSON that is known to be good.
type reader struct {
	raw  []byte
	at   int
	left int // values that may still come
}

// next skips white space, and gives the byte behind it.
func (r *reader) next() byte {
	for ; r.at < len(r.raw); r.at++ {
		switch c := r.raw[r.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// more reports whether a list or an object goes on, and skips what stands between.
func (r *reader) more(end byte) bool {
	switch r.next() {
	case end, 0:
		r.at++
		return false
	case ',':
		r.at++
	}
	return true
}

func (r *reader) value() (ref.Val, error) {
	if r.left--; r.left < 0 {
		return nil, fmt.Errorf("more than %d values", maxInputValues)
	}
	switch r.next() {
	case '"':
		return r.text()
	case '[':
		return r.list()
	case '{':
		return r.object()
	}
	start := r.at
	for r.at < len(r.raw) && bytes.IndexByte([]byte(",]} \t\r\n"), r.raw[r.at]) < 0 {
		r.at++
	}
	switch word := string(r.raw[start:r.at]); word {
	case "true", "false":
		return types.Bool(word == "true"), nil
	case "null":
		return types.NullValue, nil
	default:
		return number(word)
	}
}

func (r *reader) text() (types.String, error) {
	start, plain := r.at, true
	for r.at++; r.at < len(r.raw) && r.raw[r.at] != '"'; r.at++ {
		if r.raw[r.at] == '\\' {
			plain = false
			r.at++
		}
	}
	r.at = min(r.at+1, len(r.raw))
	if plain {
		return types.String(r.raw[start+1 : r.at-1]), nil
	}
	var text string
	err := json.Unmarshal(r.raw[start:r.at], &text)
	return types.String(text), err
}

func (r *reader) list() (ref.Val, error) {
	list := []ref.Val{}
	for r.at++; r.more(']'); {
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, list), nil
}

func (r *reader) object() (ref.Val, error) {
	members := map[ref.Val]ref.Val{}
	for r.at++; r.more('}'); {
		r.next()
		name, err := r.text()
		if err != nil {
			return nil, err
		}
		r.next()
		r.at++ // a colon
		if members[name], err = r.value(); err != nil {
			return nil, err
		}
	}
	return newObject(members), nil
}

// number is an int if it is written as an integer that fits, else a double.
func number(s string) (ref.Val, error) {
	if !strings.ContainsAny(s, ".eE") {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return types.Int(i), nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("a number is out of range")
	}
	return types.Double(f), nil
}

// object is a map of texts that is walked in the order of its keys.
type object struct {
	traits.Mapper
	keys    traits.Lister
	members map[ref.Val]ref.Val
}

func newObject(m map[ref.Val]ref.Val) object {
	keys := make([]ref.Val, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b ref.Val) int { return strings.Compare(string(a.(types.String)), string(b.(types.String))) })
	return object{types.NewRefValMap(types.DefaultTypeAdapter, m), types.NewRefValList(types.DefaultTypeAdapter, keys), m}
}

// Iterator gives the keys in their order.
func (o object) Iterator() traits.Iterator { return o.keys.Iterator() }
