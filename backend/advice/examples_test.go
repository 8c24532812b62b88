package advice_test

import (
	"reflect"
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/rulestest"
)

func TestBrokenExamples(t *testing.T) {
	s := rulestest.Set(t, `[
		{"id":"low","priority":1,"serverId":"fs","toolPattern":"read_*","effect":"allow","examples":[
			{"serverId":"fs","toolName":"read_x","decision":"allow"},
			{"serverId":"fs","toolName":"read_secret","decision":"allow"},
			{"serverId":null,"toolName":"read_x","decision":"ask"}]},
		{"id":"high","priority":2,"toolPattern":"*secret*","effect":"deny","note":"not these","examples":[
			{"serverId":"fs","toolName":"secret","decision":"deny"},
			{"serverId":"fs","toolName":"public","decision":"deny"}]},
		{"id":"off","enabled":false,"effect":"allow","examples":[{"toolName":"x","decision":"allow"}]},
		{"id":"over","expiresAt":"2020-01-01T00:00:00Z","effect":"allow","examples":[{"toolName":"x","decision":"allow"}]},
		{"id":"if","priority":9,"toolName":"run","effect":"allow","condition":"!has(input.force) && sessionId == 's' && agent.name == 'n' && agent.id == 'i' && cwd == '/w'","examples":[
			{"toolName":"run","sessionId":"s","agentId":"i","agentName":"n","cwd":"/w","decision":"allow"},
			{"toolName":"run","sessionId":"s","agentId":"i","agentName":"n","cwd":"/w","input":{"force":true},"decision":"allow"}]}]`)
	want := []advice.Broken{
		{RuleID: "if", Index: 1, Want: permission.Allow, Got: permission.Ask, Reason: "no rule applies"},
		{RuleID: "high", Index: 1, Want: permission.Deny, Got: permission.Ask, Reason: "no rule applies"},
		{RuleID: "low", Index: 1, Want: permission.Allow, Got: permission.Deny, By: &permission.RuleRef{ID: "high", Priority: 2},
			Reason: "not these"},
	}
	if got := advice.BrokenExamples(s, rulestest.Now); !reflect.DeepEqual(got, want) {
		t.Errorf("broken %+v", got)
	}
	if got := advice.BrokenExamples(rulestest.Set(t, rulestest.FiveRules), rulestest.Now); len(got) != 0 {
		t.Errorf("without examples: %+v", got)
	}
}
