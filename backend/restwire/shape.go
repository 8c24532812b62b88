package restwire

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// checkShape holds a strict JSON object against its schema. huma's own check is
// not used: it takes keys of another letter case, so that two of them could
// stand for one field, loses integers over 2^53, and builds a tree of all that an
// input holds. Here a tree is built only as deep as the schema goes, and huma
// validates that.
func checkShape(registry huma.Registry, schema *huma.Schema, raw []byte) *Problem {
	s := shape{registry: registry, path: huma.NewPathBuffer(nil, 0), found: &huma.ValidateResult{}}
	s.path.Push("body")
	tree := s.value(schema, bytes.TrimSpace(raw))
	if len(s.found.Errors) == 0 {
		huma.Validate(registry, schema, s.path, huma.ModeWriteToServer, tree, s.found)
	}
	if len(s.found.Errors) == 0 {
		return nil
	}
	return invalidContent(s.found.Errors)
}

type shape struct {
	registry huma.Registry
	path     *huma.PathBuffer
	found    *huma.ValidateResult
}

// value gives raw as huma's validation wants it: nil, a bool, a float64, a
// string, or a container of these. What a schema leaves open stays raw.
func (s *shape) value(schema *huma.Schema, raw []byte) any {
	for schema.Ref != "" {
		schema = s.registry.SchemaFromRef(schema.Ref)
	}
	switch c := raw[0]; {
	case schema.Type == "":
		return json.RawMessage(raw)
	case c == 'n':
		return nil
	case c == 't' || c == 'f':
		return c == 't'
	case c == '"':
		var text string
		s.must(raw, &text)
		if schema.Format == "date-time" {
			return s.time(text)
		}
		return text
	case c == '{':
		return s.object(schema, raw)
	case c == '[':
		return s.array(schema, raw)
	}
	return s.number(schema, raw)
}

// time gives a time that the desk takes in the one form of it that huma is sure to take;
// it knows no small letters.
func (s *shape) time(text string) string {
	var t permission.Time
	if err := t.UnmarshalText([]byte(text)); err != nil {
		s.add(err.Error())
		return text
	}
	return t.String()
}

// number looks at integers as they are written: as a float64 a large one would
// be another.
func (s *shape) number(schema *huma.Schema, raw []byte) any {
	if schema.Type == huma.TypeInteger {
		if _, err := strconv.ParseInt(string(raw), 10, 64); err != nil {
			return json.Number(raw) // which is no integer to huma
		}
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return json.Number(raw)
	}
	return n
}

func (s *shape) array(schema *huma.Schema, raw []byte) any {
	if schema.Type != huma.TypeArray {
		return []any{}
	}
	var items []json.RawMessage
	s.must(raw, &items)
	out := make([]any, len(items))
	for i, item := range items {
		s.path.PushIndex(i)
		out[i] = s.value(schema.Items, item)
		s.path.Pop()
	}
	return out
}

func (s *shape) object(schema *huma.Schema, raw []byte) any {
	out := map[string]any{}
	if schema.Type != huma.TypeObject {
		return out
	}
	var members map[string]json.RawMessage
	s.must(raw, &members)
	for _, key := range slices.Sorted(maps.Keys(members)) {
		s.path.Push(key)
		if field := fieldOf(schema, key); field != nil {
			out[key] = s.member(schema, field, key, members[key])
		} else if schema.AdditionalProperties != true {
			s.add("unknown field")
		}
		s.path.Pop()
	}
	for _, key := range schema.Required {
		if _, ok := members[key]; !ok {
			s.path.Push(key)
			s.add("required")
			s.path.Pop()
		}
	}
	return out
}

// add notes what is wrong here, until there is more than an answer shows.
func (s *shape) add(message string) {
	if len(s.found.Errors) < maxDetails {
		s.found.Add(s.path, nil, message)
	}
}

// member also refuses a null that the schema does not take: huma lets it pass for
// a field that may be left out.
func (s *shape) member(schema, field *huma.Schema, key string, raw []byte) any {
	v := s.value(field, raw)
	if v == nil && !slices.Contains(schema.Required, key) {
		huma.Validate(s.registry, field, s.path, huma.ModeWriteToServer, nil, s.found)
	}
	return v
}

func fieldOf(schema *huma.Schema, key string) *huma.Schema {
	if field, ok := schema.Properties[key]; ok {
		return field
	}
	open, _ := schema.AdditionalProperties.(*huma.Schema)
	return open
}

// must decodes what the strict scan has passed; it cannot fail.
func (s *shape) must(raw []byte, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		s.add("not readable as " + reflect.TypeOf(into).Elem().String())
	}
}

// Part is a part of a body that is checked against the schema of T and kept
// as it was written, to be laid over something else.
type Part[T any] struct{ Raw json.RawMessage }

// UnmarshalJSON keeps the bytes.
func (p *Part[T]) UnmarshalJSON(b []byte) error {
	p.Raw = slices.Clone(b)
	return nil
}

// Schema is T's.
func (Part[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}
