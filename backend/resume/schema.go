package resume

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sekisho/backend/permission"
)

// home is where a schema is to its references; nothing is ever read from there.
const home = "https://sekisho.invalid/resumeSchema"

// A form is a schema that data can be held against once, with the work that may be spent
// on that.
type form struct {
	root       *jsonschema.Schema
	parts      map[*jsonschema.Schema]*part
	patterns   map[string]*matcher
	sizes      patternSizes
	notChecked []string
	work
}

// newForm compiles a schema. It reads nothing but the document: a reference that leaves it
// is an error.
func newForm(doc any, w work) (*form, error) {
	if o, ok := doc.(map[string]any); ok {
		if said, ok := o["$schema"].(string); ok && draftOf(said) == 0 {
			return nil, errDialect
		}
	}
	f := &form{parts: map[*jsonschema.Schema]*part{}, patterns: map[string]*matcher{}, work: w}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nil)
	c.UseRegexpEngine(f.pattern)
	c.AssertFormat()
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: home, Compile: f.meet})
	c.AssertVocabs() // for meet to see each schema, whatever its draft
	if err := c.AddResource(home, doc); err != nil {
		return nil, err
	}
	var err error
	if f.root, err = c.Compile(home); err != nil {
		return nil, schemaFault(err)
	}
	if err := f.weigh(); err != nil {
		return nil, err
	}
	slices.Sort(f.notChecked)
	if len(f.notChecked) > maxNotChecked {
		f.notChecked = append(f.notChecked[:maxNotChecked], "…")
	}
	return f, nil
}

// schemaFault says in words what is wrong with a schema.
func schemaFault(err error) error {
	var away *jsonschema.LoadURLError
	var invalid *jsonschema.SchemaValidationError
	var violation *jsonschema.ValidationError
	switch {
	case errors.As(err, &away):
		return errAway(away.URL)
	case errors.As(err, &invalid) && errors.As(invalid.Err, &violation):
		return errors.New(violated(violation))
	}
	return errors.New(permission.Short(strings.ReplaceAll(err.Error(), home, ""), maxWords))
}

func errAway(to string) error {
	return fmt.Errorf("%s is not in the schema, and nothing else is read", permission.Short(to, maxName))
}

var errDialect = errors.New(
	"$schema: draft-07, 2019-09 and 2020-12 are understood, each for a whole schema or one with an $id, and no other")

// draftOf is what the library calls a draft that is understood; 0 is none.
func draftOf(uri string) int {
	switch _, name, _ := strings.Cut(strings.TrimSuffix(uri, "#"), "://"); {
	case !strings.HasPrefix(uri, "http://") && !strings.HasPrefix(uri, "https://"):
		return 0
	case name == "json-schema.org/draft-07/schema":
		return 7
	case name == "json-schema.org/draft/2019-09/schema":
		return 2019
	case name == "json-schema.org/draft/2020-12/schema":
		return 2020
	}
	return 0
}

// keywords are those that are refused when they are spelled in another case: the person who
// answers might take them for what they look like.
var keywords = strings.Fields(`$ref $dynamicRef $recursiveRef $id $schema $anchor $dynamicAnchor $recursiveAnchor $defs definitions
	type enum const multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern format
	prefixItems items additionalItems contains minContains maxContains minItems maxItems uniqueItems unevaluatedItems
	properties patternProperties additionalProperties propertyNames minProperties maxProperties required unevaluatedProperties
	dependentRequired dependentSchemas dependencies allOf anyOf oneOf not if then else title description default`)

// counts are the keywords that count something.
var counts = []string{"minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties"}

// drafts are the first and the last draft of keywords that not all have.
var drafts = map[string][2]int{
	"prefixItems": {2020, 2020}, "$dynamicRef": {2020, 2020}, "$recursiveRef": {2019, 2019}, "additionalItems": {7, 2019},
	"dependentRequired": {2019, 2020}, "dependentSchemas": {2019, 2020}, "minContains": {2019, 2020}, "maxContains": {2019, 2020},
	"unevaluatedItems": {2019, 2020}, "unevaluatedProperties": {2019, 2020},
	"contentEncoding": {}, "contentMediaType": {}, "contentSchema": {}, // the library judges them, but not what it costs
}

// meet sees each object of a document that is used as a schema, when it is compiled.
func (f *form) meet(ctx *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
	s := ctx.Enqueue(nil) // it is there already
	at, ours := strings.CutPrefix(s.Location, home+"#")
	if !ours {
		return nil, errAway(s.Location)
	}
	if said, ok := obj["$schema"].(string); s.DraftVersion < 7 || ok && draftOf(said) != s.DraftVersion {
		return nil, errDialect
	}
	if err := spelled(obj); err != nil {
		return nil, err
	}
	f.parts[s] = f.partOf(s, obj)
	s.UniqueItems = false // see form.enter
	if s.DraftVersion >= 2019 || s.Ref == nil {
		f.note(s, obj, at)
	}
	f.guard(s)
	return nil, nil
}

// spelled refuses a key that is a keyword but for its case, and a count that the library
// would cut to what an int holds.
func spelled(obj map[string]any) error {
	for name := range obj {
		same := func(k string) bool { return strings.EqualFold(k, name) }
		if i := slices.IndexFunc(keywords, same); i >= 0 && keywords[i] != name {
			return fmt.Errorf("%q is no keyword: it is spelled %s", name, keywords[i])
		}
	}
	for _, name := range counts {
		given, _ := obj[name].(json.Number)
		if n, ok := new(big.Rat).SetString(given.String()); ok && !n.Num().IsInt64() {
			return fmt.Errorf("%s: %s is too large", name, permission.Short(given.String(), maxName))
		}
	}
	return nil
}

// anything is the schema that all satisfy.
var anything = func() *jsonschema.Schema { yes := true; return &jsonschema.Schema{Bool: &yes} }()

// note lists what of a schema is not checked, and takes it out.
func (f *form) note(s *jsonschema.Schema, obj map[string]any, at string) {
	base, _ := url.PathUnescape(at) // the library has escaped it
	skip := func(keyword ...string) {
		f.notChecked = append(f.notChecked, permission.Short(base+"/"+strings.Join(keyword, "/"), maxPointer))
	}
	for name, of := range drafts {
		if _, ok := obj[name]; ok && (s.DraftVersion < of[0] || s.DraftVersion > of[1]) {
			skip(name)
		}
	}
	if _, ok := obj["format"]; ok && (s.Format == nil || s.Format.Name == "regex") {
		s.Format = nil
		skip("format")
	}
	if m, ok := s.Pattern.(*matcher); ok && m.Regexp == nil {
		skip("pattern")
	}
	for re := range s.PatternProperties {
		if re.(*matcher).Regexp == nil {
			s.PatternProperties[re] = anything // and of no member it is said that nothing speaks of it
			skip("patternProperties", re.String())
		}
	}
}
