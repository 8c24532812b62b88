package rest

import (
	"context"
	"fmt"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Servers shows the servers, with their secrets, and replaces them all. The version of
// the list is another one when anything of it is. ifVersion, when not empty, is the one
// that was seen: permission.CodeLostUpdate when it is another by now. Unmasked gives a
// server as it would be kept.
type Servers interface {
	Servers(ctx context.Context) ([]permission.Server, error)
	ServerList(ctx context.Context) (servers []permission.Server, version string, err error)
	ReplaceServers(ctx context.Context, ifVersion string, servers []permission.Server) (stored []permission.Server, version string, err error)
	Unmasked(ctx context.Context, s permission.Server) (permission.Server, error)
	Secrets() permission.SecretsNotice
}

// serverRows are those of servers, their tools and the sign-ins to them.
type serverRows struct {
	servers      Servers
	tools        Tools
	signIns      SignIns
	test         Tester
	state        func(permission.Server) (state string, tools []string)
	confinement  func(permission.Server) *permission.Confinement
	endsChildren bool
	inherited    []string
}

func (h *serverRows) addServers(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /v1/servers", ID: "listServers", Who: restwire.Operators,
		Summary: "List the tool servers behind the desk",
		About:   "Values of env and headers are masked; secrets says where they are kept. version is that of the list, which is in the ETag too."}, h.listServers)
	restwire.Register(a, restwire.Row{Route: "PUT /v1/servers", ID: "replaceServers", Who: restwire.Operators,
		Summary: "Put these servers in the place of all",
		About:   "A masked value put back keeps the secret that it stands for. If-Match with the quoted version guards against lost updates."},
		h.replaceServers)
}

// serverForm is a server as it is shown and written. What does not belong to its
// transport is taken when it is empty, so that what was read can be written.
type serverForm struct {
	ID        string                               `json:"id" doc:"1 to 64 letters, digits, dots, dashes or underscores, without a double underscore"`
	Transport string                               `json:"transport,omitempty" enum:"stdio,http,builtin,workspace" doc:"stdio when left out: the desk starts the command; http: the desk asks the URL (streamable HTTP); workspace: the folder cwd with the file and command tools; builtin: the server of coordination, of the desk's own, see /v1/coordination"`
	Command   string                               `json:"command,omitempty"`
	Args      []string                             `json:"args,omitempty"`
	Env       map[string]string                    `json:"env,omitempty" nullable:"true"`
	Cwd       string                               `json:"cwd,omitempty"`
	URL       *string                              `json:"url,omitempty" nullable:"true" doc:"of an http server; null else"`
	Headers   map[string]string                    `json:"headers,omitempty" nullable:"true" doc:"of an http server, sent with each request; values are masked on the way out"`
	Enabled   *bool                                `json:"enabled,omitempty" nullable:"false" doc:"true when left out"`
	Table     map[string]permission.ToolPermission `json:"toolPermissions,omitempty" nullable:"true" doc:"who may use which tool at all, by exact names and * for all others; null or left out: the server has no table, and nothing is checked before rules; that of coordination is the desk's own"`
	Execution string                               `json:"execution,omitempty" enum:"desk,client" doc:"of a workspace: who runs its tools, the desk or an executor"`
	Users     []string                             `json:"users,omitempty" nullable:"true" doc:"of a workspace: whose agents see it; none named: all"`
	Programs  []string                             `json:"programFolders,omitempty" nullable:"true" doc:"of a workspace: where programs are looked for beside /usr/bin, /bin and /usr/local/bin"`
	State     string                               `json:"state,omitempty" readOnly:"true"`
	Trouble   string                               `json:"trouble,omitempty" readOnly:"true"`
	SignIn    *permission.SignIn                   `json:"signIn,omitempty" readOnly:"true"`
	Tools     []string                             `json:"tools,omitempty" readOnly:"true"`
	Changed   []string                             `json:"changedTools,omitempty" readOnly:"true"`
	Levels    []permission.ToolLevel               `json:"toolLevels,omitempty" readOnly:"true"`
	Flagged   []permission.FlaggedTool             `json:"flaggedTools,omitempty" readOnly:"true"`
	Ends      *bool                                `json:"endsChildren,omitempty" nullable:"true" readOnly:"true"`
	Confined  *permission.Confinement              `json:"confinement,omitempty" readOnly:"true"`
	Revision  string                               `json:"revision,omitempty" readOnly:"true"`
}

func (f *serverForm) server() permission.Server {
	s := permission.Server{ID: f.ID, Transport: permission.ServerTransport(f.Transport), Command: f.Command, Args: list(f.Args), Env: f.Env,
		Cwd: f.Cwd, Headers: f.Headers, Enabled: f.Enabled == nil || *f.Enabled, ToolPermissions: f.Table,
		Execution: permission.Execution(f.Execution), Users: f.Users, ProgramFolders: f.Programs}
	if s.Transport == "" {
		s.Transport = permission.TransportStdio
	}
	if s.Env == nil {
		s.Env = map[string]string{}
	}
	if f.URL != nil {
		s.URL = *f.URL
	}
	return s
}

// serverShown is a server in an answer: every field is there.
type serverShown struct {
	ID        string                               `json:"id"`
	Transport permission.ServerTransport           `json:"transport"`
	Command   string                               `json:"command"`
	Args      []string                             `json:"args"`
	Env       map[string]string                    `json:"env"`
	Cwd       string                               `json:"cwd"`
	URL       *string                              `json:"url"`
	Headers   map[string]string                    `json:"headers"`
	Enabled   bool                                 `json:"enabled"`
	Table     map[string]permission.ToolPermission `json:"toolPermissions" nullable:"true" doc:"who may use which tool at all; null: nothing is checked"`
	Execution permission.Execution                 `json:"execution,omitempty" doc:"of a workspace: who runs its tools"`
	Users     []string                             `json:"users,omitempty" doc:"of a workspace: whose agents see it; none named: all"`
	Programs  []string                             `json:"programFolders,omitempty" doc:"of a workspace: where programs are looked for beside the system's own folders"`
	State     permission.ServerState               `json:"state"`
	Trouble   string                               `json:"trouble" doc:"why it cannot be started or reached as it is kept, or empty: a secret value of it is not at hand"`
	SignIn    permission.SignIn                    `json:"signIn" doc:"of an http server"`
	Tools     []string                             `json:"tools"`
	Changed   []string                             `json:"changedTools" doc:"tools that changed since they were allowed: they ask until the change is accepted"`
	Levels    []permission.ToolLevel               `json:"toolLevels" doc:"risks that persons gave tools"`
	Flagged   []permission.FlaggedTool             `json:"flaggedTools" doc:"tools in whose names, titles, descriptions or schemas characters hide or pass for others; at most 100"`
	Confined  *permission.Confinement              `json:"confinement,omitempty" doc:"of a workspace whose tools the desk runs: how far its commands are confined, and which programs work"`
	Ends      *bool                                `json:"endsChildren" doc:"of a stdio server: what it starts ends with it, in whatever session it is; false where the system only lets the desk end its process group. null of an http server"`
	Revision  string                               `json:"revision" doc:"another one when how it is started or reached is, what is masked included"`
}

type serversOut struct {
	ETag string `header:"ETag" doc:"version in quotes, for If-Match"`
	Body struct {
		Version string                   `json:"version" doc:"another one when any server is, or their order"`
		Servers []serverShown            `json:"servers"`
		Secrets permission.SecretsNotice `json:"secrets" doc:"where the values of env and headers are kept"`

		Inherited []string `json:"inherited" doc:"names of the desk's own variables that a stdio server gets, beside those of its env"`
	}
}

func (h *serverRows) serversAnswer(servers []permission.Server, version string, err error) (*serversOut, error) {
	out := &serversOut{ETag: `"` + version + `"`}
	out.Body.Version = version
	out.Body.Servers = make([]serverShown, 0, len(servers))
	out.Body.Secrets, out.Body.Inherited = h.servers.Secrets(), list(h.inherited)
	for _, s := range servers {
		state, tools := h.state(s)
		shown := s.Masked()
		out.Body.Servers = append(out.Body.Servers, serverShown{
			ID: s.ID, Transport: s.Transport, Command: s.Command, Args: shown.Args, Env: shown.Env, Cwd: s.Cwd,
			Headers: shown.Headers, Enabled: s.Enabled, Table: s.ToolPermissions, State: permission.ServerState(state), Trouble: s.Lacks,
			Confined: h.confinement(s), Execution: s.Execution, Users: s.Users, Programs: s.ProgramFolders,
			SignIn: h.signedIn(s), Tools: list(tools), Changed: list(h.tools.ChangedTools(s.ID)),
			Levels: list(h.tools.ToolLevels(s.ID)), Flagged: list(h.tools.FlaggedTools(s.ID)), Revision: s.Revision,
		})
		last := &out.Body.Servers[len(out.Body.Servers)-1]
		if s.URL != "" {
			last.URL = &s.URL
		}
		if s.Transport == permission.TransportStdio || s.RunsHere() {
			last.Ends = &h.endsChildren
		}
	}
	return out, err
}

func (h *serverRows) listServers(ctx context.Context, _ *struct{}) (*serversOut, error) {
	return h.serversAnswer(h.servers.ServerList(ctx))
}

type replaceServersIn struct {
	restwire.Precondition
	Body struct {
		Version string                    `json:"version,omitempty" readOnly:"true"`
		Servers []serverForm              `json:"servers" nullable:"false" maxItems:"1000"`
		Secrets *permission.SecretsNotice `json:"secrets,omitempty" readOnly:"true"`

		Inherited []string `json:"inherited,omitempty" readOnly:"true"`
	}
}

func (h *serverRows) replaceServers(ctx context.Context, in *replaceServersIn) (*serversOut, error) {
	version, err := in.Seen(func() (string, error) {
		_, version, err := h.servers.ServerList(ctx)
		return version, err
	})
	if err != nil {
		return nil, err
	}
	servers := make([]permission.Server, 0, len(in.Body.Servers))
	for i := range in.Body.Servers {
		servers = append(servers, in.Body.Servers[i].server())
	}
	stored, version, err := h.servers.ReplaceServers(ctx, version, servers)
	if err != nil {
		return nil, fmt.Errorf("replace servers: %w", err)
	}
	return h.serversAnswer(stored, version, nil)
}

// Tester tries a server: which tools it offers, the last words of its standard error,
// and why it is of no use, in words for a person.
type Tester func(ctx context.Context, s permission.Server) (tools []permission.OfferedTool, words string, err error)

// Tools shows what changed of tools since they were allowed, and takes a person's
// word that it was seen: of one, or of several of a server, all or none
// (permission.CodeStale names those that are others by now). accepted are those that had
// changed.
type Tools interface {
	ChangedTools(serverID string) []string
	FlaggedTools(serverID string) []permission.FlaggedTool
	ToolFlags(offered []permission.OfferedTool) []permission.FlaggedTool
	Tool(ctx context.Context, serverID, name string) (permission.KeptTool, error)
	AcceptTool(ctx context.Context, serverID, name string, shown permission.SeenTool) (permission.KeptTool, error)
	AcceptTools(ctx context.Context, serverID string, shown map[string]permission.ShownTool) (accepted []string, err error)
	// SetToolLevel keeps the risk that a person gives a tool; "" takes it back.
	SetToolLevel(ctx context.Context, serverID, name string, level permission.Risk) (permission.KeptTool, error)
	ToolLevels(serverID string) []permission.ToolLevel
}

// SignIns signs the desk in to servers over HTTP that ask for it.
type SignIns interface {
	// Begin answers where a person has to go in their browser. as is nil where they say
	// nothing of a client.
	Begin(ctx context.Context, s permission.Server, as *permission.SignInClient) (permission.SignIn, error)
	SignIn(s permission.Server) permission.SignIn
	// SignOut forgets a server's tokens. The answer has the client that stays; its error says
	// that the authorization server did not take them back.
	SignOut(ctx context.Context, serverID string) (permission.SignIn, error)
}
