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
	"sync"

	"github.com/google/cel-go/cel"
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
	vars   *variables
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
		f.input = f.vars.input.(object)
		own := maps.Clone(f.input.members)
		delete(own, types.String("args"))
		f.parted = newObject(own)
	}
	if f.seen, f.about.part = f.asked, nil; f.asked == 0 {
		f.vars.input = f.input
		return
	}
	f.about.part = &f.line.line.Parts[f.asked-1]
	f.parted.members[types.String(f.line.key)] = types.String(f.about.part.Text)
	f.vars.input = f.parted
}

// variables are what the names in a condition stand for: a cel.Activation. What few conditions
// look at is made when it is looked at.
type variables struct {
	call            Call // a copy: a pointer would take each question to the heap
	input, envelope ref.Val
	about           *about
}

func newVariables(c *Call, about *about) (*variables, error) {
	input, err := readInput(c.Input)
	if err != nil {
		return nil, fmt.Errorf("read input: %w", err)
	}
	envelope, err := readInput(c.Envelope)
	if err != nil {
		return nil, fmt.Errorf("read envelope: %w", err)
	}
	return &variables{*c, input, envelope, about}, nil
}

// Parent is nil: there are no others.
func (v *variables) Parent() cel.Activation { return nil }

// ResolveName gives the value of a name.
func (v *variables) ResolveName(name string) (any, bool) {
	switch name {
	case "input":
		return v.input, true
	case "envelope":
		return v.envelope, true
	case "serverId":
		return orNull(v.call.ServerID), true
	case "method":
		return types.String(cmp.Or(v.call.Method, permission.CallTool)), true
	case "toolName":
		return types.String(v.call.ToolName), true
	case "sessionId":
		return types.String(v.call.SessionID), true
	case "session":
		of := &v.call.Standing
		return newObject(map[ref.Val]ref.Val{types.String("role"): types.String(of.Role), types.String("purpose"): types.String(of.Purpose),
			types.String("projectId"): types.String(of.ProjectID)}), true
	case "agent":
		return newObject(map[ref.Val]ref.Val{types.String("id"): types.String(v.call.AgentID),
			types.String("name"): types.String(v.call.AgentName), types.String("subagent"): orNull(v.call.Subagent)}), true
	case "cwd":
		return orNull(v.call.Cwd), true
	case "risk":
		return types.String(cmp.Or(v.call.Risk, permission.RiskMedium)), true
	case aboutVariable:
		return v.about, true
	}
	return nil, false
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
	members map[ref.Val]ref.Val
	keys    *sortedKeys
}

// sortedKeys are made when an object is walked for the first time.
type sortedKeys struct {
	once sync.Once
	list traits.Lister
}

func newObject(m map[ref.Val]ref.Val) object {
	return object{types.NewRefValMap(types.DefaultTypeAdapter, m), m, &sortedKeys{}}
}

// Iterator gives the keys in their order.
func (o object) Iterator() traits.Iterator {
	o.keys.once.Do(func() {
		keys := slices.SortedFunc(maps.Keys(o.members), func(a, b ref.Val) int {
			return strings.Compare(string(a.(types.String)), string(b.(types.String)))
		})
		o.keys.list = types.NewRefValList(types.DefaultTypeAdapter, keys)
	})
	return o.keys.list.Iterator()
}
