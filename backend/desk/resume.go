package desk

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// maxSchema bounds a resumeSchema, in bytes.
const maxSchema = 64 << 10

// checkSchema refuses what is no JSON Schema that data can be held against here.
func checkSchema(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	_, err := compileSchema(raw)
	return err
}

// compileSchema reads a schema of an agent's. One with references is refused: they
// could reach out of the document, or make a small one explode.
func compileSchema(raw json.RawMessage) (*jsonschema.Resolved, error) {
	const field = "resumeSchema"
	if len(raw) > maxSchema {
		return nil, permission.Invalid(field, fmt.Sprintf("longer than %d bytes", maxSchema))
	}
	if err := rawjson.Check(raw, rawjson.MaxInputDepth); err != nil {
		return nil, &permission.Error{Code: permission.CodeMalformed, Field: field, Message: err.Error()}
	}
	if word := reference(raw); word != "" {
		return nil, permission.Invalid(field, word+" is not supported: write the schema out")
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		return nil, permission.Invalid(field, "not a JSON Schema: "+err.Error())
	}
	if word := strangeType(reflect.ValueOf(&schema)); word != "" {
		return nil, permission.Invalid(field, fmt.Sprintf("not a JSON Schema: there is no type %q", word))
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, permission.Invalid(field, "not a JSON Schema: "+err.Error())
	}
	return resolved, nil
}

var jsonTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// strangeType finds a type that JSON does not have, in a schema or in any below it:
// nothing could ever satisfy it, and the library does not mind.
func strangeType(v reflect.Value) string {
	switch schema, _ := v.Interface().(*jsonschema.Schema); {
	case schema != nil:
		for _, t := range append(slices.Clone(schema.Types), schema.Type) {
			if t != "" && !slices.Contains(jsonTypes, t) {
				return t
			}
		}
		return strangeTypeIn(v.Elem())
	case v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[*jsonschema.Schema]():
		for i := range v.Len() {
			if t := strangeType(v.Index(i)); t != "" {
				return t
			}
		}
	case v.Kind() == reflect.Map && v.Type().Elem() == reflect.TypeFor[*jsonschema.Schema]():
		for _, key := range v.MapKeys() {
			if t := strangeType(v.MapIndex(key)); t != "" {
				return t
			}
		}
	}
	return ""
}

func strangeTypeIn(fields reflect.Value) string {
	for i := range fields.NumField() {
		if !fields.Type().Field(i).IsExported() {
			continue
		}
		if t := strangeType(fields.Field(i)); t != "" {
			return t
		}
	}
	return ""
}

// reference finds a keyword that points elsewhere.
func reference(raw []byte) string {
	if members, err := rawjson.Members(raw); err == nil {
		for _, m := range members {
			switch m.Key {
			case "$ref", "$dynamicRef", "$recursiveRef":
				return m.Key
			}
			if word := reference(m.Value); word != "" {
				return word
			}
		}
		return ""
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return ""
	}
	for _, item := range items {
		if word := reference(item); word != "" {
			return word
		}
	}
	return ""
}

// checkResume holds a person's data against the caller's schema. No data is no
// violation: an answer may come without.
func checkResume(schema, given json.RawMessage) error {
	if given == nil {
		return nil
	}
	if err := rawjson.Check(given, rawjson.MaxInputDepth); err != nil {
		return &permission.Error{Code: permission.CodeMalformed, Field: "resumeData", Message: err.Error()}
	}
	if schema == nil {
		return nil
	}
	resolved, err := compileSchema(schema)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(given, &v); err != nil {
		return permission.Invalid("resumeData", "not readable")
	}
	if err := resolved.Validate(v); err != nil {
		return permission.Invalid("resumeData", "does not satisfy the call's schema: "+err.Error())
	}
	return nil
}
