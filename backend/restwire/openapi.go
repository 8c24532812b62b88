package restwire

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

const (
	// JSON is the content type of bodies and answers.
	JSON      = "application/json"
	refPrefix = "#/components/schemas/"
)

// newRegistry makes the registry of schemas.
func newRegistry(name func(t reflect.Type, hint string) string) huma.Registry {
	r := huma.NewMapRegistry(refPrefix, name)
	r.RegisterTypeAlias(reflect.TypeFor[permission.Time](), reflect.TypeFor[moment]())
	return r
}

// config is huma's without what DefaultConfig adds: schema links in answers,
// pages that load from outside, and other forms of the document.
func config(version string, registry huma.Registry) huma.Config {
	format := huma.Format{Marshal: marshal, Unmarshal: json.Unmarshal}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{Title: "Sekisho", Version: version,
				Description: "The permission desk between AI agents and the tools they call. Every answer is JSON in camelCase; times are RFC 3339 UTC with milliseconds, or null."},
			Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{
				string(Agents): {Type: "http", Scheme: "bearer",
					Description: "An agent's token: it can ask, run what is allowed, and see that agent's own calls."},
				string(Operators): {Type: "http", Scheme: "bearer",
					Description: "The operator's token, or one that a login code was changed for. A desk with a window has none."},
				string(Executors): {Type: "http", Scheme: "bearer",
					Description: "An executor's token: it sees which approved calls of its projects are to be run, claims them and reports their results, and nothing else."},
			}},
		},
		Formats:       map[string]huma.Format{JSON: format, "json": format},
		DefaultFormat: JSON,
		Transformers:  []huma.Transformer{ours, inBytes},
	}
}

// encoded is an answer in JSON.
type encoded string

// inBytes encodes an answer while it may still become another: the status is written
// between transformers and Format.Marshal. One that cannot be encoded is a fault of ours,
// which ServeHTTP recovers; an error that a transformer returns would be sent as a 200. A
// result is what its tool wrote, and may be no text: it must not spoil the rest. It is
// a huma.Transformer.
func inBytes(_ huma.Context, _ string, v any) (any, error) {
	var buf strings.Builder
	if err := encode(&buf, v); err != nil {
		panic(fmt.Errorf("encode an answer: %w", err))
	}
	return encoded(strings.ToValidUTF8(buf.String(), "\uFFFD")), nil
}

// marshal writes what inBytes encoded. An answer that cannot be sent has no reader.
func marshal(w io.Writer, v any) error {
	_, _ = io.WriteString(w, string(v.(encoded)))
	return nil
}

// moment is how a permission.Time looks in the document.
type moment struct{}

// Schema is a time or null.
func (moment) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Nullable: true,
		Description: "RFC 3339 UTC with milliseconds; null is none"}
}

// word is how a closed set of words, the type T, looks where an answer has one.
type word[T ~string] struct{}

// Schema names the set, which Closed has described.
func (word[T]) Schema(huma.Registry) *huma.Schema { return WordOf[T]() }

// WordOf is the schema of one of a closed set of words.
func WordOf[T ~string]() *huma.Schema { return RefTo(reflect.TypeFor[T]().Name()) }

// RefTo is the schema of a name.
func RefTo(name string) *huma.Schema { return &huma.Schema{Ref: refPrefix + name} }

// Closed describes a closed set of words under the name of its type.
func Closed[T ~string](r huma.Registry, all []T) {
	s := &huma.Schema{Type: huma.TypeString}
	for _, w := range all {
		s.Enum = append(s.Enum, string(w))
	}
	r.Map()[reflect.TypeFor[T]().Name()] = s
	r.RegisterTypeAlias(reflect.TypeFor[T](), reflect.TypeFor[word[T]]())
}

// finish says in the document what huma cannot say of our types: an object that may be
// null, what fields mean, and that every error is a problem.
func finish(doc *huma.OpenAPI, meanings map[string]map[string]string) {
	registry := doc.Components.Schemas
	schemas := registry.Map()
	delete(schemas, "ErrorModel")
	delete(schemas, "ErrorDetail")
	for name, schema := range schemas {
		if t := registry.TypeFromRef(refPrefix + name); t != nil {
			nullableObjects(schema, t)
		}
		for field, meaning := range meanings[name] {
			s := schema.Properties[field]
			if s.Description != "" {
				meaning += "; " + s.Description
			}
			s.Description = meaning
		}
		nullableWords(schema)
	}
}

// written is the document as JSON.
func written(doc *huma.OpenAPI) []byte {
	spec, err := json.Marshal(doc)
	if err != nil {
		panic("openapi document: " + err.Error()) // it is made of constants: only a mistake in this program can do it
	}
	return spec
}

// nullableWords lets the fields of a closed set of words be null where they may be.
func nullableWords(schema *huma.Schema) {
	for _, field := range schema.Properties {
		if field.Nullable && len(field.Enum) > 0 {
			field.Enum = append(field.Enum, nil)
		}
	}
}

// nullableObjects lets fields that are pointers to structs be null.
func nullableObjects(schema *huma.Schema, t reflect.Type) {
	if t.Kind() != reflect.Struct {
		return
	}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := schema.Properties[name]
		if field == nil || field.Ref == "" || f.Type.Kind() != reflect.Pointer || strings.Contains(options, "omitempty") {
			continue
		}
		schema.Properties[name] = &huma.Schema{AnyOf: []*huma.Schema{{Ref: field.Ref}, {Type: "null"}}, Description: field.Description}
	}
}
