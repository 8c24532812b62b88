package rest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/apiwords"
)

// worded is a schema as its readers see it.
type worded struct {
	Description string
	Ref         string `json:"$ref"`
	Enum        []string
	Properties  map[string]worded
}

func TestTheDocumentSaysWhatAnswersAboutRulesMean(t *testing.T) {
	doc, _ := readSpec(t)
	schemas := map[string]worded{}
	for name, raw := range doc.Parts.Schemas {
		var s worded
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		schemas[name] = s
	}
	for name, fields := range apiwords.Meanings() {
		for field, s := range schemas[name].Properties {
			if s.Description == "" {
				t.Errorf("%s.%s has no description", name, field)
			}
		}
		for field := range fields {
			if _, ok := schemas[name].Properties[field]; !ok {
				t.Errorf("%s.%s is described and not there", name, field)
			}
		}
	}
	for field, s := range schemas["RuleForm"].Properties {
		if s.Description == "" {
			t.Errorf("RuleForm.%s has no description", field)
		}
	}
	effects, risks := []string{"allow", "ask", "deny"}, []string{"low", "medium", "high"}
	for _, c := range []struct {
		schema, field string
		want          []string
	}{
		{"Rule", "effect", effects}, {"Verdict", "decision", effects}, {"Verdict", "risk", risks}, {"Changed", "before", effects},
		{"Changed", "after", effects}, {"Example", "decision", effects},
		{"SuggestedRule", "effect", effects}, {"Call", "risk", risks},
		{"Finding", "kind", []string{"unreachable", "duplicate", "conflict", "no_star", "name_and_pattern", "allows_all", "expired", "slips_by"}},
	} {
		s := schemas[c.schema].Properties[c.field]
		if s.Ref != "" {
			s = schemas[strings.TrimPrefix(s.Ref, refPrefix)]
		}
		if !slices.Equal(s.Enum, c.want) {
			t.Errorf("%s.%s is one of %q, want %q", c.schema, c.field, s.Enum, c.want)
		}
	}
}
