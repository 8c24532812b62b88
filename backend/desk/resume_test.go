package desk

import (
	"errors"
	"fmt"
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
		`{"$defs":{"a":{"Enum":[1]}}}`:                                                "Enum",
		`{"definitions":{"a":{"Enum":[1]}}}`:                                          "Enum",
		`{"dependentSchemas":{"a":{"Enum":[1]}}}`:                                     "Enum",
		`{"not":{"contains":{"propertyNames":{"Enum":[]}}}}`:                          "Enum",
		`{"if":true,"then":{"Else":{}}}`:                                              "Else",
		`{"unevaluatedItems":{"Enum":[]}}`:                                            "Enum",
		`{"unevaluatedProperties":{"Enum":[]}}`:                                       "Enum",
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"Enum":[]}]}`: "Enum",
		`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":{"Enum":[]}}}`:    "Enum",
		`{"$schema":"http://json-schema.org/draft-07/schema#","additionalItems":{"PrefixItems":0}}`: "PrefixItems",
	} {
		if why := refused(checkSchema([]byte(schema)), "resumeSchema"); !strings.Contains(why, `"`+key+`" is no keyword`) {
			t.Errorf("%s: %q", schema, why)
		}
	}
}

func TestNamesInASchemaAreFree(t *testing.T) {
	for _, schema := range []string{
		`{"properties":{"Type":{},"$ref":{},"TYPE":{"type":"string"}}}`, `{"patternProperties":{"Type":{}}}`, `{"$defs":{"Type":{}}}`, `{"definitions":{"$Ref":{}}}`,
		`{"dependentSchemas":{"Type":{}}}`, `{"dependentRequired":{"Type":["$Ref"]}}`, `{"required":["Type"]}`, `{"const":{"Type":1,"$ref":"#"}}`, `{"enum":[{"$Ref":"#"}]}`,
		`{"default":{"Type":1},"examples":[{"$ref":1}]}`, `{"x-form":{"Type":{"$Ref":"#"}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"Type":["Type"]}}`,
	} {
		if err := checkSchema([]byte(schema)); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
	schema := []byte(`{"properties":{"Type":{"type":"string"},"type":{"type":"number"}}}`)
	if err := checkResume(schema, []byte(`{"Type":"a","type":1}`)); err != nil {
		t.Error(err)
	}
	if checkResume(schema, []byte(`{"Type":1}`)) == nil || checkResume(schema, []byte(`{"type":"a"}`)) == nil {
		t.Error("two members that differ in case are not told apart")
	}
}

func TestSchemaHasNoReferences(t *testing.T) {
	for _, ref := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		for _, around := range []string{"%s", `{"not":%s}`, `{"allOf":[{},%s]}`, `{"properties":{"a":%s}}`, `{"$defs":{"a":%s}}`, `{"then":%s}`, `{"dependentSchemas":{"a":%s}}`,
			`{"$schema":"http://json-schema.org/draft-07/schema","items":[%s]}`} {
			schema := fmt.Sprintf(around, `{"`+ref+`":"#"}`)
			if why := refused(checkSchema([]byte(schema)), "resumeSchema"); !strings.Contains(why, ref) || !strings.Contains(why, "not supported") {
				t.Errorf("%s: %q", schema, why)
			}
		}
	}
}

func TestSchemaIsRefusedWhenItSaysNothingThatCanBeJudged(t *testing.T) {
	for _, schema := range []string{
		`5`, `null`, `"a"`, `[]`, `{"type":"text"}`, `{"type":[]}`, `{"type":5}`, `{"type":["string",1]}`, `{"enum":1}`, `{"enum":[]}`, `{"minimum":"1"}`, `{"minimum":null}`,
		`{"multipleOf":0}`, `{"multipleOf":-1}`, `{"minLength":-1}`, `{"minLength":1.5}`, `{"maxItems":"1"}`, `{"pattern":5}`, `{"pattern":"("}`, `{"pattern":"(?=a)"}`,
		`{"uniqueItems":1}`, `{"items":[{}]}`, `{"prefixItems":{}}`, `{"prefixItems":[]}`, `{"allOf":[]}`, `{"anyOf":{}}`, `{"oneOf":[1]}`, `{"not":1}`, `{"if":null}`, `{"then":[]}`,
		`{"properties":[]}`, `{"properties":{"a":[]}}`, `{"patternProperties":{"(":{}}}`, `{"patternProperties":1}`, `{"required":"a"}`, `{"required":[1]}`, `{"dependentRequired":{"a":{}}}`,
		`{"dependentSchemas":{"a":["b"]}}`, `{"$defs":[]}`, `{"const":` + strings.Repeat("1", 200) + `}`, `{"maximum":1e1000000000}`,
		`{"title":"` + strings.Repeat("a", maxSchema) + `"}`,
	} {
		if refused(checkSchema([]byte(schema)), "resumeSchema") == "" {
			t.Errorf("%.100s is taken", schema)
		}
	}
	for _, schema := range []string{`{`, `{"a":1,"a":1}`, strings.Repeat("[", 1000) + strings.Repeat("]", 1000)} {
		var e *permission.Error
		if !errors.As(checkSchema([]byte(schema)), &e) || e.Code != permission.CodeMalformed {
			t.Errorf("%.100s is taken", schema)
		}
	}
}

func TestSchemaSaysItsDialect(t *testing.T) {
	// A list of items is draft-07's, prefixItems is that of 2020-12.
	seven, twenty := `"items":[{"type":"string"}]`, `"prefixItems":[{"type":"string"}]`
	for dialect, rules := range map[string]string{
		"http://json-schema.org/draft-07/schema": seven, "http://json-schema.org/draft-07/schema#": seven, "https://json-schema.org/draft-07/schema#": seven,
		"https://json-schema.org/draft/2020-12/schema": twenty, "https://json-schema.org/draft/2020-12/schema#": twenty,
	} {
		schema := []byte(`{"$schema":"` + dialect + `",` + rules + `}`)
		if err := checkResume(schema, []byte(`["a"]`)); err != nil {
			t.Errorf("%s: %v", dialect, err)
		}
		if refused(checkResume(schema, []byte(`[1]`)), "resumeData") == "" {
			t.Errorf("%s: its rules do not bind", dialect)
		}
	}
	for _, dialect := range []string{`"https://json-schema.org/draft/2019-09/schema"`, `"http://json-schema.org/draft-04/schema#"`, `"http://json-schema.org/draft-07/schema##"`,
		`"ftp://json-schema.org/draft-07/schema"`, `"http://example.org/"`, `""`, `5`, `null`} {
		if why := refused(checkSchema([]byte(`{"$schema":`+dialect+`}`)), "resumeSchema"); !strings.Contains(why, "$schema") {
			t.Errorf("%s: %q", dialect, why)
		}
	}
	for _, mixed := range []string{`{"not":{"$schema":"http://json-schema.org/draft-07/schema#"}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","not":{"$schema":"https://json-schema.org/draft/2020-12/schema"}}`} {
		if refused(checkSchema([]byte(mixed)), "resumeSchema") == "" {
			t.Errorf("%s is taken", mixed)
		}
	}
	if err := checkResume([]byte(`{"prefixItems":[{"type":"string"}]}`), []byte(`[1]`)); err == nil {
		t.Error("without $schema it is not 2020-12")
	}
}

func TestNumbersCountExactly(t *testing.T) {
	const big, bigger = "9007199254740992", "9007199254740993" // one double
	for _, tt := range []struct {
		schema, good, bad string // data, apart by blanks
	}{
		{`{"const":` + bigger + `}`, bigger + " 9007199254740993.0 9.007199254740993e15 90071992547409930e-1", big + " 9007199254740994 -9007199254740993"},
		{`{"enum":[[` + bigger + `]]}`, `[9007199254740993] [9007199254740993.00]`, `[9007199254740992]`},
		{`{"maximum":` + big + `}`, big + " 1e15 -1e400 0", bigger + " 9007199254740992.0000001 1e400"},
		{`{"minimum":` + bigger + `}`, bigger + " 1e400", big + " -1e400 0"},
		{`{"exclusiveMaximum":` + bigger + `}`, big, bigger},
		{`{"exclusiveMinimum":-` + bigger + `}`, "-" + big, "-" + bigger},
		{`{"minimum":0.1}`, "0.1 0.10 1e-1 0.1000000000000000000001", "0.0999999999999999999999 0 -0.1"},
		{`{"maximum":-0.1}`, "-0.1 -0.11 -1", "-0.09 -0 0 0.1"},
		{`{"const":0}`, "0 -0 0.00 0e5 -0e-5", "1e-999999"},
		{`{"type":"integer"}`, "1 1.0 1e400 -0 10e-1 " + bigger + ".0", bigger + ".5 1e-400 0.1 9007199254740992.5"},
		{`{"type":"number"}`, "1e400 1e-400 0.1 -1E+2", `"1" null`},
		{`{"multipleOf":0.01}`, "19.99 0.07 1 0 -0.07 1e400 4.35", "0.075 1e-3 19.999"},
		{`{"multipleOf":3}`, "9007199254740993 3e400 9 0", "9007199254740994 1e400 1.5 1"},
		{`{"multipleOf":2.5e-7}`, "1 5e-7 0.00000025", "1e-7 3e-7"},
		{`{"multipleOf":1e3}`, "1000 1e3 12e3 1e999999", "100 1500 1"},
		{`{"uniqueItems":true}`, `[9007199254740992,9007199254740993] [1,"1",[1],true,{"a":1}]`, `[1,1.0] [10,1e1] [0,-0]`},
		{`{"minLength":2.0,"maxLength":1e400}`, `"ab"`, `"a"`},
	} {
		for _, data := range strings.Fields(tt.good) {
			if err := checkResume([]byte(tt.schema), []byte(data)); err != nil {
				t.Errorf("%s on %s: %v", tt.schema, data, err)
			}
		}
		for _, data := range strings.Split(tt.bad, " ") {
			if why := refused(checkResume([]byte(tt.schema), []byte(data)), "resumeData"); !strings.HasPrefix(why, "does not satisfy") {
				t.Errorf("%s on %s: %q", tt.schema, data, why)
			}
		}
	}
	for _, wild := range []string{"1e1000000000", "1e-1000000000", "1e1000000", "1e99999999999999999999", strings.Repeat("1", 129), `{"a":[1e1000000]}`} {
		if why := refused(checkResume([]byte(`true`), []byte(wild)), "resumeData"); !strings.Contains(why, "number") {
			t.Errorf("%.40s: %q", wild, why)
		}
	}
}

func TestAnswerIsToldWhatIsWrong(t *testing.T) {
	for _, tt := range []struct{ schema, data, want string }{
		{`{"properties":{"a":{"items":{"type":["string","null"]}}}}`, `{"a":["x",5]}`, "a: 1: is number, not string or null"},
		{`{"required":["name"]}`, `{}`, `"name" is missing`},
		{`{"minimum":5}`, `4`, "4 is below 5"},
		{`{"maxItems":1}`, `[1,2]`, "has 2 items, more than 1"},
		{`{"additionalProperties":false}`, `{"b":1,"a":1}`, "a: nothing is allowed here"},
		{`{"anyOf":[{"type":"null"},{"pattern":"^a"}]}`, `"b"`, "none of anyOf holds, the last not for: does not match the pattern ^a"},
		{`{"propertyNames":{"maxLength":1}}`, `{"abc":1}`, "names: abc: has 3 characters, more than 1"},
	} {
		if why := refused(checkResume([]byte(tt.schema), []byte(tt.data)), "resumeData"); why != "does not satisfy the call's schema: "+tt.want {
			t.Errorf("%s on %s: %q", tt.schema, tt.data, why)
		}
	}
}
