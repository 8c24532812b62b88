package main

import (
	"fmt"
	"testing"
)

// TestContractMode: the mode bypassPermissions, chosen for a plan, answers every later call of
// its session but those that a deny rule or hold stops (section 7).
func TestContractMode(t *testing.T) {
	p := newParty(t)
	op, a, b := p.with(t)
	denied := unique("denied")
	op.do(201, "POST /v1/rules", fields{"toolName": denied, "effect": "deny"})
	ask := func(v visitor, session, tool string, more fields) reply {
		v.Helper()
		body := fields{"sessionId": session, "serverId": nil, "toolName": tool, "input": unique("x")}
		for key, value := range more {
			body[key] = value
		}
		return v.ask(201, body)
	}
	schema := fields{"type": "object", "required": []any{"mode"}, "properties": fields{
		"mode": fields{"type": "string", "enum": []any{"default", "bypassPermissions"}}}}
	plan := func(session, tool string) reply {
		return ask(a, session, tool, fields{"resumeSchema": schema, "resumeRequired": true})
	}
	yes := func(c reply, mode string) reply {
		op.Helper()
		return op.decide(200, c.id(), fields{"approved": true, "resumeData": fields{"mode": mode}})
	}
	for _, other := range [][2]string{{"ExitPlanMode", "default"}, {"AskUserQuestion", "bypassPermissions"}} {
		yes(plan("asks", other[0]), other[1]).has("call.decision.scope", "once")
	}
	ask(a, "asks", "tool", nil).has("call.status", "pending")

	earlier := ask(a, "bypass", "tool", nil)
	chosen := plan("bypass", "ExitPlanMode")
	yes(chosen, "bypassPermissions").settles().has("call.decision.scope", "mode")
	op.stand([]string{"pending"}, earlier)
	high := ask(a, "bypass", "delete_everything", nil)
	high.has("call.risk", "high", "call.status", "approved", "call.decision.by", "grant", "call.decision.scope", "mode")
	ask(a, "bypass", denied, nil).has("call.status", "denied")
	plan("bypass", "AskUserQuestion").has("call.status", "pending")
	ask(a, "another", "tool", nil).has("call.status", "pending")
	ask(b, "bypass", "tool", nil).has("call.status", "pending")
	grant := op.grantsOf("bypass")[0]
	for path, want := range (fields{"scope": "mode", "maxRisk": "high", "covers.code": "mode", "hits": "1", "expiresAt": nil}) {
		if got := at(grant, path); fmt.Sprint(got) != fmt.Sprint(want) {
			op.Errorf("%s of the grant is %v, want %v", path, got, want)
		}
	}
	op.do(200, "POST /v1/hold", fields{"on": true})
	ask(a, "bypass", "tool", nil).has("call.status", "pending")
	op.do(200, "POST /v1/hold", fields{"on": false})

	op.do(204, "DELETE /v1/grants/"+at(grant, "id").(string), nil)
	op.stand([]string{"revoked"}, high)
	ask(a, "bypass", "tool", nil).has("call.status", "pending")
}
