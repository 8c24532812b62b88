package resume

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/cputime"
)

func times(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

func within(open, in, shut string, n int) string {
	return strings.Repeat(open, n) + in + strings.Repeat(shut, n)
}

// counting is a list of the numbers below n.
func counting(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa(i) + ",")
	}
	return "[" + strings.TrimSuffix(b.String(), ",") + "]"
}

// patterns is n schemas with another pattern each.
func patterns(n int) string {
	all := ""
	for i := range n {
		all += fmt.Sprintf(`{"pattern":"a%d"},`, i)
	}
	return strings.TrimSuffix(all, ",")
}

// chained is a schema that leads through n others, which each, as link says, lead to the next.
func chained(n int, link string) string {
	defs := ""
	for i := range n {
		defs += fmt.Sprintf(`"d%d":%s,`, i, strings.ReplaceAll(link, "%", fmt.Sprintf("#/$defs/d%d", i+1)))
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s"d%d":{"not":false}}}`, defs, n)
}

func referring(n int) string { return chained(n, `{"$ref":"%"}`) }

func doubling(n int) string { return chained(n, `{"allOf":[{"$ref":"%"},{"$ref":"%"}]}`) }

// strange refers to n schemas that are where no draft has any.
func strange(n int) string {
	var there, all []string
	for i := range n {
		there, all = append(there, fmt.Sprintf(`"%d":{"type":"null"}`, i)), append(all, fmt.Sprintf(`{"$ref":"#/x/%d"}`, i))
	}
	return `{"x":{` + strings.Join(there, ",") + `},"allOf":[` + strings.Join(all, ",") + `]}`
}

// alike is a list of different items that are the same to a hash which does not say where a
// text ends, and which the library has.
func alike() string {
	var all []string
	for i := range 2000 {
		parts := []string{"a"}
		for bit := range 12 {
			if i>>bit&1 == 0 {
				parts[len(parts)-1] += `\u0004a`
			} else {
				parts = append(parts, "a")
			}
		}
		all = append(all, `["`+strings.Join(parts, `","`)+`"]`)
	}
	return "[" + strings.Join(all, ",") + "," + strings.Join(all[:1], ",") + "]"
}

// members is n schemas of properties, each with an $id.
func members(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"%d":{"$id":"a%d"}`, i, i))
	}
	return strings.Join(all, ",")
}

func TestSchemasAreBounded(t *testing.T) {
	for name, tt := range map[string]struct{ good, bad string }{
		"schemas":         {`{"allOf":[` + times(`{}`, maxSchemas-1) + `]}`, `{"allOf":[` + times(`{}`, maxSchemas) + `]}`},
		"ids":             {`{"properties":{` + members(maxIDs) + `}}`, `{"properties":{` + members(maxIDs+1) + `}}`},
		"values":          {`{"enum":` + counting(maxValues-2) + `}`, `{"enum":` + counting(maxValues) + `}`},
		"a chain":         {within(`{"not":`, `{"type":"null"}`, `}`, maxChain-1), within(`{"not":`, `{"type":"null"}`, `}`, maxChain)},
		"a long chain":    {referring(maxChain - 2), referring(900)},
		"doubled":         {doubling(20), doubling(60)},
		"odd references":  {strange(maxOddRefs), strange(maxOddRefs + 1)},
		"schemas in defs": {`{"$defs":{"a":{"items":{}}}}`, `{"$defs":{"a":{"anyOf":[` + times(`true`, maxSchemas) + `]}}}`},
		"patterns": {`{"allOf":[` + patterns(maxPatterns) + `]}`, `{"patternProperties":{"b":{}},"allOf":[` + patterns(maxPatterns) +
			`]}`},
		"pattern text": {`{"pattern":"` + strings.Repeat("a", maxPatternText) + `"}`, `{"pattern":"` + strings.Repeat("a", maxPatternText+1) +
			`"}`},
		"text of names": {`{"patternProperties":{"` + strings.Repeat("a", maxPatternText) + `":{}}}`,
			`{"patternProperties":{"` + strings.Repeat("a", maxPatternText) + `":{},"b":{}}}`},
		"instructions":    {`{"pattern":"^.{1,1000}$"}`, `{"pattern":"` + strings.Repeat(`(a?b?){1000}`, 40) + `"}`},
		"tables":          {`{"pattern":"^[\\p{L}\\p{N} '-]{1,100}$"}`, `{"pattern":"(\\pL{9}){99}0"}`},
		"tables together": {`{"pattern":"\\pL\\PL"}`, `{"pattern":"[` + strings.Repeat(`\\pL`, 400) + `]"}`},
		"flags":           {`{"pattern":"(?:a)(?P<n>b)(?<m>c)\\(?i\\)?"}`, `{"pattern":"\\\\(?i)a"}`},
		"flags in groups": {`{"pattern":"(a)?i"}`, `{"pattern":"(?i:[A-\ud83a\udd00])"}`},
		"flags of names":  {`{"patternProperties":{"(?s)[(?i]":{}}}`, `{"patternProperties":{"(?s-i)a":{}}}`},
	} {
		if err := fault(tt.good); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if refused(fault(tt.bad), "resumeSchema") == "" {
			t.Errorf("%s is not bounded", name)
		}
	}
}

// TestJudgingIsBounded holds against each schema data that would cost more than the
// desk spends: it says so, instead of an answer that it has not found.
func TestJudgingIsBounded(t *testing.T) {
	zeros, text := "["+times("0", 100_000)+"]", `"`+strings.Repeat("a", 200_000)+`"`
	for name, tt := range map[string]struct{ schema, data string }{
		"many schemas on many items": {`{"allOf":[` + times(`{"items":{"minimum":0}}`, 400) + `]}`, zeros},
		"what is not":                {`{"not":{"allOf":[` + times(`{"items":{"minimum":0}}`, 400) + `]}}`, zeros},
		"some of many":               {`{"anyOf":[` + times(`{"contains":{"type":"string"}}`, 400) + `]}`, zeros},
		"one of many":                {`{"oneOf":[` + times(`{"items":{"type":"number"}}`, 400) + `]}`, zeros},
		"nothing at least":           {`{"anyOf":[` + times(`{"contains":{"minimum":1},"minContains":0}`, 400) + `]}`, zeros},
		"unique, often":              {`{"allOf":[` + times(`{"uniqueItems":true}`, 4) + `]}`, counting(30_000)},
		"unique, deep":               {within(`{"uniqueItems":true,"items":`, `true`, `}`, 100), within(`[`, counting(30_000), `]`, 100)},
		"unique, long":               {`{"allOf":[` + times(`{"uniqueItems":true}`, 450) + `]}`, "[" + text + ",1]"},
		"equal, often":               {`{"items":{"anyOf":[` + times(`{"const":1}`, 900) + `]}}`, zeros},
		"unevaluated":                {within(`{"allOf":[{"items":true},`, `true`, `],"unevaluatedItems":true}`, 55), zeros},
		"length, often":              {`{"allOf":[` + times(`{"minLength":1}`, 900) + `]}`, text},
		"names": {`{"allOf":[` + times(`{"propertyNames":{"minLength":1}}`, 400) + `]}`,
			`{` + strings.ReplaceAll(times(`"x":0`, 1), "x", strings.Repeat("x", 200_000)) + `}`},
		"required": {`{"items":{"required":` + strings.NewReplacer("[", `["`, ",", `","`, "]", `"]`).Replace(counting(4500)) +
			`}}`, "[" + times(`{"a":0}`, 10_000) + "]"},
		"marks of items":              {`{"allOf":[` + times(`{"minItems":1}`, 400) + `]}`, zeros},
		"multiples":                   {`{"items":{"multipleOf":7}}`, zeros},
		"a slow pattern":              {`{"pattern":"(.*a){800}b$"}`, text},
		"a slow pattern that matches": {`{"not":{"pattern":"(.*a){800}b$"}}`, text},
		"patterns of names":           {`{"patternProperties":{"(a?){900}b$":false},"additionalProperties":{}}`, `{` + text + `:0}`},
		"doubled references":          {doubling(28), `1`},
		"doubled in draft-07": {strings.Replace(strings.ReplaceAll(doubling(28), "$defs", "definitions"), "{",
			`{"$schema":"http://json-schema.org/draft-07/schema#",`, 1), `1`},
		"two ways at each depth": {`{"minItems":1,"items":{"anyOf":[{"$ref":"#"},{"$ref":"#/$defs/a"}]},"$defs":{"a":{"minItems":1,"items":{"anyOf":[{"$ref":"#"},{"$ref":"#/$defs/a"}]}}}}`, within(`[`, ``, `]`, 120)},
		"large numbers":          {`{"items":{"multipleOf":3e-999}}`, "[" + times("7e999", 40_000) + "]"},
		"texts of a format":      {`{"allOf":[` + times(`{"format":"uri"}`, 900) + `]}`, text},
		"dependents": {`{"dependentSchemas":{"a":` +
			within(`{"allOf":[`, `{"properties":{"b":{"allOf":[`+times(`{"items":{"type":"number"}}`, 400)+`]}}}`, `]}`, 9) + `}}`,
			`{"a":0,"b":` + zeros + `}`},
	} {
		before := allocated()
		if why := refused(CheckData([]byte(tt.schema), []byte(tt.data)), "resumeData"); !strings.Contains(why, errTooMuchWork.Error()) {
			t.Errorf("%s: %q", name, why)
		}
		if spent := allocated() - before; spent > 80<<20 {
			t.Errorf("%s took %d MiB", name, spent>>20)
		}
	}
}

func TestUsualDataIsJudged(t *testing.T) {
	row := `{"name":"Ann Other","mail":"ann@example.org","age":44,"tags":["a","b"],"at":"2026-01-31"}`
	form := `{"type":"array","uniqueItems":true,"items":{"type":"object","additionalProperties":false,"required":["name","age"],"properties":{
		"name":{"type":"string","pattern":"^[\\p{L} '-]{1,100}$"},"mail":{"type":"string","pattern":"^[^@ ]+@[^@ ]+$","maxLength":200},"age":{"type":"integer","minimum":0},
		"tags":{"type":"array","items":{"enum":["a","b","c"]},"uniqueItems":true},"at":{"anyOf":[{"type":"null"},{"pattern":"^\\d{4}-\\d\\d-\\d\\d$"}]},"n":{"type":"integer"}}}}`
	var rows []string
	for i := range 500 {
		rows = append(rows, strings.TrimSuffix(row, "}")+`,"n":`+strconv.Itoa(i)+`}`)
	}
	for _, tt := range []struct{ schema, data string }{
		{form, "[" + strings.Join(rows, ",") + "]"}, {`{"uniqueItems":true}`, counting(40_000)},
		{`{"pattern":"^.{1,1000}$"}`, `"` + strings.Repeat("é", 1000) + `"`},
		{`{"items":{"type":"integer"}}`, "[" + times("0", 100_000) + "]"}, {`{"contains":{"const":99}}`, counting(20_000)},
		{`{"type":"string","maxLength":250000}`, `"` + strings.Repeat("a", 250_000) + `"`},
	} {
		if err := CheckData([]byte(tt.schema), []byte(tt.data)); err != nil {
			t.Errorf("%.60s: %v", tt.schema, err)
		}
	}
	if why := refused(CheckData([]byte(`true`), []byte(`"`+strings.Repeat("a", maxHeldData)+`"`)), "resumeData"); !strings.Contains(why,
		"longer than") {
		t.Errorf("data without bound: %q", why)
	}
	if err := CheckData(nil, []byte(`"`+strings.Repeat("a", maxHeldData)+`"`)); err != nil {
		t.Errorf("data that nothing is asked of: %v", err)
	}
}

func TestItemsThatHashAlikeAreTold(t *testing.T) {
	start := cputime.Now()
	why := refused(CheckData([]byte(`{"uniqueItems":true}`), []byte(alike())), "resumeData")
	if took := cputime.Since(start); !strings.HasSuffix(why, "items 0 and 2000 are equal") || took > 2*time.Second {
		t.Errorf("%q after %v", why, took)
	}
}

// TestManyAsksAtOnceTakeLittle is about the most that schemas can make of patterns.
func TestManyAsksAtOnceTakeLittle(t *testing.T) {
	for _, schema := range []string{
		`{"allOf":[` + times(`{"pattern":"(\\pL{9}){99}0"}`, 1900) + `]}`, `{"allOf":[` + times(`{"pattern":"\\pL{2}"}`, 64) + `]}`,
		`{"pattern":"^` + strings.Repeat(`.{0,1000}`, 20) + `$"}`, `{"pattern":"` + strings.Repeat(`(a?b?c?){500}`, 20) + `"}`,
		`{"pattern":"^\\pL{200}$"}`,
		`{"allOf":[` + times("1", maxValues-100) + `]}`, within(`{"not":`, `{"required":[`+times("1", maxValues-500)+`]}`, `}`, 120),
		doubling(30), strange(maxOddRefs),
		`{"allOf":[` + times(`{"$ref":"#/$defs/a"}`, 900) + `],"$defs":{"a":{}}}`, `{"properties":{` + members(maxIDs) + `}}`,
	} {
		before := allocated()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { _ = fault(schema) })
		}
		all.Wait()
		if each := (allocated() - before) / 8; each > 40<<20 {
			t.Errorf("%.60s took %d MiB", schema, each>>20)
		}
	}
}

// allocated is all that was ever allocated, in bytes.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
