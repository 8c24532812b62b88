package main

import (
	"bytes"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// described is the OpenAPI document, and the compiled schemas of its answers by their JSON pointers.
type described struct {
	sync.Mutex
	paths    map[string]any
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

var description = sync.OnceValues(func() (*described, error) {
	raw, err := os.ReadFile(committedDocument)
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		return nil, err
	}
	return &described{paths: document.(fields)["paths"].(fields), compiler: compiler, schemas: map[string]*jsonschema.Schema{}}, nil
})

// described holds an answer against the schema that the OpenAPI document has for it. A
// path without an operation, as that of a page or of another protocol, has none.
func (r reply) described() {
	r.Helper()
	d, err := description()
	if err != nil {
		r.Fatal(err)
	}
	method, target, _ := strings.Cut(r.line, " ")
	address, err := url.Parse(target)
	if err != nil {
		return // sent so on purpose
	}
	pointer := d.answer(method, address.EscapedPath(), r.status, strings.HasPrefix(r.header.Get("Content-Type"), "application/problem+json"))
	if pointer == "" {
		if r.status < 400 && strings.HasPrefix(address.Path, "/v1/") {
			r.Errorf("%s: the document has no schema of its answer %d", r.line, r.status)
		}
		return
	}
	d.Lock()
	defer d.Unlock()
	schema := d.schemas[pointer]
	if schema == nil {
		if schema, err = d.compiler.Compile("openapi.json#" + pointer); err != nil {
			r.Fatal(err)
		}
		d.schemas[pointer] = schema
	}
	if err := schema.Validate(r.body); err != nil {
		r.Errorf("%s: %d is not what the document says: %v\n%s", r.line, r.status, err, r.raw)
	}
}

// answer is the JSON pointer of the schema of an answer, "" where there is none.
func (d *described) answer(method, path string, status int, problem bool) string {
	for template, operations := range d.paths {
		operation, ok := operations.(fields)[strings.ToLower(method)].(fields)
		if !ok || !ofTemplate(template, path) {
			continue
		}
		code, kind := strconv.Itoa(status), "application/json"
		if _, ok := operation["responses"].(fields)[code]; !ok {
			code = "default"
		}
		if problem {
			kind = "application/problem+json"
		}
		pointer := []string{"paths", template, strings.ToLower(method), "responses", code, "content", kind, "schema"}
		at := any(fields{"paths": d.paths})
		for _, step := range pointer {
			if at, ok = at.(fields)[step]; !ok {
				return ""
			}
		}
		return "/" + strings.Join(escaped(pointer), "/")
	}
	return ""
}

// ofTemplate reports whether a path is one of a template such as /v1/calls/{id}.
func ofTemplate(template, path string) bool {
	wanted, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(wanted) != len(got) {
		return false
	}
	for i := range wanted {
		if wanted[i] != got[i] && !strings.HasPrefix(wanted[i], "{") {
			return false
		}
	}
	return true
}

// escaped are the steps of a JSON pointer in a URL's fragment.
func escaped(steps []string) (out []string) {
	for _, step := range steps {
		out = append(out, url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(step)))
	}
	return out
}
