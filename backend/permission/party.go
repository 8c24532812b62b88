package permission

import (
	"regexp"
	"strings"
)

// Agent is a program that may ask. Its token is shown once and kept as a hash.
type Agent struct {
	ID        AgentID `json:"id"`
	Name      string  `json:"name"`
	CreatedAt Time    `json:"createdAt"`
}

// Party is who is asking: the operator (a person) when Agent is nil.
type Party struct{ Agent *Agent }

// Operator is the person at the desk.
func Operator() Party { return Party{} }

// IsOperator reports whether a person asks.
func (p Party) IsOperator() bool { return p.Agent == nil }

// Sees reports whether p may know of agent's calls.
func (p Party) Sees(agent AgentID) bool { return p.Agent == nil || p.Agent.ID == agent }

// ServerTransport is how the desk reaches a server. Only stdio is served yet.
type ServerTransport string

// TransportStdio starts the server as a child process.
const TransportStdio ServerTransport = "stdio"

// Server is a tool server behind the desk. Env may hold secrets: doors mask it
// with Masked.
type Server struct {
	ID        string            `json:"id"`
	Transport ServerTransport   `json:"transport"`
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Cwd       string            `json:"cwd"`
	Enabled   bool              `json:"enabled"`
}

// Mask stands for a secret on the way out; put back, it keeps the secret.
const Mask = "********"

var serverID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// reserved ids would read as ours, or break a map of another language.
var reserved = map[string]bool{"sekisho": true, "__proto__": true, "constructor": true, "prototype": true, ".": true, "..": true}

// Valid says what is wrong with a server's entry as an *Error with Code invalid,
// or nil. It does not try to start it.
func (s *Server) Valid() error {
	switch {
	case !serverID.MatchString(s.ID):
		return Invalid("id", "an id is 1 to 64 letters, digits, dots, dashes or underscores")
	case strings.Contains(s.ID, "__"):
		return Invalid("id", "an id has no double underscore: it parts server and tool on the joined endpoint")
	case reserved[strings.ToLower(s.ID)]:
		return Invalid("id", "this id is reserved")
	case s.Transport != TransportStdio:
		return Invalid("transport", "only stdio servers are supported yet")
	case strings.TrimSpace(s.Command) == "":
		return Invalid("command", "a stdio server needs a command")
	}
	for _, a := range append([]string{s.Command, s.Cwd}, s.Args...) {
		if strings.ContainsRune(a, 0) {
			return Invalid("command", "a command, argument or folder holds no NUL")
		}
	}
	for k, v := range s.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.ContainsRune(v, 0) {
			return Invalid("env", "an environment name is not empty and has no '=' or NUL")
		}
	}
	return nil
}

// ServerState says how a server does, as the desk last saw it.
type ServerState string

// The states of a server. One process serves one connection, so a server with
// no caller is idle.
const (
	ServerIdle     ServerState = "idle"
	ServerRunning  ServerState = "running"
	ServerFailed   ServerState = "failed"
	ServerDisabled ServerState = "disabled"
)

// Masked is the server with its secrets behind Mask. Every value of its
// environment counts as one.
func (s *Server) Masked() Server {
	out := *s
	if out.Args == nil {
		out.Args = []string{}
	}
	out.Env = make(map[string]string, len(s.Env))
	for name := range s.Env {
		out.Env[name] = Mask
	}
	return out
}
