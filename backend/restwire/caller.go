package restwire

import (
	"context"
	"net/http"
	"strings"

	"sekisho/backend/permission"
)

// Caller is who sent a request.
type Caller struct {
	permission.Party
	Executor *permission.Executor // nil of all others; of an executor the Party is an agent that is none
	Token    string               // that said so
	Base     string               // the URL by which it knows the desk
	Face     string               // the page that a person has before them, the window or a browser session; of a program it is empty
}

// faceWindow is the page in the desk's own process.
const faceWindow = "window"

// Door is by which a person came: the window, a page in a browser, or else a program with
// the operator's token.
func (c Caller) Door() string {
	switch c.Face {
	case faceWindow:
		return faceWindow
	case "":
		return "rest"
	}
	return "browser"
}

func (c Caller) role() Who {
	switch {
	case c.Executor != nil:
		return Executors
	case c.IsOperator():
		return Operators
	}
	return Agents
}

type callerKey struct{}

// CallerOf gives the caller of an authenticated request.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// AgentOf gives the agent that a row for agents alone was called by.
func AgentOf(ctx context.Context) permission.Agent {
	if a := CallerOf(ctx).Agent; a != nil {
		return *a
	}
	return permission.Agent{}
}

// AgentFrom gives the agent that sent a request, to the handler behind /mcp.
func AgentFrom(r *http.Request) (permission.Agent, bool) {
	c := CallerOf(r.Context())
	return AgentOf(r.Context()), c.Agent != nil && c.Executor == nil
}

// maxToken bounds what is looked up as a token, in bytes.
const maxToken = 512

// bearer gives the token of the Authorization header, the only place where one
// is taken from: a URL ends up in logs and histories.
func bearer(r *http.Request) (string, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != "" && len(token) <= maxToken
}
