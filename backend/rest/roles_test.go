package rest

import (
	"context"
	"testing"

	"sekisho/backend/agentbook"
	"sekisho/backend/permission"
	"sekisho/backend/roles"
)

// fewRoles is a store of roles that keeps nothing: every agent but the unknown one is there, and one
// passkey is good.
type fewRoles struct{}

func rolled() *roles.Roles {
	return roles.New(context.Background(), fewRoles{}, roles.Options{Now: func() permission.Time { return 1700000000123 }})
}

func (fewRoles) MadeSessions(context.Context) (map[string]permission.MadeSession, []permission.AgentID, error) {
	return nil, nil, nil
}

func (fewRoles) Projects(context.Context) ([]permission.Project, error) {
	return []permission.Project{{ID: "p", Members: map[permission.AgentID]permission.Role{"agent-a": permission.RoleWorker}}}, nil
}

func (fewRoles) PutProject(_ context.Context, p permission.Project, saw permission.Time, _ permission.Entry) (kept,
	before permission.Project, err error) {
	if saw != 0 {
		return p, p, &permission.Error{Code: permission.CodeLostUpdate, Message: "the project was changed meanwhile"}
	}
	return p, permission.Project{}, nil
}

func (fewRoles) SetRole(_ context.Context, id permission.AgentID, role *permission.Role, _ permission.Entry) (permission.Agent, error) {
	if id == "unknown" {
		return permission.Agent{}, permission.NotFound("agent")
	}
	return permission.Agent{ID: id, Role: role}, nil
}

func (fewRoles) AddMadeSession(_ context.Context, s permission.MadeSession, _ string, _ permission.Entry) error {
	if s.AgentID == "unknown" {
		return permission.NotFound("agent")
	}
	return nil
}

func (fewRoles) ChangePasskey(_ context.Context, p permission.Passkey,
	_ func(permission.MadeSession) permission.Entry) (permission.MadeSession, error) {
	if p.Hash != agentbook.TokenHash("skp_good") {
		return permission.MadeSession{}, permission.NotFound("passkey")
	}
	return permission.MadeSession{ID: "s", AgentID: p.AgentID, Standing: permission.Standing{Role: permission.RoleWorker,
		Purpose: permission.PurposeTask, ProjectID: p.ProjectID}, ExpiresAt: p.At + 1000}, nil
}

func (fewRoles) EndMadeSession(context.Context, permission.SessionID, permission.Time, permission.Entry) error {
	return nil
}

// TestRolesAreAsked in the form that the contract says, and with the places of what is wrong.
func TestRolesAreAsked(t *testing.T) {
	s := newSite(t, nil)
	for _, c := range []struct {
		method, path, body, field string
	}{
		{"PATCH", "/v1/agents/agent-b", `{}`, "role"},
		{"PATCH", "/v1/agents/agent-b", `{"role":"manager"}`, "role"},
		{"PATCH", "/v1/agents/agent-b", `{"role":"coordinator","name":"x"}`, "name"},
		{"PUT", "/v1/projects/a%20b", `{"members":{}}`, "projectId"},
		{"PUT", "/v1/projects/p", `{}`, "members"},
		{"PUT", "/v1/projects/p", `{"members":{"agent-a":"coordinator"}}`, "members.agent-a"},
		{"POST", "/v1/sessions", `{"agentId":"agent-a","role":"coordinator","purpose":"task","projectId":"p"}`, "role"},
		{"POST", "/v1/sessions", `{"agentId":"agent-a","role":"worker","purpose":"both","projectId":"p"}`, "purpose"},
		{"POST", "/v1/sessions", `{"agentId":"agent-a","role":"worker","purpose":"task","projectId":""}`, "projectId"},
		{"POST", "/v1/sessions", `{"agentId":"agent-a","role":"worker","purpose":"task","projectId":"p","ttlSeconds":86401}`, "ttlSeconds"},
		{"POST", "/v1/sessions", `{"agentId":"agent-a","role":"worker","purpose":"task","projectId":"p","ttlSeconds":0}`, "ttlSeconds"},
		{"POST", "/v1/sessions", `{"agentId":"agent-a","role":"worker","purpose":"task","projectId":"p","passkey":"mine"}`, "passkey"},
	} {
		if got := s.send(c.method, c.path, tokenOp, c.body); got.status != 422 || got.problem(t).Field != c.field {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, got.status, got.body)
		}
	}
	for guard, status := range map[[2]string]int{{"If-None-Match", "*"}: 412, {"If-None-Match", `"v"`}: 422, {"If-None-Match", ""}: 200,
		{"If-Match", "*"}: 200} {
		if got := s.send("PUT", "/v1/projects/p", tokenOp, `{"members":{}}`, guard[0], guard[1]); got.status != status {
			t.Errorf("%s: %d %s", guard, got.status, got.body)
		}
	}
	for body, status := range map[string]int{
		`{"agentId":"agent-a","passkey":"skp_good","projectId":"p"}`:   200,
		`{"agentId":"agent-a","passkey":"skp_bad","projectId":"p"}`:    403,
		`{"agentId":"agent-b","passkey":"skp_good","projectId":"p"}`:   403,
		`{"passkey":"skp_good"}`:                                       200,
		`{"agentId":"agent-a","passkey":"skp_good"}`:                   422,
		`{"passkey":"skp_good","projectId":"p"}`:                       422,
		`{"agent_id":"agent-a","passkey":"skp_good","project_id":"p"}`: 422,
	} {
		if got := s.send("POST", "/v1/sessions/authenticate", tokenA, body); got.status != status {
			t.Errorf("authenticate %s: %d %s", body, got.status, got.body)
		}
	}
	if got := s.send("POST", "/v1/sessions", tokenOp, `{"agentId":"unknown","role":"worker","purpose":"task","projectId":"p"}`); got.status != 404 {
		t.Errorf("a session of nobody: %d %s", got.status, got.body)
	}
	s = newSite(t, func(o *Options) { o.Roles = nil })
	if got := s.send("GET", "/v1/projects", tokenOp, ""); got.status != 503 {
		t.Errorf("without roles: %d %s", got.status, got.body)
	}
}
