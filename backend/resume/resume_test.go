package resume

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// refused is the message of a 422 on a field, "" for any other answer.
func refused(err error, field string) string {
	var e *permission.Error
	if errors.As(err, &e) && e.Code == permission.CodeInvalid && e.Field == field {
		return e.Message
	}
	return ""
}

// fault is what is wrong with a schema.
func fault(schema string) error {
	_, err := CheckSchema([]byte(schema))
	return err
}

func TestSchemaKeywordsCountAsTheyAreSpelled(t *testing.T) {
	for schema, key := range map[string]string{
		`{"$Ref":"#"}`:        "$Ref",
		`{"$DynamicRef":"#"}`: "$DynamicRef",
		`{"anyOf":[{"$REF":"#"},{"type":"string"}]}`:                                  "$REF",
		`{"type":"number","Type":"string"}`:                                           "Type",
		`{"required":["a"],"REQUIRED":[]}`:                                            "REQUIRED",
		`{"conſt":1}`:                                                                 "conſt",
		`{"itemſ":{}}`:                                                                "itemſ",
		`{"con\u017ft":1}`:                                                            "conſt",
		`{"items":{"Properties":{}}}`:                                                 "Properties",
		`{"prefixItems":[true,{"TYPE":"null"}]}`:                                      "TYPE",
		`{"properties":{"a":{"If":true}}}`:                                            "If",
		`{"patternProperties":{"a":{"NOT":true}}}`:                                    "NOT",
		`{"additionalProperties":{"Title":""}}`:                                       "Title",
		`{"$ref":"#/$defs/a","$defs":{"a":{"Enum":[1]}}}`:                             "Enum",
		`{"dependentSchemas":{"a":{"Enum":[1]}}}`:                                     "Enum",
		`{"not":{"contains":{"propertyNames":{"Enum":[]}}}}`:                          "Enum",
		`{"if":true,"then":{"Else":{}}}`:                                              "Else",
		`{"unevaluatedItems":{"Enum":[]}}`:                                            "Enum",
		`{"unevaluatedProperties":{"Enum":[]}}`:                                       "Enum",
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"Enum":[]}]}`: "Enum",
		`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":{"Enum":[]}}}`:                 "Enum",
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"additionalItems":{"PrefixItems":0}}`: "PrefixItems",
	} {
		if why := refused(fault(schema), "resumeSchema"); !strings.Contains(why, `"`+key+`" is no keyword`) {
			t.Errorf("%s: %q", schema, why)
		}
	}
}

func TestNamesInASchemaAreFree(t *testing.T) {
	for _, schema := range []string{
		`{"properties":{"Type":{},"$ref":{},"TYPE":{"type":"string"}}}`, `{"patternProperties":{"Type":{}}}`, `{"$defs":{"Type":{}}}`,
		`{"definitions":{"$Ref":{}}}`,
		`{"dependentSchemas":{"Type":{}}}`, `{"dependentRequired":{"Type":["$Ref"]}}`, `{"required":["Type"]}`, `{"const":{"Type":1,"$ref":"#"}}`,
		`{"enum":[{"$Ref":"#"}]}`,
		`{"default":{"Type":1},"examples":[{"$ref":1}]}`, `{"x-form":{"Type":{"$Ref":"#"}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"Type":["Type"]}}`,
	} {
		if err := fault(schema); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
	schema := []byte(`{"properties":{"Type":{"type":"string"},"type":{"type":"number"}}}`)
	if err := CheckData(schema, []byte(`{"Type":"a","type":1}`)); err != nil {
		t.Error(err)
	}
	if CheckData(schema, []byte(`{"Type":1}`)) == nil || CheckData(schema, []byte(`{"type":"a"}`)) == nil {
		t.Error("two members that differ in case are not told apart")
	}
}

func TestReferencesAreFollowed(t *testing.T) {
	for _, tt := range []struct{ schema, good, bad string }{ // data, apart by blanks
		{`{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, `{} {"next":{"next":{}}}`,
			`1 {"next":1} {"next":{"next":{"a":1}}}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"null"}},"maximum":1}`, `null`, `2 1`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","definitions":{"a":{"type":"number"}},"maximum":1}`,
			`2 1`, `null`},
		{`{"items":{"$ref":"#here"},"$defs":{"a":{"$anchor":"here","type":"null"}}}`, `[null]`, `[1]`},
		{`{"items":{"$ref":"other#/items"},"$defs":{"a":{"$id":"other","items":{"type":"null"}}}}`, `[null]`, `[1]`},
		{`{"items":{"$ref":"#/x-mine/a%20b"},"x-mine":{"a b":{"type":"null"}}}`, `[null]`, `[1]`},
		{`{"$dynamicAnchor":"me","items":{"$dynamicRef":"#me"},"type":"array"}`, `[] [[[]]]`, `1 [[1]]`},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"items":{"$recursiveRef":"#"},"type":"array"}`,
			`[] [[[]]]`, `1 [[1]]`},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","items":[{"type":"null"}],"additionalItems":false,"dependentRequired":{"a":["b"]}}`, `[null] [] {"b":1}`, `[1] [null,null] {"a":1}`},
	} {
		for _, data := range strings.Fields(tt.good) {
			if err := CheckData([]byte(tt.schema), []byte(data)); err != nil {
				t.Errorf("%s on %s: %v", tt.schema, data, err)
			}
		}
		for _, data := range strings.Fields(tt.bad) {
			if why := refused(CheckData([]byte(tt.schema), []byte(data)), "resumeData"); !strings.HasPrefix(why, "does not satisfy") {
				t.Errorf("%s on %s: %q", tt.schema, data, why)
			}
		}
	}
}

func TestReferencesStayInTheDocument(t *testing.T) {
	file := "file://" + filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(strings.TrimPrefix(file, "file://"), []byte(`{"type":"null"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{file, "http://127.0.0.1:1/a", "https://json-schema.org/draft/2020-12/schema", "other", "/etc/passwd", "urn:a",
		"http://json-schema.org/draft-07/schema#/definitions/simpleTypes"} {
		for _, around := range []string{`{"$ref":%q}`, `{"items":{"$ref":%q}}`, `{"items":{"$dynamicRef":%q}}`,
			`{"$schema":"https://json-schema.org/draft/2019-09/schema","items":{"$recursiveRef":%q}}`} {
			if why := refused(fault(fmt.Sprintf(around, to)), "resumeSchema"); !strings.Contains(why,
				"is not in the schema, and nothing else is read") {
				t.Errorf(around+": %q", to, why)
			}
		}
	}
}

func TestSchemaThatLeadsToItselfIsRefused(t *testing.T) {
	for _, schema := range []string{`{"$ref":"#"}`, `{"not":{"$ref":"#"}}`, `{"allOf":[{},{"$ref":"#"}]}`,
		`{"anyOf":[{"type":"null"},{"$ref":"#"}]}`, `{"if":{"$ref":"#"}}`, `{"dependentSchemas":{"a":{"$ref":"#"}}}`,
		`{"$dynamicRef":"#"}`, `{"$dynamicAnchor":"a","oneOf":[{"$dynamicRef":"#a"}]}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"#"}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"anyOf":[{"$recursiveRef":"#"}]}`,
		`{"$schema":"http://json-schema.org/draft-07/schema","$ref":"#"}`,
		`{"$schema":"http://json-schema.org/draft-07/schema","dependencies":{"a":{"$ref":"#"}}}`,
		`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`} {
		if why := refused(fault(schema), "resumeSchema"); !strings.Contains(why, "leads to itself") {
			t.Errorf("%s: %q", schema, why)
		}
	}
}

func TestWhatIsNotCheckedIsSaid(t *testing.T) {
	const seven = `"$schema":"http://json-schema.org/draft-07/schema#",`
	for schema, want := range map[string]string{
		`{"pattern":"^(?=.*\\d).{8,}$"}`:                                                             "/pattern",
		`{"properties":{"a b":{"pattern":"(?!x)"}}}`:                                                 "/properties/a b/pattern",
		`{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"pattern":"\\u00e9"},"b":{"pattern":"(?=b)"}}}`: "/$defs/a/pattern",
		`{"patternProperties":{"(?=a)":{"type":"null"},"b":{}}}`:                                     "/patternProperties/(?=a)",
		`{"format":"emoji"}`:                                                          "/format",
		`{"format":"regex"}`:                                                          "/format",
		`{"format":"email","pattern":"a"}`:                                            "",
		`{"contentEncoding":"base64","contentMediaType":"a/b"}`:                       "/contentEncoding /contentMediaType",
		`{` + seven + `"prefixItems":[{"type":"null"}],"items":{}}`:                   "/prefixItems",
		`{` + seven + `"properties":{"a":{"unevaluatedItems":{}}}}`:                   "/properties/a/unevaluatedItems",
		`{` + seven + `"$ref":"#/definitions/a","format":"x","definitions":{"a":{}}}`: "",
		`{"additionalItems":false}`:                                                   "/additionalItems",
		`{"x-form":{"pattern":"(?=a)"},"const":{"pattern":"(?=a)"}}`:                  "",
		`{"title":"a","properties":{"pattern":{"const":"(?=a)"}}}`:                    "",
	} {
		got, err := CheckSchema([]byte(schema))
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q %v", schema, got, err)
		}
	}
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf(`"%02d":{"format":"%s"}`, i, strings.Repeat("x", 300)))
	}
	got, err := CheckSchema([]byte(`{"properties":{` + strings.Join(many, ",") + `}}`))
	if err != nil || len(got) != maxNotChecked+1 || got[0] != "/properties/00/format" || got[maxNotChecked] != "…" {
		t.Errorf("%q %v", got, err)
	}
}

// TestWhatIsNotCheckedRefusesNothing is about data that would do, were the pattern checked.
func TestWhatIsNotCheckedRefusesNothing(t *testing.T) {
	for _, tt := range []struct{ schema, good, bad string }{ // data, apart by blanks
		{`{"type":"string","pattern":"^(?=.*1)"}`, `"a" "1"`, `1`},
		{`{"type":"string","not":{"pattern":"^(?=.*1)"}}`, `"a" "1"`, `1`},
		{`{"oneOf":[{"pattern":"(?=a)"},{"minLength":2}]}`, `"a" "ab"`, ``},
		{`{"patternProperties":{"(?=a)":{"type":"null"}},"additionalProperties":false}`, `{"a":1} {}`, ``},
		{`{"patternProperties":{"(?=a)":{"type":"null"}},"unevaluatedProperties":false,"required":["b"]}`, `{"b":1}`, `{"a":1}`},
		{`{"format":"nobody-knows","maxLength":1}`, `"a"`, `"ab"`},
	} {
		for _, data := range strings.Fields(tt.good) {
			if err := CheckData([]byte(tt.schema), []byte(data)); err != nil {
				t.Errorf("%s on %s: %v", tt.schema, data, err)
			}
		}
		for _, data := range strings.Fields(tt.bad) {
			if CheckData([]byte(tt.schema), []byte(data)) == nil {
				t.Errorf("%s on %s is taken", tt.schema, data)
			}
		}
	}
}

// TestTakesWhatZodWrites is about schemas that zod 4 made of a recursive object, and of one
// of each kind of text, as 2020-12 and as draft-07.
func TestTakesWhatZodWrites(t *testing.T) {
	raw, err := os.ReadFile("testdata/zod-4.json")
	if err != nil {
		t.Fatal(err)
	}
	var schemas []json.RawMessage
	if err := json.Unmarshal(raw, &schemas); err != nil {
		t.Fatal(err)
	}
	const tree, flat = `{"name":"a","children":[{"name":"b","children":[]}]}`,
		`{"mail":"ann@example.org","pw":"123456789","at":"2026-01-31T10:00:00Z","id":"123e4567-e89b-42d3-a456-426614174000",
		"n":9007199254740991,"t":["a",1],"u":{"k":"a","x":19.99},"r":{"a":true},"e":null,"em":"x","b":"aGk=","j":[{"a":[null]}]}`
	for i, schema := range schemas {
		good, from, to, want := tree, `"children":[]`, `"children":[5]`, ""
		if i%2 == 1 {
			good, from, to = flat, "9007199254740991", "9007199254740992"
			want = "/properties/b/contentEncoding /properties/b/format /properties/em/format /properties/em/pattern /properties/pw/pattern"
		}
		if notChecked, err := CheckSchema(schema); err != nil || strings.Join(notChecked, " ") != want {
			t.Errorf("schema %d: %q %v", i, notChecked, err)
		}
		if err := CheckData(schema, []byte(good)); err != nil {
			t.Errorf("schema %d: %v", i, err)
		}
		if refused(CheckData(schema, []byte(strings.Replace(good, from, to, 1))), "resumeData") == "" {
			t.Errorf("schema %d is not held", i)
		}
	}
}

func TestSchemaIsRefusedWhenItSaysNothingThatCanBeJudged(t *testing.T) {
	for _, schema := range []string{
		`5`, `null`, `"a"`, `[]`, `{"type":"text"}`, `{"type":[]}`, `{"type":5}`, `{"type":["string",1]}`, `{"enum":1}`, `{"minimum":"1"}`,
		`{"minimum":null}`,
		`{"multipleOf":0}`, `{"multipleOf":-1}`, `{"minLength":-1}`, `{"minLength":1.5}`, `{"maxItems":"1"}`, `{"pattern":5}`, `{"pattern":"("}`,
		`{"pattern":"a)"}`, `{"pattern":"(?i)a"}`, `{"maxLength":1e400}`, `{"minItems":18446744073709551617}`,
		`{"uniqueItems":1}`, `{"items":[{}]}`, `{"prefixItems":{}}`, `{"prefixItems":[]}`, `{"allOf":[]}`, `{"anyOf":{}}`, `{"oneOf":[1]}`,
		`{"not":1}`, `{"if":null}`, `{"then":[]}`,
		`{"properties":[]}`, `{"properties":{"a":[]}}`, `{"patternProperties":{"(":{}}}`, `{"patternProperties":1}`, `{"required":"a"}`,
		`{"required":[1]}`, `{"dependentRequired":{"a":{}}}`,
		`{"dependentSchemas":{"a":["b"]}}`, `{"$defs":[]}`, `{"const":` + strings.Repeat("1", 200) + `}`, `{"maximum":1e1000000000}`,
		`{"title":"` + strings.Repeat("a", maxSchema) + `"}`,
	} {
		if refused(fault(schema), "resumeSchema") == "" {
			t.Errorf("%.100s is taken", schema)
		}
	}
	for _, schema := range []string{`{`, `{"a":1,"a":1}`, strings.Repeat("[", 1000) + strings.Repeat("]", 1000)} {
		var e *permission.Error
		if !errors.As(fault(schema), &e) || e.Code != permission.CodeMalformed {
			t.Errorf("%.100s is taken", schema)
		}
	}
}

func TestSchemaSaysItsDialect(t *testing.T) {
	// A list of items is draft-07's, prefixItems is that of 2020-12.
	seven, twenty := `"items":[{"type":"string"}]`, `"prefixItems":[{"type":"string"}]`
	for dialect, rules := range map[string]string{
		"http://json-schema.org/draft-07/schema": seven, "http://json-schema.org/draft-07/schema#": seven,
		"https://json-schema.org/draft-07/schema#":     seven,
		"https://json-schema.org/draft/2019-09/schema": seven, "https://json-schema.org/draft/2020-12/schema": twenty,
		"https://json-schema.org/draft/2020-12/schema#": twenty,
	} {
		schema := []byte(`{"$schema":"` + dialect + `",` + rules + `}`)
		if err := CheckData(schema, []byte(`["a"]`)); err != nil {
			t.Errorf("%s: %v", dialect, err)
		}
		if refused(CheckData(schema, []byte(`[1]`)), "resumeData") == "" {
			t.Errorf("%s: its rules do not bind", dialect)
		}
	}
	for _, dialect := range []string{`"https://json-schema.org/draft/2020-12/meta/core"`, `"https://json-schema.org/schema"`,
		`"http://json-schema.org/draft-04/schema#"`, `"http://json-schema.org/draft-07/schema##"`,
		`"ftp://json-schema.org/draft-07/schema"`, `"http://example.org/"`, `""`, `5`, `null`} {
		if why := refused(fault(`{"$schema":`+dialect+`}`), "resumeSchema"); !strings.Contains(why, "$schema") {
			t.Errorf("%s: %q", dialect, why)
		}
	}
	for _, mixed := range []string{`{"not":{"$schema":"http://json-schema.org/draft-07/schema#"}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","not":{"$schema":"https://json-schema.org/draft/2020-12/schema"}}`} {
		if refused(fault(mixed), "resumeSchema") == "" {
			t.Errorf("%s is taken", mixed)
		}
	}
	if err := CheckData([]byte(`{"prefixItems":[{"type":"string"}]}`), []byte(`[1]`)); err == nil {
		t.Error("without $schema it is not 2020-12")
	}
}

func TestNumbersCountExactly(t *testing.T) {
	const big, bigger = "9007199254740992", "9007199254740993" // one double
	for _, tt := range []struct {
		schema, good, bad string // data, apart by blanks
	}{
		{`{"const":` + bigger + `}`, bigger + " 9007199254740993.0 9.007199254740993e15 90071992547409930e-1",
			big + " 9007199254740994 -9007199254740993"},
		{`{"enum":[[` + bigger + `]]}`, `[9007199254740993] [9007199254740993.00]`, `[9007199254740992]`},
		{`{"maximum":` + big + `}`, big + " 1e15 -1e400 0", bigger + " 9007199254740992.0000001 1e400"},
		{`{"minimum":` + bigger + `}`, bigger + " 1e400", big + " -1e400 0"},
		{`{"exclusiveMaximum":` + bigger + `}`, big, bigger},
		{`{"exclusiveMinimum":-` + bigger + `}`, "-" + big, "-" + bigger},
		{`{"minimum":0.1}`, "0.1 0.10 1e-1 0.1000000000000000000001", "0.0999999999999999999999 0 -0.1"},
		{`{"maximum":-0.1}`, "-0.1 -0.11 -1", "-0.09 -0 0 0.1"},
		{`{"const":0}`, "0 -0 0.00 0e5 -0e-5", "1e-999"},
		{`{"type":"integer"}`, "1 1.0 1e400 -0 10e-1 " + bigger + ".0", bigger + ".5 1e-400 0.1 9007199254740992.5"},
		{`{"type":"number"}`, "1e400 1e-400 0.1 -1E+2", `"1" null`},
		{`{"multipleOf":0.01}`, "19.99 0.07 1 0 -0.07 1e400 4.35", "0.075 1e-3 19.999"},
		{`{"multipleOf":3}`, "9007199254740993 3e400 9 0", "9007199254740994 1e400 1.5 1"},
		{`{"multipleOf":2.5e-7}`, "1 5e-7 0.00000025", "1e-7 3e-7"},
		{`{"multipleOf":1e3}`, "1000 1e3 12e3 1e999", "100 1500 1"},
		{`{"uniqueItems":true}`, `[9007199254740992,9007199254740993] [1,"1",[1],true,{"a":1}]`, `[1,1.0] [10,1e1] [0,-0]`},
		{`{"minLength":2.0,"maxLength":1e18}`, `"ab"`, `"a"`},
	} {
		for _, data := range strings.Fields(tt.good) {
			if err := CheckData([]byte(tt.schema), []byte(data)); err != nil {
				t.Errorf("%s on %s: %v", tt.schema, data, err)
			}
		}
		for _, data := range strings.Split(tt.bad, " ") {
			if why := refused(CheckData([]byte(tt.schema), []byte(data)), "resumeData"); !strings.HasPrefix(why, "does not satisfy") {
				t.Errorf("%s on %s: %q", tt.schema, data, why)
			}
		}
	}
	for _, wild := range []string{"1e1000000000", "1e-1000000000", "1e1001", "1e-1001", "1e99999999999999999999", strings.Repeat("1", 129),
		`{"a":[1e1001]}`} {
		if why := refused(CheckData([]byte(`true`), []byte(wild)), "resumeData"); !strings.Contains(why, "number") {
			t.Errorf("%.40s: %q", wild, why)
		}
	}
}

func TestAnswerIsToldWhatIsWrong(t *testing.T) {
	for _, tt := range []struct{ schema, data, want string }{
		{`{"properties":{"a":{"items":{"type":["string","null"]}}}}`, `{"a":["x",5]}`, "a: 1: got number, want null or string"},
		{`{"required":["name"]}`, `{}`, `missing property 'name'`},
		{`{"minimum":5}`, `4`, "minimum: got 4, want 5"},
		{`{"maxItems":1}`, `[1,2]`, "maxItems: got 2, want 1"},
		{`{"uniqueItems":true}`, `[1,2,1.0]`, "items 0 and 2 are equal"},
		{`{"format":"date"}`, `"tomorrow"`, "is not of the format date"},
		{`{"additionalProperties":false}`, `{"b":1,"a":1}`, "additional properties 'a', 'b' not allowed"},
		{`{"anyOf":[{"type":"null"},{"pattern":"^a"}]}`, `"b"`, "none of anyOf holds, the first not for: got string, want null"},
		{`{"propertyNames":{"maxLength":1}}`, `{"abc":1}`, "maxLength: got 3, want 1"},
		{within(`{"items":`, `{"type":"null"}`, `}`, 9), within(`[`, `1`, `]`, 9), "…: 0: 0: 0: 0: got number, want null"},
	} {
		if why := refused(CheckData([]byte(tt.schema), []byte(tt.data)), "resumeData"); why != "does not satisfy the call's schema: "+tt.want {
			t.Errorf("%s on %s: %q", tt.schema, tt.data, why)
		}
	}
}
