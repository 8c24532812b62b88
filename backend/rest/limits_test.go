package rest

import (
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
)

// What the document says of limits is what is refused, one more than it says and no
// less, with the field's name.
func TestTheLimitsOfTheDocumentAreThose(t *testing.T) {
	text := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	items := func(of string) func(int) string {
		return func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(of+",", n), ",") + "]" }
	}
	number := func(n int) string { return fmt.Sprint(n) }
	example := items(`{"toolName":"x","decision":"ask"}`)
	const ask, evaluate, rule = `{"runId":"r","toolCallId":"t","toolName":"x","%s":%s}`, `{"toolName":"x","%s":%s}`, `{"%s":%s}`
	for _, c := range []struct {
		row, body, field string
		write            func(int) string
		most             int
	}{
		{"POST /v1/evaluate", `{"%s":%s}`, "toolName", text, maxName}, {"POST /v1/evaluate", evaluate, "serverId", text, maxName}, {"POST /v1/evaluate", evaluate, "sessionId", text, maxID}, {"POST /v1/evaluate", evaluate, "cwd", text, maxCwd},
		{"POST /v1/calls", `{"runId":"r","toolCallId":"t","%s":%s}`, "toolName", text, maxName}, {"POST /v1/calls", ask, "serverId", text, maxName}, {"POST /v1/calls", ask, "description", text, maxDescription}, {"POST /v1/calls", ask, "cwd", text, maxCwd}, {"POST /v1/calls", ask, "sessionId", text, maxID},
		{"POST /v1/calls/{id}/decision", `{"approved":true,"inputHash":"h","%s":%s}`, "reason", text, maxReason}, {"POST /v1/calls/{id}/cancel", rule, "reason", text, maxReason},
		{"POST /v1/rules", rule, "id", text, 64}, {"POST /v1/rules", rule, "serverId", text, permission.MaxNameBytes}, {"POST /v1/rules", rule, "toolName", text, permission.MaxNameBytes}, {"POST /v1/rules", rule, "toolPattern", text, permission.MaxNameBytes},
		{"POST /v1/rules", rule, "condition", text, permission.MaxConditionBytes}, {"POST /v1/rules", rule, "note", text, 4096}, {"PATCH /v1/rules/{id}", rule, "note", text, 4096}, {"POST /v1/rules", rule, "examples", example, permission.MaxExamples},
		{"POST /v1/rules", rule, "priority", number, 1<<31 - 1}, {"PUT /v1/rules", rule, "rules", items("{}"), desk.MaxRules}, {"POST /v1/rules/lint", rule, "rules", items("{}"), desk.MaxRules},
		{"PATCH /v1/settings", rule, "undoSeconds", number, 60},
	} {
		t.Run(c.row+" "+c.field, func(t *testing.T) {
			s := newSite(t, nil)
			var at *sample
			for i := range samples {
				if samples[i].row == c.row {
					at = &samples[i]
				}
			}
			got := at.send(s, at.token, fmt.Sprintf(c.body, c.field, c.write(c.most+1)))
			if p := got.problem(t); got.status != 422 || p.Code != permission.CodeInvalid || p.Field != c.field || s.desk.touched() > 0 {
				t.Errorf("one more than %d: %d %.300s", c.most, got.status, got.body)
			}
			if got := at.send(s, at.token, fmt.Sprintf(c.body, c.field, c.write(c.most))); got.status != at.status {
				t.Errorf("%d: %d %.300s", c.most, got.status, got.body)
			}
		})
	}
}
