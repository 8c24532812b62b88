package resume

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"sekisho/backend/permission"
)

// An extent is how large a document is.
type extent struct {
	depth, values int
	schemas       int      // objects and booleans
	ids           int      // members named $id
	number        int      // digits of the longest number, written out
	oddRefs       []string // references to where no schema is expected
}

// readJSON reads a document that rawjson.Check took, its numbers as they are written.
func readJSON(raw []byte) (any, extent, error) {
	from := json.NewDecoder(bytes.NewReader(raw))
	from.UseNumber()
	var v any
	if err := from.Decode(&v); err != nil {
		return nil, extent{}, fmt.Errorf("not readable: %w", err)
	}
	var e extent
	err := e.add(v, 1)
	return v, e, err
}

func (e *extent) add(v any, depth int) error {
	e.values++
	e.depth = max(e.depth, depth)
	switch v := v.(type) {
	case bool:
		e.schemas++
	case json.Number:
		return e.addNumber(v.String())
	case []any:
		for _, item := range v {
			if err := e.add(item, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		e.schemas++
		for name, item := range v {
			if ref, ok := item.(string); ok && strings.HasSuffix(strings.ToLower(name), "ref") && isOdd(ref) {
				e.oddRefs = append(e.oddRefs, ref)
			}
			if name == "$id" {
				e.ids++
			}
			if err := e.add(item, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// addNumber bounds what it takes to write a number out.
func (e *extent) addNumber(text string) error {
	if len(text) > maxDigits {
		return fmt.Errorf("a number of more than %d characters", maxDigits)
	}
	size := len(text)
	if _, exponent, scaled := strings.Cut(strings.ToLower(text), "e"); scaled {
		n, err := strconv.Atoi(exponent)
		if err != nil || max(n, -n) > maxExponent {
			return fmt.Errorf("the number %s has an exponent beyond %d", permission.Short(text, maxName), maxExponent)
		}
		size += max(n, -n)
	}
	e.number = max(e.number, size)
	return nil
}

// bearable refuses a schema that takes too much to compile.
func (e *extent) bearable() error {
	switch {
	case e.schemas > maxSchemas:
		return fmt.Errorf("more than %d schemas in one", maxSchemas)
	case e.values > maxValues:
		return fmt.Errorf("more than %d values in one", maxValues)
	case e.ids > maxIDs:
		return fmt.Errorf("more than %d with an $id in one", maxIDs)
	case len(slices.Compact(slices.Sorted(slices.Values(e.oddRefs)))) > maxOddRefs:
		return fmt.Errorf("more than %d references to what is not under $defs or another keyword of schemas", maxOddRefs)
	}
	return nil
}

// holders are the keywords under which schemas are: 0 one, 1 a list or members of them.
var holders = map[string]int{
	"$defs": 1, "definitions": 1, "properties": 1, "patternProperties": 1, "dependentSchemas": 1, "dependencies": 1, "allOf": 1, "anyOf": 1,
	"oneOf": 1, "prefixItems": 1,
	"items": 0, "additionalItems": 0, "contains": 0, "additionalProperties": 0, "propertyNames": 0, "not": 0, "if": 0, "then": 0, "else": 0,
	"unevaluatedItems": 0, "unevaluatedProperties": 0,
}

// isOdd reports whether a reference leads to where no schema is expected.
func isOdd(ref string) bool {
	_, pointer, _ := strings.Cut(ref, "#")
	steps := strings.Split(pointer, "/")
	if steps[0] != "" {
		return false // it is a name
	}
	for steps = steps[1:]; len(steps) > 0; {
		more, known := holders[steps[0]]
		if steps[0] == "items" && len(steps) > 1 && strings.Trim(steps[1], "0123456789") == "" {
			more = 1
		}
		if !known || len(steps) <= more {
			return true
		}
		steps = steps[1+more:]
	}
	return false
}

// violated is the first of what a value violates.
func violated(v *jsonschema.ValidationError) string {
	way := ""
	for len(v.Causes) > 0 {
		switch k := v.ErrorKind.(type) {
		case *kind.AnyOf:
			way = "none of anyOf holds, the first not for: "
		case *kind.OneOf:
			if k.Subschemas == nil {
				way = "none of oneOf holds, the first not for: "
			}
		}
		v = slices.MinFunc(v.Causes, func(a, b *jsonschema.ValidationError) int {
			return slices.Compare(a.InstanceLocation, b.InstanceLocation)
		})
	}
	where, names := "", v.InstanceLocation
	if len(names) > maxNames {
		where, names = "…: ", names[len(names)-maxNames:]
	}
	for _, name := range names {
		where += permission.Short(name, maxName) + ": "
	}
	what := ""
	switch k := v.ErrorKind.(type) {
	case *kind.Format:
		what = k.Err.Error()
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
	}
	if what == "" {
		what = v.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	}
	return permission.Short(where+way+what, maxWords)
}
