package desk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Bounds of a resumeSchema and of the data held against it. The schema is an agent's,
// who may want the desk to stand still: all that it asks is paid from work, and what
// costs more is refused, never judged halfway.
const (
	maxSchema      = 64 << 10  // bytes of a schema
	maxSchemas     = 1000      // schemas in a schema, itself too
	maxPatterns    = 64        // patterns in a schema
	maxPatternText = 4 << 10   // bytes of all its patterns
	maxPatternSize = 200_000   // instructions and ranges of characters of all its patterns
	maxHeldData    = 256 << 10 // bytes of data held against a schema
	maxDigits      = 128       // bytes of a number
	maxExponent    = 999_999   // of a number, above and below zero
	maxWork        = 1_000_000 // steps of 50 ns or so
)

// oneSchema is held while a schema is read or data judged: many at once would add up.
var oneSchema sync.Mutex

// checkSchema refuses what is no JSON Schema that data can be held against here.
func checkSchema(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	oneSchema.Lock()
	defer oneSchema.Unlock()
	_, err := compileSchema(raw)
	return err
}

// checkResume holds a person's data against the caller's schema. No data is no
// violation: an answer may come without.
func checkResume(raw, given json.RawMessage) error {
	if given == nil {
		return nil
	}
	const field = "resumeData"
	if raw == nil {
		return strictly(field, given)
	}
	if len(given) > maxHeldData {
		return permission.Invalid(field, fmt.Sprintf("longer than %d bytes, which is all that is held against a schema", maxHeldData))
	}
	if err := strictly(field, given); err != nil {
		return err
	}
	oneSchema.Lock()
	defer oneSchema.Unlock()
	s, err := compileSchema(raw)
	if err != nil {
		return err
	}
	data, err := readJSON(given)
	if err != nil {
		return permission.Invalid(field, err.Error())
	}
	if err := satisfies(data, s); err != nil {
		return permission.Invalid(field, "does not satisfy the call's schema: "+err.Error())
	}
	return nil
}

func strictly(field string, raw []byte) error {
	if err := rawjson.Check(raw, rawjson.MaxInputDepth); err != nil {
		return &permission.Error{Code: permission.CodeMalformed, Field: field, Message: err.Error()}
	}
	return nil
}

// compileSchema reads a schema of an agent's. One with references is refused: they
// could reach out of the document, or make a small one explode.
func compileSchema(raw json.RawMessage) (*schema, error) {
	const field = "resumeSchema"
	if len(raw) > maxSchema {
		return nil, permission.Invalid(field, fmt.Sprintf("longer than %d bytes", maxSchema))
	}
	if err := strictly(field, raw); err != nil {
		return nil, err
	}
	v, err := readJSON(raw)
	if err != nil {
		return nil, permission.Invalid(field, err.Error())
	}
	s, err := newReader().schema(v)
	if err != nil {
		return nil, permission.Invalid(field, "not a JSON Schema to hold data against: "+err.Error())
	}
	return s, nil
}

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

// forms are the values of enum or const, each in the one form that equal values have.
type forms map[string]bool

func readConst(r *reader, v any) (any, error) { return readEnum(r, []any{v}) }

func readEnum(_ *reader, v any) (any, error) {
	list, _ := v.([]any)
	if len(list) == 0 {
		return nil, errors.New("wants a list of values")
	}
	all, left := forms{}, work(maxWork)
	for _, v := range list {
		all[string(left.form(nil, v))] = true
	}
	return all, nil
}

// A matcher is a pattern; for each byte that it looks at it may go through all its
// instructions.
type matcher struct {
	*regexp.Regexp
	instructions int
}

func readPattern(r *reader, v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		return nil, errors.New("wants a pattern")
	}
	return r.pattern(text)
}

func (r *reader) pattern(text string) (matcher, error) {
	if r.patterns++; r.patterns > maxPatterns {
		return matcher{}, fmt.Errorf("more than %d patterns in one schema", maxPatterns)
	}
	if r.patternText += len(text); r.patternText > maxPatternText {
		return matcher{}, fmt.Errorf("more than %d bytes of patterns in one schema", maxPatternText)
	}
	if caseless(text) {
		return matcher{}, errors.New("JSON Schema has no (?i) in patterns: write both cases out")
	}
	// A class of Unicode's takes its whole table already when it is parsed.
	if r.patternSize += largestTable * (strings.Count(text, `\p`) + strings.Count(text, `\P`)); r.patternSize > maxPatternSize {
		return matcher{}, errPatternSize
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return matcher{}, err
	}
	instructions, ranges := programSize(parsed)
	if r.patternSize += instructions + ranges; r.patternSize > maxPatternSize {
		return matcher{}, errPatternSize
	}
	compiled, err := regexp.Compile(text)
	return matcher{compiled, instructions}, err
}

var errPatternSize = errors.New("the patterns of the schema are too large when they are written out")

// largestTable is about the ranges in the largest of Unicode's classes.
const largestTable = 700

// caseless finds a group like (?i) or (?i:a). To parse one with a wide class takes
// seconds.
func caseless(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
			continue
		}
		if group, ok := strings.CutPrefix(text[i:], "(?"); ok {
			behind := strings.TrimLeft(group, "imsU-")
			flags := group[:len(group)-len(behind)]
			if strings.Contains(flags, "i") && (strings.HasPrefix(behind, ")") || strings.HasPrefix(behind, ":")) {
				return true
			}
		}
	}
	return false
}

// programSize bounds a pattern's instructions, and the ranges of characters in them,
// before any of them is made.
func programSize(re *syntax.Regexp) (instructions, ranges int) {
	instructions, ranges = 2, len(re.Rune)/2
	if re.Op == syntax.OpLiteral {
		instructions, ranges = 2+len(re.Rune), 0
	}
	for _, sub := range re.Sub {
		i, r := programSize(sub)
		instructions, ranges = instructions+i, ranges+r
	}
	if re.Op == syntax.OpRepeat {
		times := max(re.Min, re.Max, 1)
		return times * instructions, times * ranges
	}
	return instructions, ranges
}

// A patterned is one of patternProperties.
type patterned struct {
	matcher
	schema *schema
}

func readPatterned(r *reader, v any) (any, error) {
	o, ok := v.(*object)
	if !ok {
		return nil, errors.New("wants an object")
	}
	all := make([]patterned, len(o.names))
	for i, name := range o.names {
		var err error
		if all[i].matcher, err = r.pattern(name); err == nil {
			all[i].schema, err = r.schema(o.values[i])
		}
		if err != nil {
			return nil, below(name, err)
		}
	}
	return all, nil
}

// work is what may still be spent; below zero nothing that was found counts.
type work int

// spend takes steps and what going over some bytes takes.
func (w *work) spend(steps, bytes int) { *w -= work(steps + bytes/16) }

// form appends the one form that equal values have.
func (w *work) form(dst []byte, v any) []byte {
	w.spend(3, 0)
	switch v := v.(type) {
	case string:
		w.spend(0, len(v))
		return append(append(strconv.AppendInt(dst, int64(len(v)), 10), '"'), v...)
	case decimal:
		return fmt.Appendf(dst, "%t%se%d", v.negative, v.digits, v.exponent)
	case []any, *object:
		dst = append(dst, kindOf(v)...)
		for i, child := range children(v) {
			if *w < 0 {
				break
			}
			if o, ok := v.(*object); ok {
				dst = w.form(dst, o.names[i])
			}
			dst = append(w.form(append(dst, ','), child), ';')
		}
		return append(dst, '.')
	}
	return fmt.Append(dst, v) // null or a boolean
}

// A frame is one schema held against one value.
type frame struct {
	*work
	schema *schema
	seen   []bool // which members or items a clause has spoken of
}

var errTooMuchWork = errors.New("to judge it takes more work than the desk spends on it")

// satisfies says what of the schema data violates.
func satisfies(data any, s *schema) error {
	left := work(maxWork)
	err := left.hold(s, data, nil)
	if left < 0 {
		return errTooMuchWork
	}
	return err
}

// hold notes in seen, unless nil, what of the value's members or items was spoken of;
// only a schema that holds has spoken.
func (w *work) hold(s *schema, data any, seen []bool) error {
	size := len(children(data))
	if w.spend(4+len(s.clauses), 2*size); *w < 0 {
		return errTooMuchWork
	}
	f := frame{w, s, make([]bool, size)}
	for _, c := range s.clauses {
		if c.hold == nil {
			continue
		}
		if err := c.hold(&f, c.arg, data); err != nil {
			return err
		}
		if *w < 0 {
			return errTooMuchWork
		}
	}
	for i := range seen {
		seen[i] = seen[i] || f.seen[i]
	}
	return nil
}

var errNothing = errors.New("nothing is allowed here")

func holdNever(*frame, any, any) error { return errNothing }

// over makes a clause of one that concerns values of one type only.
func over[A, D any](hold func(f *frame, arg A, data D) error) func(*frame, any, any) error {
	return func(f *frame, arg, data any) error {
		if d, ok := data.(D); ok {
			return hold(f, arg.(A), d)
		}
		return nil
	}
}

func holdType(_ *frame, arg, data any) error {
	for _, t := range arg.([]string) {
		n, isNumber := data.(decimal)
		if t == kindOf(data) || t == "integer" && isNumber && n.whole() {
			return nil
		}
	}
	return why(func() string { return fmt.Sprintf("is %s, not %s", kindOf(data), strings.Join(arg.([]string), " or ")) })
}

var errNone = errors.New("is none of the values that the schema names")

func holdEnum(f *frame, arg, data any) error {
	if arg.(forms)[string(f.form(nil, data))] {
		return nil
	}
	return errNone
}

func ordered(words string, within func(order int) bool) func(*frame, any, any) error {
	return over(func(_ *frame, bound, n decimal) error {
		if within(n.compare(bound)) {
			return nil
		}
		return why(func() string { return fmt.Sprintf("%s %s %s", n, words, bound) })
	})
}

func holdMultiple(f *frame, unit, n decimal) error {
	if f.spend(50, 0); n.multipleOf(unit) {
		return nil
	}
	return why(func() string { return fmt.Sprintf("%s is not a multiple of %s", n, unit) })
}

func charactersIn(f *frame, s string) int {
	f.spend(0, len(s))
	return utf8.RuneCountInString(s)
}

func itemsIn(_ *frame, list []any) int { return len(list) }

func membersIn(_ *frame, o *object) int { return len(o.names) }

func atLeast[D any](measure func(*frame, D) int, what string) func(*frame, any, any) error {
	return over(func(f *frame, bound decimal, data D) error {
		if n := measure(f, data); wholeDecimal(n).compare(bound) < 0 {
			return why(func() string { return fmt.Sprintf("has %d %s, fewer than %s", n, what, bound) })
		}
		return nil
	})
}

func atMost[D any](measure func(*frame, D) int, what string) func(*frame, any, any) error {
	return over(func(f *frame, bound decimal, data D) error {
		if n := measure(f, data); wholeDecimal(n).compare(bound) > 0 {
			return why(func() string { return fmt.Sprintf("has %d %s, more than %s", n, what, bound) })
		}
		return nil
	})
}

func (p matcher) matches(f *frame, s string) bool {
	f.spend(2, (len(s)+1)*p.instructions)
	return *f.work >= 0 && p.MatchString(s)
}

func holdPattern(f *frame, p matcher, s string) error {
	if p.matches(f, s) {
		return nil
	}
	return why(func() string { return "does not match the pattern " + clip(p.String()) })
}

// each holds a schema against one member or item.
func (f *frame) each(s *schema, data any, i int) error {
	f.seen[i] = true
	if err := f.hold(s, children(data)[i], nil); err != nil {
		return below(childName(data, i), err)
	}
	return nil
}

// holdRest holds a schema against all members or items that nobody spoke of yet.
func holdRest[D any](f *frame, s *schema, data D) error {
	for i := range f.seen {
		if f.seen[i] {
			continue
		}
		if err := f.each(s, data, i); err != nil {
			return err
		}
	}
	return nil
}

func holdFirst(f *frame, schemas []*schema, list []any) error {
	for i := range min(len(schemas), len(list)) {
		if err := f.each(schemas[i], list, i); err != nil {
			return err
		}
	}
	return nil
}

func holdItems(f *frame, arg, data any) error {
	if _, ok := arg.(*schema); ok {
		return over(holdRest[[]any])(f, arg, data)
	}
	return over(holdFirst)(f, arg, data)
}

func holdAdditional(f *frame, s *schema, list []any) error {
	if f.schema.arg("items") == nil {
		return nil
	}
	return holdRest(f, s, list)
}

func holdContains(f *frame, s *schema, list []any) error {
	n := 0
	for i, item := range list {
		if f.hold(s, item, nil) == nil {
			f.seen[i] = true
			n++
		}
	}
	least, ok := f.schema.arg("minContains").(decimal)
	if !ok {
		least = wholeDecimal(1)
	}
	most, ok := f.schema.arg("maxContains").(decimal)
	if count := wholeDecimal(n); count.compare(least) < 0 || ok && count.compare(most) > 0 {
		return why(func() string { return fmt.Sprintf("contains %d items of the kind that the schema counts", n) })
	}
	return nil
}

func holdUnique(f *frame, wanted bool, list []any) error {
	if f.spend(6*len(list), 0); !wanted || *f.work < 0 {
		return nil
	}
	seen := make(map[string]bool, len(list))
	for i, item := range list {
		form := string(f.form(nil, item))
		if seen[form] {
			return fmt.Errorf("item %d is there already", i)
		}
		seen[form] = true
	}
	return nil
}

// find is object.find, paid.
func (f *frame) find(o *object, name string) (int, bool) {
	f.spend(2, len(name))
	return o.find(name)
}

func holdProperties(f *frame, all named, o *object) error {
	for i, name := range all.names {
		if at, ok := f.find(o, name); ok {
			if err := f.each(all.args[i].(*schema), o, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func holdPatterned(f *frame, all []patterned, o *object) error {
	for _, p := range all {
		if *f.work < 0 {
			return errTooMuchWork
		}
		for i, name := range o.names {
			if p.matches(f, name) {
				if err := f.each(p.schema, o, i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func holdNames(f *frame, s *schema, o *object) error {
	for _, name := range o.names {
		if err := f.hold(s, name, nil); err != nil {
			return below("names", below(name, err))
		}
	}
	return nil
}

func holdRequired(f *frame, names []string, o *object) error {
	for _, name := range names {
		if _, ok := f.find(o, name); !ok {
			return why(func() string { return fmt.Sprintf("%q is missing", clip(name)) })
		}
	}
	return nil
}

func holdDependents(f *frame, all named, o *object) error {
	for i, name := range all.names {
		if _, ok := f.find(o, name); !ok {
			continue
		}
		var err error
		switch arg := all.args[i].(type) {
		case []string:
			err = holdRequired(f, arg, o)
		case *schema:
			err = f.hold(arg, o, f.seen)
		}
		if err != nil {
			return below("with", below(name, err))
		}
	}
	return nil
}

func holdAll(f *frame, arg, data any) error {
	for _, s := range arg.([]*schema) {
		if err := f.hold(s, data, f.seen); err != nil {
			return err
		}
	}
	return nil
}

// holders counts the schemas of a list that hold. It tries all, for what they saw, and
// shows what it sees to none.
func (f *frame) holders(arg, data any) (n int, last error) {
	for _, s := range arg.([]*schema) {
		if err := f.hold(s, data, f.seen); err != nil {
			last = err
		} else {
			n++
		}
	}
	return n, last
}

func holdAny(f *frame, arg, data any) error {
	if n, last := f.holders(arg, data); n == 0 {
		return below("none of anyOf holds, the last not for", last)
	}
	return nil
}

func holdOne(f *frame, arg, data any) error {
	switch n, last := f.holders(arg, data); n {
	case 0:
		return below("none of oneOf holds, the last not for", last)
	case 1:
		return nil
	default:
		return why(func() string { return fmt.Sprintf("%d of oneOf hold", n) })
	}
}

var errNot = errors.New("is what the schema says that it is not")

func holdNot(f *frame, arg, data any) error {
	if f.hold(arg.(*schema), data, nil) == nil {
		return errNot
	}
	return nil
}

func holdIf(f *frame, arg, data any) error {
	branch := "else"
	if f.hold(arg.(*schema), data, f.seen) == nil {
		branch = "then"
	}
	if s, ok := f.schema.arg(branch).(*schema); ok {
		return f.hold(s, data, f.seen)
	}
	return nil
}

// An object is one of JSON, its members in the order of their names.
type object struct {
	names  []string
	values []any
}

func (o *object) find(name string) (int, bool) { return slices.BinarySearch(o.names, name) }

// null is that of JSON: nothing that was read is nil.
type null struct{}

func children(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case *object:
		return v.values
	}
	return nil
}

func childName(v any, i int) string {
	if o, ok := v.(*object); ok {
		return o.names[i]
	}
	return strconv.Itoa(i)
}

func kindOf(v any) string {
	switch v.(type) {
	case bool:
		return "boolean"
	case decimal:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case *object:
		return "object"
	}
	return "null"
}

// A why is a complaint in words, which are made when somebody reads them: most are of
// one way among several, and forgotten.
type why func() string

func (w why) Error() string { return w() }

// A complaint is of something below what is complained of.
type complaint struct {
	where string
	what  error
}

func (c *complaint) Error() string { return clip(c.where) + ": " + c.what.Error() }

func below(where string, what error) error { return &complaint{where, what} }

func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// readJSON reads a document that rawjson.Check took.
func readJSON(raw []byte) (any, error) {
	from := json.NewDecoder(bytes.NewReader(raw))
	from.UseNumber()
	var v any
	if err := from.Decode(&v); err != nil {
		return nil, fmt.Errorf("not readable: %w", err)
	}
	return exactly(v)
}

// exactly puts exact numbers and ordered objects in place of what encoding/json gives.
func exactly(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return null{}, nil
	case json.Number:
		n, err := parseDecimal(v.String())
		return n, err
	case []any:
		return readEach(v, strconv.Itoa, exactly)
	case map[string]any:
		o := &object{names: slices.Sorted(maps.Keys(v)), values: make([]any, 0, len(v))}
		for _, name := range o.names {
			value, err := exactly(v[name])
			if err != nil {
				return nil, below(name, err)
			}
			o.values = append(o.values, value)
		}
		return o, nil
	}
	return v, nil
}

// A decimal is a number as it was written: its digits without zeros around them, times
// ten to the exponent. Equal numbers are equal but for text.
type decimal struct {
	text     string
	negative bool
	digits   string // "" is zero
	exponent int
}

// parseDecimal reads a number of JSON.
func parseDecimal(text string) (decimal, error) {
	if len(text) > maxDigits {
		return decimal{}, fmt.Errorf("a number of more than %d characters", maxDigits)
	}
	d := decimal{text: text}
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(text), "e")
	if scaled {
		n, err := strconv.Atoi(exponent)
		if err != nil || max(n, -n) > maxExponent {
			return decimal{}, fmt.Errorf("the number %s has an exponent beyond %d", clip(text), maxExponent)
		}
		d.exponent = n
	}
	mantissa, d.negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	d.digits = strings.TrimRight(digits, "0")
	d.exponent += len(digits) - len(d.digits) - len(fraction)
	if d.digits == "" {
		d.negative, d.exponent = false, 0
	}
	return d, nil
}

func wholeDecimal(n int) decimal {
	d, _ := parseDecimal(strconv.Itoa(n))
	return d
}

func (d decimal) String() string { return clip(d.text) }

func (d decimal) whole() bool { return d.exponent >= 0 }

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) compare(o decimal) int {
	if order := cmp.Compare(d.sign(), o.sign()); order != 0 || d.sign() == 0 {
		return order
	}
	return d.sign() * cmp.Or(cmp.Compare(len(d.digits)+d.exponent, len(o.digits)+o.exponent), strings.Compare(d.digits, o.digits))
}

// multipleOf divides by a number above zero, without ever writing an exponent out: what
// has no zero at its end is no multiple of ten.
func (d decimal) multipleOf(unit decimal) bool {
	scale := d.exponent - unit.exponent
	if scale < 0 || d.sign() == 0 {
		return d.sign() == 0
	}
	n, _ := new(big.Int).SetString(d.digits, 10)
	m, _ := new(big.Int).SetString(unit.digits, 10)
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), m)
	return n.Mul(n, ten).Mod(n, m).Sign() == 0
}
