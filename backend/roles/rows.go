package roles

import (
	"context"
	"net/http"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// rows are those of REST. Without roles they say that there are none.
type rows struct{ of *Roles }

// Add adds the rows; nil: this desk keeps nothing.
func Add(a *restwire.API, of *Roles) {
	h := rows{of}
	restwire.Register(a, restwire.Row{Route: "PATCH /v1/agents/{id}", ID: "setAgentRole", Who: restwire.Operators,
		Summary: "Make an agent a coordinator, or none any more",
		About:   "What a coordinator may ask for without a session, the tables of servers say: see toolPermissions of /v1/servers."}, h.setRole)
	restwire.Register(a, restwire.Row{Route: "GET /v1/projects", ID: "listProjects", Who: restwire.Operators,
		Summary: "List the projects with their members, by their ids"}, h.projects)
	restwire.Register(a, restwire.Row{Route: "PUT /v1/projects/{id}", ID: "putProject", Who: restwire.Operators,
		Summary: "Say who the members of a project are",
		About: "Each agent with the role that its sessions have: a coordinator starts sessions of members only, in this role. The members before go. " +
			"If-Match with the quoted updatedAt guards against lost updates, and If-None-Match: * makes a new one alone."}, h.putProject)
	restwire.Register(a, restwire.Row{Route: "POST /v1/sessions", ID: "makeSession", Who: restwire.Operators, Status: http.StatusCreated,
		Summary: "Make a session for an agent, and its passkey",
		About: "The passkey is shown this once and kept as a hash: the agent changes it within ten minutes for the token of the session, which is a bearer of its own. " +
			"An agent never chooses its role and its purpose."}, h.makeSession)
	restwire.Register(a, restwire.Row{Route: "POST /v1/sessions/authenticate", ID: "authenticate", Who: restwire.Agents,
		Summary: "Change a passkey for the token of its session",
		About: "With the token of the agent that the session is for. A passkey is changed once; whatever else is wrong with one, the answer is the same. " +
			"Who asks with the token is that agent, in that session: a body with another sessionId is 422."}, h.authenticate)
}

func (h rows) there() error {
	if h.of == nil {
		return &permission.Error{Code: permission.CodeUnavailable, Message: "this desk keeps no roles"}
	}
	return nil
}

type setRoleIn struct {
	ID   string `path:"id" maxLength:"256"`
	Body struct {
		Role *string `json:"role" nullable:"true" enum:"coordinator" doc:"null: none"`
	} `nameHint:"AgentRole"`
}

type setRoleOut struct {
	Body struct {
		Agent permission.Agent `json:"agent"`
	}
}

func (h rows) setRole(ctx context.Context, in *setRoleIn) (*setRoleOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	agent, err := h.of.SetRole(ctx, permission.AgentID(in.ID), (*permission.Role)(in.Body.Role))
	out := &setRoleOut{}
	out.Body.Agent = agent
	return out, err
}

type projectsOut struct {
	Body struct {
		Projects []permission.Project `json:"projects"`
	}
}

func (h rows) projects(ctx context.Context, _ *struct{}) (*projectsOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	all, err := h.of.Projects(ctx)
	out := &projectsOut{}
	out.Body.Projects = all
	if all == nil {
		out.Body.Projects = []permission.Project{}
	}
	return out, err
}

type putProjectIn struct {
	ID string `path:"id" maxLength:"256"`
	restwire.Precondition
	restwire.Creation
	Body struct {
		Members map[string]string `json:"members" nullable:"false" doc:"manager or worker, by the ids of agents"`
	} `nameHint:"ProjectMembers"`
}

type putProjectOut struct {
	Body struct {
		Project permission.Project `json:"project"`
	}
}

func (h rows) putProject(ctx context.Context, in *putProjectIn) (*putProjectOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	members := make(map[permission.AgentID]permission.Role, len(in.Body.Members))
	for id, role := range in.Body.Members {
		members[permission.AgentID(id)] = permission.Role(role)
	}
	id := permission.ProjectID(in.ID)
	saw, err := in.SeenAt(func() (permission.Time, error) {
		p, err := h.of.Project(ctx, id)
		return p.UpdatedAt, err
	})
	if err != nil {
		return nil, err
	}
	if in.Fresh() {
		if saw != 0 {
			return nil, restwire.LostUpdate("If-Match and If-None-Match: * cannot both be true")
		}
		saw = permission.NoProject
	}
	p, err := h.of.PutProject(ctx, id, members, saw)
	out := &putProjectOut{}
	out.Body.Project = p
	return out, err
}

type makeSessionIn struct {
	Body struct {
		AgentID    string   `json:"agentId" minLength:"1" maxLength:"256"`
		Role       string   `json:"role" enum:"manager,worker"`
		Purpose    string   `json:"purpose" enum:"task,chat"`
		ProjectID  string   `json:"projectId" doc:"1 to 64 letters, digits, dots, dashes or underscores"`
		TTLSeconds *float64 `json:"ttlSeconds,omitempty" nullable:"true" exclusiveMinimum:"0" maximum:"86400" doc:"how long its token lives; 8 hours when left out"`
	} `nameHint:"NewSession"`
}

type makeSessionOut struct {
	Body struct {
		Session permission.Session `json:"session"`
		Passkey string             `json:"passkey"`
	} `nameHint:"MadeSession"`
}

func (h rows) makeSession(ctx context.Context, in *makeSessionIn) (*makeSessionOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	b := &in.Body
	w := Wanted{AgentID: permission.AgentID(b.AgentID), Standing: permission.Standing{Role: permission.Role(b.Role),
		Purpose: permission.Purpose(b.Purpose), ProjectID: permission.ProjectID(b.ProjectID)}}
	if b.TTLSeconds != nil {
		w.TTL = max(time.Duration(*b.TTLSeconds*float64(time.Second)), time.Millisecond)
	}
	s, passkey, err := h.of.NewSession(ctx, permission.ActorPerson, w)
	out := &makeSessionOut{}
	out.Body.Session = permission.Session{ID: s.ID, AgentID: s.AgentID, AgentName: h.of.opts.Name(s.AgentID), Role: &s.Role,
		Purpose: &s.Purpose, ProjectID: &s.ProjectID, State: permission.SessionWorking, CreatedAt: s.CreatedAt, LastSeenAt: s.CreatedAt}
	out.Body.Passkey = passkey
	return out, err
}

type authenticateIn struct {
	Body struct {
		AgentID   string `json:"agentId,omitempty" minLength:"1" maxLength:"256" doc:"the agent's own; left out only with projectId"`
		Passkey   string `json:"passkey" minLength:"1" maxLength:"512"`
		ProjectID string `json:"projectId,omitempty" minLength:"1" maxLength:"256" doc:"that of the session; left out only with agentId, by a program that has the passkey alone"`
	} `nameHint:"Passkey"`
}

type authenticateOut struct {
	Body struct {
		SessionToken string               `json:"sessionToken"`
		ExpiresAt    permission.Time      `json:"expiresAt"`
		Role         permission.Role      `json:"role"`
		Purpose      permission.Purpose   `json:"purpose"`
		AgentID      permission.AgentID   `json:"agentId"`
		ProjectID    permission.ProjectID `json:"projectId"`
	} `nameHint:"SessionToken"`
}

func (h rows) authenticate(ctx context.Context, in *authenticateIn) (*authenticateOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	b := &in.Body
	agent, project := restwire.AgentOf(ctx), permission.ProjectID(b.ProjectID)
	var s Begun
	var err error
	switch {
	case b.AgentID == "" && project == "":
		s, err = h.of.Begin(ctx, agent, b.Passkey, "")
	case b.AgentID == "":
		err = permission.Invalid("agentId", permission.FieldRequired, "required")
	case project == "":
		err = permission.Invalid("projectId", permission.FieldRequired, "required")
	default:
		s, err = h.of.Authenticate(ctx, agent, permission.AgentID(b.AgentID), b.Passkey, project)
	}
	out := &authenticateOut{}
	out.Body.SessionToken, out.Body.ExpiresAt, out.Body.Role, out.Body.Purpose = s.Token, s.ExpiresAt, s.Role, s.Purpose
	out.Body.AgentID, out.Body.ProjectID = s.AgentID, s.ProjectID
	return out, err
}
