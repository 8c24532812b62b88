package main

import (
	"net/url"
	"testing"
)

// TestContractLevelOfATool: a person's own level for a tool, with a name that has to be
// escaped, stands in place of hint and name until the definition changes.
func TestContractLevelOfATool(t *testing.T) {
	const name = "delete note/é ?#%"
	const plain = `{"name":"delete note/é ?#%","annotations":{"destructiveHint":true}}`
	p := newParty(t)
	op, a, _ := p.with(t)
	row := "PUT /v1/servers/far/tools/" + url.PathEscape(name) + "/risk"
	f := newFickle(t, p.daemon, plain)
	op.refused(404, "not_found", row, fields{"risk": "low"})
	agent := p.client(t, p.agent(unique("agent")))
	agent.list()
	asks := func(input fields) reply {
		input["n"] = unique("n")
		return a.ask(201, fields{"serverId": "far", "toolName": name, "input": input})
	}
	waiting := asks(fields{}).has("call.risk", "high")
	for _, body := range []fields{{}, {"risk": "none"}, {"risk": "low", "at": 1}} {
		op.do(422, row, body)
	}
	a.do(403, row, fields{"risk": "low"})
	op.refused(404, "not_found", "PUT /v1/servers/far/tools/delete/risk", fields{"risk": "low"})
	op.refused(404, "not_found", "PUT /v1/servers/near/tools/"+url.PathEscape(name)+"/risk", fields{"risk": "low"})

	op.do(200, row, fields{"risk": "medium"}).has("tool.risk", "medium", "tool.level.void", false)
	asks(fields{}).has("call.risk", "medium", "call.riskReasons.0.code", "person")
	op.do(200, "POST /v1/evaluate", fields{"serverId": "far", "toolName": name, "input": fields{}}).has("risk", "medium")
	op.do(200, row, fields{"risk": "low"})
	asks(fields{}).has("call.risk", "low", "call.riskReasons.0.code", "person")
	asks(fields{"path": "/home/u/.ssh/id_rsa"}).has("call.risk", "high")
	op.do(200, "GET /v1/calls/"+waiting.id(), nil).has("call.risk", "high", "call.rev", 1)
	op.do(200, "GET /v1/servers", nil).has("servers.0.toolLevels.0.toolName", name, "servers.0.toolLevels.0.risk", "low")

	f.becomes(`{"name":"delete note/é ?#%","description":"Other.","annotations":{"destructiveHint":true}}`)
	agent.list()
	asks(fields{}).has("call.risk", "high")
	op.do(200, "GET /v1/servers/far/tools/"+url.PathEscape(name), nil).has("tool.risk", nil, "tool.level.risk", "low", "tool.level.void", true)
	op.do(200, row, fields{"risk": nil}).has("tool.risk", nil, "tool.level", nil)
	told := 0
	for _, e := range op.do(200, "GET /v1/journal?limit=1000", nil).list("entries") {
		if data, _ := e.(map[string]any)["data"].(map[string]any); data["what"] == "toolLevel" || data["what"] == "toolLevelVoid" {
			told++
		}
	}
	if told != 4 {
		t.Errorf("the journal tells of %d levels", told)
	}
}
