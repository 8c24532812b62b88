package permission

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Agent is a program that may ask. Its token is shown once and kept as a hash.
type Agent struct {
	ID        AgentID `json:"id"`
	Name      string  `json:"name"`
	CreatedAt Time    `json:"createdAt"`
	// StoppedUntil is when the calls of the agent are no longer refused, which a person stopped.
	StoppedUntil Time `json:"stoppedUntil"`
	// Role is coordinator where a person made the agent one, and else nil.
	Role *Role `json:"role"`
	// Session is that by whose token the agent came; it is empty where it came with its own.
	Session SessionID `json:"-"`
	// UserID is the user whom the agent works for: which workspaces it sees follows from that. An
	// agent without one is its own user.
	UserID string `json:"userId"`
}

// Party is who is asking: the operator (a person) when Agent is nil.
type Party struct{ Agent *Agent }

// Operator is the person at the desk.
func Operator() Party { return Party{} }

// Session is that by whose token an agent asks; it is empty where it asks with its own.
func (p Party) Session() SessionID {
	if p.Agent == nil {
		return ""
	}
	return p.Agent.Session
}

// IsOperator reports whether a person asks.
func (p Party) IsOperator() bool { return p.Agent == nil }

// Sees reports whether p may know of agent's calls.
func (p Party) Sees(agent AgentID) bool { return p.Agent == nil || p.Agent.ID == agent }

// ServerTransport is how the desk reaches a server.
type ServerTransport string

// The transports of MCP.
const (
	TransportStdio ServerTransport = "stdio" // a child process, one for each connection of a client
	TransportHTTP  ServerTransport = "http"  // streamable HTTP

	// TransportBuiltin is that of a server in the desk's own process: its entry is of the desk's
	// making.
	TransportBuiltin ServerTransport = "builtin"

	// TransportWorkspace is that of a folder with the file and command tools of room tool.
	TransportWorkspace ServerTransport = "workspace"
)

// Server is a tool server behind the desk. Command, Args, Env and Cwd are those of
// one that is started, URL and Headers those of one that is reached over HTTP. Env and
// Headers may hold secrets: doors mask them with Masked.
type Server struct {
	ID        string            `json:"id"`
	Transport ServerTransport   `json:"transport"`
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Cwd       string            `json:"cwd"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Enabled   bool              `json:"enabled"`
	// ToolPermissions say who may use which of its tools at all; nil: nothing is checked.
	ToolPermissions ToolPermissions `json:"toolPermissions,omitzero"`
	// Of a workspace: who runs its tools, which users' agents see it (none named: all), and where
	// programs are looked for beside the system's own folders. Cwd is its folder.
	Execution      Execution `json:"execution,omitempty"`
	Users          []string  `json:"users,omitempty"`
	ProgramFolders []string  `json:"programFolders,omitempty"`

	// Lacks says why it cannot be started or reached: a value of its environment or
	// headers is not at hand. It is no part of the entry.
	Lacks string `json:"-"`
	// Revision is another one when anything of how it is started or reached is, what masks
	// hide included. The desk makes it.
	Revision string `json:"-"`
}

// Mask stands for a secret on the way out; put back, it keeps the secret.
const Mask = "********"

var serverID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// GoodID reports whether the server's id has the form of one.
func (s *Server) GoodID() bool { return serverID.MatchString(s.ID) }

// PromptServer is the id of the desk's own server, whose one tool is a client's permission
// prompt: no entry of a person's list can have it.
const PromptServer = "sekisho"

// CoordinationServer is the id of the desk's own server of what agents do together: an entry of
// the list that the desk makes.
const CoordinationServer = "coordination"

// reserved ids would read as ours, or break a map of another language.
var reserved = map[string]bool{PromptServer: true, "__proto__": true, "constructor": true, "prototype": true, ".": true, "..": true}

// Valid says what is wrong with a server's entry as an *Error with Code invalid,
// or nil. It does not try to start it.
func (s *Server) Valid() error {
	switch {
	case !serverID.MatchString(s.ID):
		return Invalid("id", FieldIDForm, "an id is 1 to 64 letters, digits, dots, dashes or underscores")
	case strings.Contains(s.ID, "__"):
		return Invalid("id", FieldIDUnderscores, "an id has no double underscore: it parts server and tool on the joined endpoint")
	case reserved[strings.ToLower(s.ID)]:
		return Invalid("id", FieldIDReserved, "this id is reserved")
	}
	if err := s.ToolPermissions.Valid(); err != nil {
		return err
	}
	switch {
	case s.IsWorkspace():
		return s.validWorkspace()
	case s.Execution != "" || len(s.Users)+len(s.ProgramFolders) > 0:
		return Invalid("execution", FieldWorkspaceOnly, "execution, users and programFolders are of a workspace")
	case s.Transport == TransportStdio:
		return s.validProcess()
	case s.Transport == TransportHTTP:
		return s.validRemote()
	case s.Transport == TransportBuiltin && s.ID == CoordinationServer:
		return s.validBuiltin()
	}
	return Invalid("transport", FieldTransport, "a transport is stdio, http or workspace")
}

// Same reports whether a connection that was made with one entry is still what the
// other one says.
func (s *Server) Same(o *Server) bool {
	return s.Transport == o.Transport && s.Command == o.Command && s.Cwd == o.Cwd && s.URL == o.URL &&
		slices.Equal(s.Args, o.Args) && maps.Equal(s.Env, o.Env) && maps.Equal(s.Headers, o.Headers) &&
		s.Execution == o.Execution && slices.Equal(s.ProgramFolders, o.ProgramFolders)
}

func (s *Server) validProcess() error {
	switch {
	case strings.TrimSpace(s.Command) == "":
		return Invalid("command", FieldCommandMissing, "a stdio server needs a command")
	case s.URL != "":
		return Invalid("url", FieldCommandURL, "a stdio server has no URL")
	case len(s.Headers) > 0:
		return Invalid("headers", FieldCommandHeaders, "a stdio server has no headers: secrets go into its environment")
	}
	for _, a := range append([]string{s.Command, s.Cwd}, s.Args...) {
		if strings.ContainsRune(a, 0) {
			return Invalid("command", FieldNUL, "a command, argument or folder holds no NUL")
		}
	}
	for k, v := range s.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.ContainsRune(v, 0) {
			return Invalid("env", FieldEnvironmentName, "an environment name is not empty and has no '=' or NUL")
		}
	}
	return nil
}

// validBuiltin is for a server of the desk's own, which is neither started nor reached.
func (s *Server) validBuiltin() error {
	if s.Command != "" || len(s.Args)+len(s.Env)+len(s.Headers) > 0 || s.Cwd != "" || s.URL != "" {
		return Invalid("command", FieldHTTPCommand, "a server of the desk's own is not started, and has no address")
	}
	return nil
}

// address is an absolute URL of HTTP without a fragment: a name or an address in brackets,
// perhaps a port, and what follows.
var address = regexp.MustCompile(`^https?://([^\[\]/?#\s[:cntrl:]]+|\[[0-9A-Fa-f:.]+\](:[0-9]+)?)([/?][^#\s[:cntrl:]]*)?$`)

// header is a field name of HTTP: a token of RFC 9110, section 5.6.2.
var header = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$")

// ours are the headers that belong to a message or its connection, not to an entry.
var ours = regexp.MustCompile(
	`(?i)^(mcp-.*|accept|content-.*|connection|host|keep-alive|last-event-id|proxy-.*|te|trailer|transfer-encoding|upgrade)$`)

func (s *Server) validRemote() error {
	_, rest, _ := strings.Cut(s.URL, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, query, _ := strings.Cut(host, "?")
	switch {
	case s.Command != "" || len(s.Args) > 0 || len(s.Env) > 0 || s.Cwd != "":
		return Invalid("command", FieldHTTPCommand, "an http server is not started: it has no command, arguments, environment or folder")
	case !address.MatchString(s.URL):
		return Invalid("url", FieldURLForm, "an http server needs a URL like https://example.com/mcp")
	case strings.Contains(host+query, "@"):
		return Invalid("url", FieldURLSecret, "a URL is shown to everybody: put its secret into a header")
	}
	for name, value := range s.Headers {
		switch {
		case !header.MatchString(name):
			return Invalid("headers", FieldHeaderName, "a header's name has letters, digits and dashes")
		case ours.MatchString(name):
			return Invalid("headers."+name, FieldHeaderReserved, "this header belongs to the messages: the desk writes it")
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			return Invalid("headers."+name, FieldHeaderValue, "a header's value is one line")
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

// Masked is the server with its secrets behind Mask. Every value of its environment
// and of its headers counts as one.
func (s *Server) Masked() Server {
	out := *s
	if out.Args == nil {
		out.Args = []string{}
	}
	out.Env, out.Headers = masked(s.Env), masked(s.Headers)
	return out
}

func masked(values map[string]string) map[string]string {
	out := make(map[string]string, len(values))
	for name := range values {
		out[name] = Mask
	}
	return out
}
