package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// oas is the part of an OpenAPI 3.1 document that the tests look at.
type oas struct {
	OpenAPI string                             `json:"openapi"`
	Info    struct{ Title, Version string }    `json:"info"`
	Paths   map[string]map[string]oasOperation `json:"paths"`
	Parts   struct {
		Schemas  map[string]json.RawMessage
		Security map[string]json.RawMessage `json:"securitySchemes"`
	} `json:"components"`
}

type oasOperation struct {
	OperationID string `json:"operationId"`
	Summary     string
	Security    []map[string][]string
	Parameters  []struct {
		Name, In string
		Required bool
		Schema   json.RawMessage
	}
	RequestBody *struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
	Responses map[string]struct {
		Description string
		Content     map[string]struct{ Schema json.RawMessage }
	}
}

func readSpec(t *testing.T) (oas, []byte) {
	t.Helper()
	s := newSite(t, nil)
	got := s.send("GET", "/openapi.json", "", "")
	if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), "application/openapi+json") {
		t.Fatalf("%d %v", got.status, got.header)
	}
	var doc oas
	got.into(t, &doc)
	return doc, got.body
}

func TestTheDocumentListsExactlyWhatIsServed(t *testing.T) {
	doc, _ := readSpec(t)
	var documented []string
	for path, methods := range doc.Paths {
		for method := range methods {
			documented = append(documented, strings.ToUpper(method)+" "+path)
		}
	}
	served := append(served(New(deskOf(newFake()), Options{})), "POST /v1/hooks/{client}", "POST /v1/hooks/claude/http") // by another door
	slices.Sort(documented)
	slices.Sort(served)
	if !slices.Equal(documented, served) {
		t.Errorf("documented:\n%s\nserved:\n%s", strings.Join(documented, "\n"), strings.Join(served, "\n"))
	}
	for _, row := range []string{"POST /v1/evaluate", "POST /v1/calls", "GET /v1/calls", "GET /v1/calls/{id}", "GET /v1/calls/{id}/input",
		"POST /v1/calls/{id}/claim", "POST /v1/calls/{id}/result", "POST /v1/calls/{id}/cancel", "GET /v1/events", "POST /v1/login",
		"POST /v1/proof", "GET /healthz"} {
		if !slices.Contains(documented, row) {
			t.Errorf("%s is missing", row)
		}
	}
	for _, row := range operatorRows {
		if !slices.Contains(documented, row[0]+" "+row[1]) {
			t.Errorf("%s %s is missing", row[0], row[1])
		}
	}
}

func TestOnlyTheseRowsAreForAnyone(t *testing.T) {
	doc, _ := readSpec(t)
	var open, operators []string
	for path, methods := range doc.Paths {
		for method, op := range methods {
			row := strings.ToUpper(method) + " " + path
			switch {
			case len(op.Security) == 0:
				open = append(open, row)
			case len(op.Security) == 1 && op.Security[0]["operator"] != nil:
				operators = append(operators, row)
			}
		}
	}
	slices.Sort(open)
	if want := []string{"GET /healthz", "POST /v1/login", "POST /v1/operator/challenge", "POST /v1/operator/challenge/answer",
		"POST /v1/proof"}; !slices.Equal(open, want) {
		t.Errorf("rows for anyone: %q, want %q", open, want)
	}
	if len(operators) != len(operatorRows) {
		t.Errorf("%d rows for operators alone, want %d: %q", len(operators), len(operatorRows), operators)
	}
}

var parameter = regexp.MustCompile(`\{([^}]+)\}`)

func TestTheDocumentIsSound(t *testing.T) {
	doc, raw := readSpec(t)
	if !strings.HasPrefix(doc.OpenAPI, "3.1.") || doc.Info.Title != "Sekisho" || doc.Info.Version != "1.2.3" {
		t.Errorf("openapi %q, info %+v", doc.OpenAPI, doc.Info)
	}
	ids := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			row := method + " " + path
			if op.OperationID == "" || ids[op.OperationID] || op.Summary == "" {
				t.Errorf("%s: operationId %q, summary %q", row, op.OperationID, op.Summary)
			}
			ids[op.OperationID] = true
			checkParameters(t, row, path, op)
			if def := op.Responses["default"]; def.Content["application/problem+json"].Schema == nil || len(op.Responses) < 2 {
				t.Errorf("%s: responses %v", row, slices.Collect(maps.Keys(op.Responses)))
			}
			for status, r := range op.Responses {
				if r.Description == "" {
					t.Errorf("%s: %s has no description", row, status)
				}
			}
			for _, requirement := range op.Security {
				for scheme := range requirement {
					if doc.Parts.Security[scheme] == nil {
						t.Errorf("%s: no security scheme %s", row, scheme)
					}
				}
			}
		}
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		t.Fatal(err)
	}
	checkRefs(t, doc, tree)
	if strings.Contains(string(raw), "ErrorModel") || strings.Contains(string(raw), "$schema") {
		t.Error("huma's own errors or schema links are in the document")
	}
}

func checkParameters(t *testing.T, row, path string, op oasOperation) {
	t.Helper()
	var declared, wanted []string
	for _, p := range op.Parameters {
		if p.In == "path" {
			declared = append(declared, p.Name)
			if !p.Required {
				t.Errorf("%s: %s is not required", row, p.Name)
			}
		}
	}
	for _, m := range parameter.FindAllStringSubmatch(path, -1) {
		wanted = append(wanted, m[1])
	}
	if !slices.Equal(declared, wanted) {
		t.Errorf("%s: path parameters %q, want %q", row, declared, wanted)
	}
}

// checkRefs walks the document: every reference leads somewhere, and every type
// is one of JSON Schema.
func checkRefs(t *testing.T, doc oas, at any) {
	t.Helper()
	types := []string{"string", "number", "integer", "boolean", "object", "array", "null"}
	switch v := at.(type) {
	case []any:
		for _, x := range v {
			checkRefs(t, doc, x)
		}
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && doc.Parts.Schemas[strings.TrimPrefix(ref, refPrefix)] == nil {
			t.Errorf("%s leads nowhere", ref)
		}
		for _, name := range asList(v["type"]) {
			if name, ok := name.(string); ok && !slices.Contains(types, name) && !slices.Contains([]string{"http"}, name) {
				t.Errorf("type %s", name)
			}
		}
		for _, x := range v {
			checkRefs(t, doc, x)
		}
	}
}

func asList(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

// TestAnswersAreAsDocumented holds real answers against the document, so that a
// client made from it reads them.
func TestAnswersAreAsDocumented(t *testing.T) {
	doc, _ := readSpec(t)
	s := newSite(t, nil)
	eachRow(t, func(t *testing.T, s *site, c *sample, _ *huma.Operation) {
		if c.status == http.StatusNoContent || strings.HasSuffix(c.pattern(), "/events") {
			return
		}
		fill(s.desk)
		got := c.send(s, c.token, c.body)
		if got.status != c.status {
			t.Fatalf("%d %s", got.status, got.body)
		}
		var answer any
		got.into(t, &answer)
		schema := doc.Paths[c.pattern()][strings.ToLower(c.method())].Responses[fmt.Sprint(c.status)].Content["application/json"].Schema
		for _, complaint := range mismatches(doc, schema, answer, "$") {
			t.Errorf("%s: %s", c.row, complaint)
		}
	})
	for _, got := range []*reply{s.send(http.MethodGet, "/v1/calls/nope", tokenA, ""), s.send("POST", "/v1/calls", tokenA, "{}")} {
		var answer any
		got.into(t, &answer)
		for _, complaint := range mismatches(doc, json.RawMessage(`{"$ref":"#/components/schemas/Problem"}`), answer, "$") {
			t.Errorf("problem: %s", complaint)
		}
	}
}

// fill gives the desk something of all that a row can answer with.
func fill(f *fakeDesk) {
	name, id, effect := "x", permission.RuleID("r2"), permission.Allow
	call := f.calls["call-a"]
	call.Original = &permission.Edit{Input: rawInput, InputHash: "h"}
	call.Decision = &permission.Decision{By: permission.ByGrant, Scope: permission.ScopeClass}
	f.calls["call-a"] = call
	f.grants = []permission.Grant{
		{ID: "g", Class: &permission.Class{ToolName: "x", Parts: []permission.ClassPart{{Name: name}}}, Scope: permission.ScopeClass,
			MaxRisk: permission.RiskLow},
		{ID: "h", Scope: permission.ScopeSession, MaxRisk: permission.RiskHigh}}
	for i := range f.grants {
		f.grants[i].Spell()
	}
	f.findings = []permission.Finding{{RuleID: "r1", Kind: permission.FindingConflict, Code: permission.FindsConflict, By: &id},
		{RuleID: "r1", Kind: permission.FindingNoStar, Code: permission.FindsNoStar}}
	f.preview = permission.Preview{Changed: []permission.Changed{
		{CallID: "c", ServerID: &name, Before: permission.Ask, After: permission.Allow},
		{CallID: "d", Before: permission.Ask, After: permission.Allow}}, ChangedTotal: 2,
		Counts: map[string]int{"ask>allow": 2}, Total: 9}
	covers := permission.CoverageOf(permission.CoversHost,
		permission.CoverageParams{ToolName: name, Hosts: []string{name}, MaxRisk: permission.RiskLow})
	past := permission.Matches{Calls: 1, Approved: 1, MaxRisk: permission.RiskLow, First: 1, Last: 2}
	f.widened = permission.Choices{Rules: []permission.RuleForm{{ServerID: &name, ToolName: &name, Condition: &name, Effect: &effect}},
		Choices: []permission.Choice{{Covers: covers, Past: past, First: true}}}
	f.suggestions = []permission.Suggestion{{Covers: covers, Past: past, Rule: permission.RuleForm{ToolPattern: &name, Effect: &effect,
		Examples: []permission.Example{{ToolName: "x", Decision: permission.Deny}}}}}
	f.diff = permission.RuleDiff{Added: []permission.Rule{f.rule}, Changed: []permission.RulePair{{Before: f.rule, After: f.rule}}}
	f.settled = []permission.CallID{"call-c"}
	f.settings.Deadlines.High = nil
	f.settings.Patience = map[string]int64{"claude": 60}
}

// mismatches is as much of JSON Schema as the document uses for answers.
func mismatches(doc oas, raw json.RawMessage, v any, at string) []string {
	var s struct {
		Ref        string                     `json:"$ref"`
		Type       any                        `json:"type"`
		Enum       []any                      `json:"enum"`
		AnyOf      []json.RawMessage          `json:"anyOf"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Closed     any                        `json:"additionalProperties"`
		Items      json.RawMessage            `json:"items"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return []string{at + ": no schema: " + err.Error()}
	}
	if s.Ref != "" {
		return mismatches(doc, doc.Parts.Schemas[strings.TrimPrefix(s.Ref, refPrefix)], v, at)
	}
	if len(s.AnyOf) > 0 {
		var all []string
		for _, one := range s.AnyOf {
			found := mismatches(doc, one, v, at)
			if len(found) == 0 {
				return nil
			}
			all = append(all, found...)
		}
		return all
	}
	if s.Type != nil && !slices.Contains(asList(s.Type), any(typeOf(v))) &&
		!(typeOf(v) == "integer" && slices.Contains(asList(s.Type), any("number"))) {
		return []string{fmt.Sprintf("%s is %s, not %v", at, typeOf(v), s.Type)}
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		return []string{fmt.Sprintf("%s is %v, none of %v", at, v, s.Enum)}
	}
	var all []string
	switch v := v.(type) {
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				all = append(all, at+" lacks "+name)
			}
		}
		for name, x := range v {
			if field, ok := s.Properties[name]; ok {
				all = append(all, mismatches(doc, field, x, at+"."+name)...)
			} else if s.Closed == false {
				all = append(all, at+" has the undocumented "+name)
			}
		}
	case []any:
		for i, x := range v {
			all = append(all, mismatches(doc, s.Items, x, fmt.Sprintf("%s[%d]", at, i))...)
		}
	}
	return all
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
