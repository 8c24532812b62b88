package resume

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// work is what may still be spent on data. The library cannot be stopped while it judges:
// what it does next is paid before it does it, and what cannot be paid ends it by a panic,
// which the judge catches.
type work struct {
	left    int
	frame   int  // what one schema takes on one value, whatever it says
	number  int  // what it takes to compare two numbers
	guess   bool // what a pattern that is not checked says of a text
	guessed bool // one was asked
}

var errTooMuchWork = errors.New("to judge it takes more work than the desk spends on it")

// workOn is that on data of some depth, with numbers of some digits.
func workOn(depth, digits int) work {
	return work{left: maxWork, frame: 8 + depth/4, number: 5 + digits/12}
}

func (w *work) spend(steps int) {
	if w.left -= steps; w.left < 0 {
		panic(errTooMuchWork)
	}
}

// part is what it takes to hold one schema against a value.
type part struct {
	unique  bool
	own     int // what it compares and looks up itself; type, const and enum come before all else
	bounds  int // those of a number
	each    int // schemas that it holds against each member or item
	inPlace int // those that it holds against the same value
	fixed   int // their own
	perItem int // what it looks up for each member or item
	chain   int // how many schemas it leads to on one value, one from the other
}

// partOf counts what a schema says by itself.
func (w *work) partOf(s *jsonschema.Schema, obj map[string]any) *part {
	p := &part{unique: s.UniqueItems, own: w.number, each: 1 + len(s.PatternProperties)}
	for name, said := range obj {
		switch name {
		case "const", "enum":
			p.own += w.number * valuesIn(said)
		case "required", "dependentRequired", "dependencies":
			p.own += 2 * valuesIn(said)
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
			p.bounds++
		case "multipleOf":
			p.bounds += 5
		case "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
			p.each++
		}
	}
	return p
}

func valuesIn(v any) int {
	var e extent
	_ = e.add(v, 1) // its numbers were looked at
	return e.values
}

// guard makes a schema pay when a value comes in. The library looks at the format first,
// but for type, const and enum.
func (f *form) guard(s *jsonschema.Schema) {
	inner, p := s.Format, f.parts[s]
	s.Format = &jsonschema.Format{Name: "format", Validate: func(v any) error {
		err := f.enter(p, v)
		if err == nil && inner != nil && inner.Validate(v) != nil {
			err = fmt.Errorf("is not of the format %s", inner.Name)
		}
		return err
	}}
}

// enter pays for a schema and a value, but not for what the schemas in it do with what is in
// the value: they pay for that.
func (f *form) enter(p *part, v any) error {
	f.spend(p.fixed + p.inPlace*f.frame)
	switch v := v.(type) {
	case string:
		f.spend(len(v) / 16)
	case json.Number:
		f.spend(p.bounds * f.number)
	case map[string]any:
		f.spend(len(v) * (p.perItem + p.each*f.frame))
	case []any:
		f.spend(len(v) * (p.perItem + p.each*f.frame))
		if p.unique {
			return f.unique(v)
		}
	}
	return nil
}

// unique is the library's uniqueItems, but for what it takes: items can be made for which
// that compares each with each.
func (f *form) unique(list []any) error {
	f.spend(8 * len(list))
	seen := make(map[string]int, len(list))
	for i, item := range list {
		is := string(f.canonical(nil, item))
		if j, ok := seen[is]; ok {
			return fmt.Errorf("items %d and %d are equal", j, i)
		}
		seen[is] = i
	}
	return nil
}

// canonical appends the one form that equal values have.
func (f *form) canonical(dst []byte, v any) []byte {
	f.spend(4)
	switch v := v.(type) {
	case string:
		f.spend(len(v) / 16)
		return append(append(strconv.AppendInt(dst, int64(len(v)), 10), '"'), v...)
	case json.Number:
		f.spend(f.number)
		n, _ := new(big.Rat).SetString(v.String())
		return append(append(dst, '#'), n.String()...)
	case []any:
		for _, item := range v {
			dst = append(f.canonical(append(dst, ','), item), ';')
		}
		return append(dst, ']')
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = append(f.canonical(append(f.canonical(append(dst, ','), name), ':'), v[name]), ';')
		}
		return append(dst, '}')
	}
	return fmt.Append(dst, v) // null or a boolean
}

// A reach is the schemas that one holds against the same value, and against members or
// items of it.
type reach struct{ same, below []*jsonschema.Schema }

// reachOf takes the schemas with a $dynamicAnchor, and those that a $recursiveRef may mean.
func reachOf(s *jsonschema.Schema, dynamic, entered []*jsonschema.Schema) (r reach) {
	r.same = slices.Concat([]*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf,
		slices.Collect(maps.Values(s.DependentSchemas)))
	if s.DynamicRef != nil {
		r.same = append(r.same, s.DynamicRef.Ref)
		for _, to := range dynamic {
			if to != s.DynamicRef.Ref && to.DynamicAnchor == s.DynamicRef.Anchor {
				r.same = append(r.same, to)
			}
		}
	}
	if s.RecursiveRef != nil && s.RecursiveRef.RecursiveAnchor {
		r.same = append(r.same, entered...)
	}
	for _, d := range s.Dependencies {
		if to, ok := d.(*jsonschema.Schema); ok {
			r.same = append(r.same, to)
		}
	}
	r.below = slices.Concat([]*jsonschema.Schema{s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems},
		s.PrefixItems,
		slices.Collect(maps.Values(s.Properties)), slices.Collect(maps.Values(s.PatternProperties)))
	for _, rest := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		switch rest := rest.(type) {
		case *jsonschema.Schema:
			r.below = append(r.below, rest)
		case []*jsonschema.Schema:
			r.below = append(r.below, rest...)
		}
	}
	none := func(s *jsonschema.Schema) bool { return s == nil }
	return reach{slices.DeleteFunc(r.same, none), slices.DeleteFunc(r.below, none)}
}

// weigh finds what each schema takes of those that it leads to, and refuses a form for which
// the stack may not do.
func (f *form) weigh() error {
	var dynamic, entered []*jsonschema.Schema
	unevaluated := 0
	for s := range f.parts {
		if s.DynamicAnchor != "" {
			dynamic = append(dynamic, s)
		}
		if s.RecursiveAnchor {
			entered = append(entered, s)
		}
		if s.Ref != nil {
			entered = append(entered, s.Ref)
		}
		if s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil {
			unevaluated = 3 // steps for each member and item that each schema notes
		}
	}
	leads := map[*jsonschema.Schema][]*jsonschema.Schema{}
	for s, p := range f.parts {
		r := reachOf(s, dynamic, entered)
		leads[s], p.inPlace = r.same, len(r.same)
		for _, to := range r.same {
			p.fixed += f.ownOf(to)
		}
		most := 0
		for _, to := range r.below {
			most = max(most, f.ownOf(to))
		}
		p.perItem = 2 + 2*len(s.PatternProperties) + p.each*most + unevaluated*(1+p.inPlace)
	}
	for s := range f.parts {
		if err := f.follow(s, leads); err != nil {
			return err
		}
	}
	return nil
}

func (f *form) ownOf(s *jsonschema.Schema) int {
	if p := f.parts[s]; p != nil {
		return p.own
	}
	return 0 // it is a boolean
}

// follow counts how many schemas follow from one on the same value.
func (f *form) follow(s *jsonschema.Schema, leads map[*jsonschema.Schema][]*jsonschema.Schema) error {
	p := f.parts[s]
	switch {
	case p == nil || p.chain > 0:
		return nil
	case p.chain < 0:
		return fmt.Errorf("%s leads to itself, without a step into the value", cmp.Or(strings.TrimPrefix(s.Location, home), "#"))
	}
	p.chain = -1
	longest := 0
	for _, to := range leads[s] {
		if err := f.follow(to, leads); err != nil {
			return err
		}
		if q := f.parts[to]; q != nil {
			longest = max(longest, q.chain)
		}
	}
	if p.chain = longest + 1; p.chain > maxChain {
		return fmt.Errorf("more than %d schemas follow from one on the same value", maxChain)
	}
	return nil
}
