package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas loads CycloneDX's schemas from the folder of its module.
type schemas string

// missing are the definitions of a schema that the module does not bring along.
const missing = `{"$schema": "http://json-schema.org/draft-07/schema#",
	"definitions": {"algorithmFamiliesEnum": {"type": "string"}, "ellipticCurvesEnum": {"type": "string"}}}`

func (s schemas) Load(url string) (any, error) {
	name := filepath.Base(url)
	switch name {
	case "cryptography-defs.schema.json":
		return jsonschema.UnmarshalJSON(strings.NewReader(missing))
	case "jsf-0.82.schema.json":
		name = "jsf-0.82.schemax.json" // the module's own spelling
	}
	raw, err := os.ReadFile(filepath.Join(string(s), name))
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(raw))
}

// TestBills holds documents as they were packaged against the schema of CycloneDX that they
// name: those of $SEKISHO_BILLS, or one that is written here.
func TestBills(t *testing.T) {
	names := strings.Fields(os.Getenv("SEKISHO_BILLS"))
	if len(names) == 0 {
		t.Setenv("SOURCE_DATE_EPOCH", "1")
		names = []string{filepath.Join(t.TempDir(), "one.json")}
		parts := []part{{name: "SQLite", version: "3", url: "pkg:generic/sqlite@3", licence: "blessing"}}
		if err := document(names[0], "0.1.0", parts); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(schemas(filepath.Join(strings.TrimSpace(string(folder)), "schema")))
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		bill, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		url, _ := bill.(map[string]any)["$schema"].(string)
		schema, err := compiler.Compile(url)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(bill); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
