package desk

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestJudgesAsTheLibrary holds what is judged here against a library that was written
// by others, on small schemas where the library is right: numbers that a double holds.
func TestJudgesAsTheLibrary(t *testing.T) {
	const dialect = "http://json-schema.org/draft-07/schema#"
	agreed := map[bool]int{}
	for seed := range uint64(1500) {
		g := guesser{rand.New(rand.NewPCG(seed, 9)), seed%3 == 0}
		schema := g.schema(3)
		if o, ok := schema.(map[string]any); ok && g.seven {
			o["$schema"] = dialect
		}
		raw := plain(t, schema)
		theirs := library(t, raw)
		for range 8 {
			data := g.value(3)
			err := checkResume(raw, plain(t, data))
			if bad := theirs.Validate(data); (bad == nil) != (err == nil) {
				t.Fatalf("seed %d: %s on %s: here %v, there %v", seed, raw, plain(t, data), err, bad)
			}
			agreed[err == nil]++
		}
	}
	if agreed[true] < 1500 || agreed[false] < 1500 {
		t.Errorf("the guesses are of one kind: %v", agreed)
	}
}

func plain(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func library(t *testing.T, raw []byte) *jsonschema.Resolved {
	t.Helper()
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return resolved
}

// A guesser makes up schemas, of draft-07 if seven, and data, of few different parts,
// so that they often meet.
type guesser struct {
	*rand.Rand
	seven bool
}

func (g guesser) name() string { return string(rune('a' + g.IntN(4))) }

func (g guesser) names() []any {
	all := []any{}
	for range g.IntN(3) {
		all = append(all, g.name())
	}
	return all
}

func (g guesser) value(depth int) any {
	kinds := 4
	if depth > 0 {
		kinds = 9
	}
	switch k := g.IntN(kinds); k {
	case 0:
		return []any{nil, true, false}[g.IntN(3)]
	case 1, 2:
		return []float64{-1, 0, 0.5, 1, 2, 3, 4}[g.IntN(7)]
	case 3:
		return []string{"", "a", "b", "ab", "日本", "aaa"}[g.IntN(6)]
	case 4, 5:
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(depth-1))
		}
		return list
	default:
		o := map[string]any{}
		for range g.IntN(4) {
			o[g.name()] = g.value(depth - 1)
		}
		return o
	}
}

func (g guesser) schemas(depth int) []any {
	list := []any{}
	for range 1 + g.IntN(3) {
		list = append(list, g.schema(depth))
	}
	return list
}

func (g guesser) named(make func() any) map[string]any {
	o := map[string]any{}
	for range 1 + g.IntN(2) {
		o[g.name()] = make()
	}
	return o
}

func (g guesser) schema(depth int) any {
	if depth < 0 || g.IntN(12) == 0 {
		return g.IntN(4) > 0
	}
	o := map[string]any{}
	for range 1 + g.IntN(3) {
		common := g.common(depth - 1)
		if g.seven {
			g.older(o, depth-1, common)
		} else {
			g.newer(o, depth-1, common)
		}
	}
	return o
}

// guessed is a keyword that both dialects have, with what it says.
type guessed struct {
	name string
	arg  any
}

func (g guesser) common(depth int) guessed {
	types := []any{"array", "boolean", "integer", "null", "number", "object", "string"}
	g.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
	sub := func() any { return g.schema(depth) }
	small := float64(g.IntN(4))
	all := []func() guessed{
		func() guessed { return guessed{"type", types[:1+g.IntN(4)]} },
		func() guessed { return guessed{"type", types[0]} },
		func() guessed { return guessed{"enum", []any{g.value(1), g.value(0), g.value(0)}} },
		func() guessed { return guessed{"const", g.value(0)} },
		func() guessed { return guessed{"multipleOf", []float64{0.5, 1, 2}[g.IntN(3)]} },
		func() guessed { return guessed{"pattern", []string{"a", "^a$", "b+", ""}[g.IntN(4)]} },
		func() guessed { return guessed{"uniqueItems", g.IntN(4) > 0} },
		func() guessed { return guessed{"contains", sub()} },
		func() guessed { return guessed{"properties", g.named(sub)} },
		func() guessed { return guessed{"patternProperties", g.named(sub)} },
		func() guessed { return guessed{"additionalProperties", sub()} },
		func() guessed { return guessed{"propertyNames", sub()} },
		func() guessed { return guessed{"required", g.names()} },
		func() guessed { return guessed{[]string{"allOf", "anyOf", "oneOf"}[g.IntN(3)], g.schemas(depth)} },
		func() guessed { return guessed{"not", sub()} },
		func() guessed { return guessed{[]string{"if", "then", "else"}[g.IntN(3)], sub()} },
		func() guessed {
			bounds := []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
			return guessed{bounds[g.IntN(len(bounds))], small}
		},
	}
	return all[g.IntN(len(all))]()
}

func (g guesser) older(o map[string]any, depth int, common guessed) {
	switch g.IntN(7) {
	case 0:
		o["items"] = g.schema(depth)
	case 1:
		o["items"] = g.schemas(depth)
	case 2:
		o["additionalItems"] = g.schema(depth)
	case 3:
		o["dependencies"] = map[string]any{g.name(): g.names(), "e": g.schema(depth), "a": g.schema(depth)}
	default:
		o[common.name] = common.arg
	}
}

func (g guesser) newer(o map[string]any, depth int, common guessed) {
	switch g.IntN(14) {
	case 0:
		o["items"] = g.schema(depth)
	case 1:
		o["prefixItems"] = g.schemas(depth)
	case 2:
		o["dependentRequired"] = g.named(func() any { return g.names() })
	case 3:
		o["dependentSchemas"] = g.named(func() any { return g.schema(depth) })
	case 4:
		o["unevaluatedItems"] = g.schema(depth)
	case 5:
		o["unevaluatedProperties"] = g.schema(depth)
	case 6:
		o["contains"], o["minContains"], o["maxContains"] = g.schema(depth), g.IntN(3), g.IntN(3)
	default:
		o[common.name] = common.arg
	}
}
