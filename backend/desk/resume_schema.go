package desk

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A schema is a tree of clauses: all must hold. It is read and judged here, not by a
// library, for three reasons: numbers count exactly, a keyword counts only as it is
// spelled, and the work is bounded whatever the two documents are.
type schema struct{ clauses []clause }

type clause struct {
	keyword
	arg any // as keyword.read gave it
}

func (s *schema) arg(name string) any {
	for _, c := range s.clauses {
		if c.name == name {
			return c.arg
		}
	}
	return nil
}

type draft uint8

const (
	draft07 draft = 1 << iota
	draft2020
	anyDraft = draft07 | draft2020
)

func draftOf(uri any) draft {
	text, _ := uri.(string)
	switch _, name, _ := strings.Cut(strings.TrimSuffix(text, "#"), "://"); {
	case !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://"):
		return 0
	case name == "json-schema.org/draft-07/schema":
		return draft07
	case name == "json-schema.org/draft/2020-12/schema":
		return draft2020
	}
	return 0
}

// A keyword is read when a call is asked and held when it is answered. One without
// read says nothing about data; one without hold is for another keyword to use.
type keyword struct {
	name   string
	drafts draft
	read   func(r *reader, arg any) (any, error)
	hold   func(f *frame, arg, data any) error
}

// keywords lists them in the order in which they are held: what a schema says of
// members and items by itself comes before what others say of them, and unevaluated
// comes last.
func keywords() []keyword {
	list := []keyword{
		{"type", anyDraft, readTypes, holdType},
		{"enum", anyDraft, readEnum, holdEnum},
		{"const", anyDraft, readConst, holdEnum},
		{"multipleOf", anyDraft, readDivisor, over(holdMultiple)},
		{"minimum", anyDraft, readAs[decimal], ordered("is below", func(order int) bool { return order >= 0 })},
		{"maximum", anyDraft, readAs[decimal], ordered("is above", func(order int) bool { return order <= 0 })},
		{"exclusiveMinimum", anyDraft, readAs[decimal], ordered("is not above", func(order int) bool { return order > 0 })},
		{"exclusiveMaximum", anyDraft, readAs[decimal], ordered("is not below", func(order int) bool { return order < 0 })},
		{"minLength", anyDraft, readCount, atLeast(charactersIn, "characters")},
		{"maxLength", anyDraft, readCount, atMost(charactersIn, "characters")},
		{"pattern", anyDraft, readPattern, over(holdPattern)},
		{"prefixItems", draft2020, readList, over(holdFirst)},
		{"items", draft2020, readSchema, over(holdRest[[]any])},
		{"items", draft07, readItems, holdItems},
		{"additionalItems", draft07, readSchema, over(holdAdditional)},
		{"minContains", draft2020, readCount, nil},
		{"maxContains", draft2020, readCount, nil},
		{"contains", anyDraft, readSchema, over(holdContains)},
		{"minItems", anyDraft, readCount, atLeast(itemsIn, "items")},
		{"maxItems", anyDraft, readCount, atMost(itemsIn, "items")},
		{"uniqueItems", anyDraft, readAs[bool], over(holdUnique)},
		{"properties", anyDraft, readNamed, over(holdProperties)},
		{"patternProperties", anyDraft, readPatterned, over(holdPatterned)},
		{"additionalProperties", anyDraft, readSchema, over(holdRest[*object])},
		{"propertyNames", anyDraft, readSchema, over(holdNames)},
		{"minProperties", anyDraft, readCount, atLeast(membersIn, "members")},
		{"maxProperties", anyDraft, readCount, atMost(membersIn, "members")},
		{"required", anyDraft, readNames, over(holdRequired)},
		{"dependentRequired", draft2020, readNamesNamed, over(holdDependents)},
		{"dependentSchemas", draft2020, readNamed, over(holdDependents)},
		{"dependencies", draft07, readDependents, over(holdDependents)},
		{"allOf", anyDraft, readList, holdAll},
		{"anyOf", anyDraft, readList, holdAny},
		{"oneOf", anyDraft, readList, holdOne},
		{"not", anyDraft, readSchema, holdNot},
		{"then", anyDraft, readSchema, nil},
		{"else", anyDraft, readSchema, nil},
		{"if", anyDraft, readSchema, holdIf},
		{"unevaluatedItems", draft2020, readSchema, over(holdRest[[]any])},
		{"unevaluatedProperties", draft2020, readSchema, over(holdRest[*object])},
		{"$defs", anyDraft, readNamed, nil},
		{"definitions", anyDraft, readNamed, nil},
	}
	for _, name := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		list = append(list, keyword{name, anyDraft, readReference, nil})
	}
	for _, name := range []string{"$id", "$schema", "$comment", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "title", "description", "default",
		"deprecated", "readOnly", "writeOnly", "examples", "contentEncoding", "contentMediaType", "contentSchema", "format"} {
		list = append(list, keyword{name, anyDraft, nil, nil})
	}
	return list
}

// A reader reads one schema document and counts what is bounded.
type reader struct {
	draft                                       draft
	keywords                                    []keyword
	spelled                                     map[string]string // keywords by what is left of them without case
	schemas, patterns, patternText, patternSize int
}

func newReader() *reader {
	r := &reader{keywords: keywords(), spelled: map[string]string{}}
	for _, k := range r.keywords {
		r.spelled[fold(k.name)] = k.name
	}
	return r
}

// fold makes equal what differs in case alone, ſ and the sign of Kelvin included.
func fold(s string) string {
	return strings.Map(func(c rune) rune {
		for {
			next := unicode.SimpleFold(c)
			if next <= c {
				return next
			}
			c = next
		}
	}, s)
}

func (r *reader) schema(v any) (*schema, error) {
	if r.schemas++; r.schemas > maxSchemas {
		return nil, fmt.Errorf("more than %d schemas in one", maxSchemas)
	}
	switch v := v.(type) {
	case bool:
		if v {
			return &schema{}, nil
		}
		return &schema{[]clause{{keyword: keyword{hold: holdNever}}}}, nil
	case *object:
		if err := r.dialect(v); err != nil {
			return nil, err
		}
		return r.clauses(v)
	}
	return nil, errors.New("a schema is an object or a boolean")
}

// dialect reads $schema: one for the whole document, 2020-12 when it says nothing.
func (r *reader) dialect(o *object) error {
	said := r.draft
	if at, ok := o.find("$schema"); ok {
		if said = draftOf(o.values[at]); said == 0 {
			return errors.New("$schema: draft-07 and 2020-12 are understood, no other")
		}
	}
	if r.draft == 0 {
		r.draft = cmp.Or(said, draft2020)
	}
	if said != 0 && said != r.draft {
		return errors.New("$schema: another than that of the whole")
	}
	return nil
}

// clauses refuses a key that is a keyword but for its case: a reader that does not
// mind case would take it for the keyword, and the person who answers might too.
func (r *reader) clauses(o *object) (*schema, error) {
	for _, name := range o.names {
		if k := r.spelled[fold(name)]; k != "" && k != name {
			return nil, fmt.Errorf("%q is no keyword: it is spelled %s", name, k)
		}
	}
	s := &schema{}
	for _, k := range r.keywords {
		at, ok := o.find(k.name)
		if !ok || k.read == nil || k.drafts&r.draft == 0 {
			continue
		}
		arg, err := k.read(r, o.values[at])
		if err != nil {
			return nil, below(k.name, err)
		}
		s.clauses = append(s.clauses, clause{k, arg})
	}
	return s, nil
}

func readReference(*reader, any) (any, error) {
	return nil, errors.New("not supported: write the schema out")
}

func readSchema(r *reader, v any) (any, error) { return r.schema(v) }

func readAs[T any](_ *reader, v any) (any, error) {
	if _, ok := v.(T); !ok {
		return nil, fmt.Errorf("wants another type than %s", kindOf(v))
	}
	return v, nil
}

func readCount(_ *reader, v any) (any, error) {
	if n, ok := v.(decimal); !ok || !n.whole() || n.sign() < 0 {
		return nil, errors.New("wants a whole number from 0")
	}
	return v, nil
}

func readDivisor(_ *reader, v any) (any, error) {
	if n, ok := v.(decimal); !ok || n.sign() <= 0 {
		return nil, errors.New("wants a number above 0")
	}
	return v, nil
}

func readList(r *reader, v any) (any, error) {
	list, _ := v.([]any)
	if len(list) == 0 {
		return nil, errors.New("wants a list of schemas")
	}
	return readEach(list, strconv.Itoa, r.schema)
}

func readEach[T any](values []any, name func(i int) string, read func(any) (T, error)) ([]T, error) {
	all := make([]T, len(values))
	for i, v := range values {
		var err error
		if all[i], err = read(v); err != nil {
			return nil, below(name(i), err)
		}
	}
	return all, nil
}

// readItems reads draft-07's items: one schema for all, or one for each.
func readItems(r *reader, v any) (any, error) {
	if list, ok := v.([]any); ok {
		return readEach(list, strconv.Itoa, r.schema)
	}
	return r.schema(v)
}

// named is what a keyword says by the names of members, in the order of the names.
type named struct {
	names []string
	args  []any
}

func readMembers(v any, read func(any) (any, error)) (any, error) {
	o, ok := v.(*object)
	if !ok {
		return nil, errors.New("wants an object")
	}
	args, err := readEach(o.values, func(i int) string { return o.names[i] }, read)
	return named{o.names, args}, err
}

func readNamed(r *reader, v any) (any, error) {
	return readMembers(v, func(v any) (any, error) { return r.schema(v) })
}

func readNamesNamed(r *reader, v any) (any, error) {
	return readMembers(v, func(v any) (any, error) { return readNames(r, v) })
}

// readDependents reads draft-07's dependencies: a schema or names.
func readDependents(r *reader, v any) (any, error) {
	return readMembers(v, func(v any) (any, error) {
		if _, ok := v.([]any); ok {
			return readNames(r, v)
		}
		return r.schema(v)
	})
}

func readNames(_ *reader, v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("wants a list of names")
	}
	return readEach(list, strconv.Itoa, func(v any) (string, error) {
		name, ok := v.(string)
		if !ok {
			return "", errors.New("wants a name")
		}
		return name, nil
	})
}

func readTypes(r *reader, v any) (any, error) {
	if one, ok := v.(string); ok {
		v = []any{one}
	}
	types, err := readNames(r, v)
	if err != nil {
		return nil, err
	}
	if len(types.([]string)) == 0 {
		return nil, errors.New("wants a type")
	}
	for _, t := range types.([]string) {
		if !slices.Contains([]string{"array", "boolean", "integer", "null", "number", "object", "string"}, t) {
			return nil, fmt.Errorf("there is no type %q", clip(t))
		}
	}
	return types, nil
}
