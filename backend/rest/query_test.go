package rest

import (
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// A second value that nobody looks at would be a filter that does not filter.
func TestEveryRowTakesAParameterOnce(t *testing.T) {
	queries := 0
	eachRow(t, func(t *testing.T, s *site, c *sample, op *huma.Operation) {
		if !op.RejectUnknownQueryParameters {
			return // of OPA, whose parameters are passed over
		}
		names := []string{"surprise"}
		for _, p := range op.Parameters {
			if p.In == "query" {
				names = append(names, p.Name)
				queries++
			}
		}
		for _, name := range names {
			for _, query := range []string{name + "=1&" + name + "=2", name + "=1&x=&" + name + "=1", name + "&" + escapes(name) + "="} {
				got := s.send(c.method(), c.url()+"?"+query, c.token, c.body)
				p := got.problem(t)
				if got.status != 422 || p.Code != permission.CodeInvalid || p.Field != name || len(p.Errors) != 1 ||
					p.Errors[0] != (detail{Location: "query." + name, Code: permission.FieldDuplicate, Message: "given more than once"}) {
					t.Errorf("?%s: %d %s", query, got.status, got.body)
				}
			}
		}
		for _, query := range []string{"surprise=1", "%zz=1", "a;b=1"} {
			got := s.send(c.method(), c.url()+"?"+query, c.token, c.body)
			if p := got.problem(t); got.status != 422 || p.Code != permission.CodeInvalid || len(p.Errors) != 1 ||
				!strings.HasPrefix(p.Errors[0].Location, "query") {
				t.Errorf("?%s: %d %s", query, got.status, got.body)
			}
		}
		if s.desk.touched() > 0 {
			t.Errorf("the desk was asked: %v", s.desk.counts)
		}
	})
	if queries < 10 {
		t.Errorf("%d parameters were tried", queries)
	}
}

// escapes writes the first letter of a name as an escape.
func escapes(name string) string {
	const hex = "0123456789ABCDEF"
	return "%" + string(hex[name[0]>>4]) + string(hex[name[0]&15]) + name[1:]
}

func TestOneParameterOfEachIsFine(t *testing.T) {
	s := newSite(t, nil)
	for _, path := range []string{
		"/v1/calls?status=pending,approved&runId=r&q=a%26b%3Bc%25&limit=5&order=oldest&brief=true", "/v1/calls?&&limit=5&", "/v1/calls?brief",
		"/v1/calls/call-a?wait=0&rev=1",
	} {
		if got := s.send("GET", path, tokenA, ""); got.status != 200 {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if got := s.send("POST", "/v1/data/sekisho/tools?explain=notes&explain=full&x=%zz", tokenA, `{"input":{}}`); got.status != 200 {
		t.Errorf("OPA's: %d %s", got.status, got.body)
	}
}
