package coordination

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/google/uuid"

	"sekisho/backend/permission"
)

// Desk is what the desk knows of agents and of the sessions that it made.
type Desk interface {
	Now() permission.Time
	Projects(ctx context.Context) ([]Project, error)
	// Sessions gives those of an agent in a project that have not ended, the oldest first.
	Sessions(ctx context.Context, project permission.ProjectID, agent permission.AgentID) ([]Session, error)
	// Session gives one that has not ended; permission.NotFound where there is none.
	Session(ctx context.Context, id permission.SessionID) (Session, error)
	// Start makes a session for a member of a project, in the role of the member, and gives its
	// passkey.
	Start(ctx context.Context, by permission.Agent, project permission.ProjectID, member Member,
		purpose permission.Purpose) (s Session, passkey string, err error)
	End(ctx context.Context, by permission.Agent, s Session) error
	// Authenticate changes a passkey for the token of its session.
	Authenticate(ctx context.Context, agent permission.Agent, said Passkey) (Entry, error)
	// Waiting gives the sessions of which a call waits for a person.
	Waiting(ctx context.Context) (map[permission.SessionID]bool, error)
	// Halted says why an agent is to do nothing now: a person has stopped it, or holds everything;
	// "" is no reason.
	Halted(agent permission.AgentID) string
}

// Project is a project with its members, in the order of their ids.
type Project struct {
	ID      permission.ProjectID
	Members []Member
}

// Member is an agent in a project.
type Member struct {
	AgentID permission.AgentID
	Name    string
	Role    permission.Role
}

// Session is one that the desk made.
type Session struct {
	ID        permission.SessionID
	AgentID   permission.AgentID
	ProjectID permission.ProjectID
	Role      permission.Role
	Purpose   permission.Purpose
	CreatedAt permission.Time
	Entered   bool // its passkey was changed for a token
}

// Passkey is what an agent says to enter a session.
type Passkey struct {
	AgentID   permission.AgentID
	Passkey   string
	ProjectID permission.ProjectID
}

// Entry is what an agent gets for a passkey.
type Entry struct {
	Token     string               `json:"session_token"`
	ExpiresAt permission.Time      `json:"expires_at"`
	Role      permission.Role      `json:"role"`
	Purpose   permission.Purpose   `json:"purpose"`
	AgentID   permission.AgentID   `json:"agent_id"`
	ProjectID permission.ProjectID `json:"project_id"`
	SessionID permission.SessionID `json:"-"`
}

// Coordination is the use case. It is safe for use by many goroutines.
type Coordination struct {
	store Store
	desk  Desk
	bells bells
	signs signs

	handed handed
	orders sync.Mutex // one order at a time: of two that look at once, both would begin a session
}

// New makes one over a store, before a desk.
func New(store Store, desk Desk) *Coordination {
	return &Coordination{store: store, desk: desk, bells: bells{waiting: map[permission.ProjectID]chan struct{}{}},
		signs:  signs{began: desk.Now(), seen: map[permission.SessionID]bool{}},
		handed: handed{to: map[permission.SessionID][]*parcel{}}}
}

// newID is a UUIDv7.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// project gives a project; NotFound where there is none.
func (c *Coordination) project(ctx context.Context, id permission.ProjectID) (Project, error) {
	all, err := c.desk.Projects(ctx)
	if err != nil {
		return Project{}, err
	}
	i := slices.IndexFunc(all, func(p Project) bool { return p.ID == id })
	if i < 0 {
		return Project{}, permission.NotFound("project")
	}
	return all[i], nil
}

// member gives a member of a project; NotFound where it is none.
func (c *Coordination) member(ctx context.Context, project permission.ProjectID, agent permission.AgentID) (Member, error) {
	p, err := c.project(ctx, project)
	if err != nil {
		return Member{}, err
	}
	i := slices.IndexFunc(p.Members, func(m Member) bool { return m.AgentID == agent })
	if i < 0 {
		return Member{}, permission.NotFound("agent in this project")
	}
	return p.Members[i], nil
}

// live reports whether a session has not ended. "" is none.
func (c *Coordination) live(ctx context.Context, id permission.SessionID) (bool, error) {
	if id == "" {
		return false, nil
	}
	_, err := c.desk.Session(ctx, id)
	if e, ok := err.(*permission.Error); ok && e.Code == permission.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

// actorOf is how the journal names an agent.
func actorOf(agent permission.AgentID) string { return "agent:" + string(agent) }

// of gives the participant that an agent id names; "" is the person.
func (c *Coordination) participant(ctx context.Context, project permission.ProjectID, agent permission.AgentID) (Participant, error) {
	if agent == "" {
		return Person, nil
	}
	m, err := c.member(ctx, project, agent)
	return OfAgent(m.AgentID), err
}

// oldest is the one that was made first.
func oldest(tasks []Task) (Task, bool) {
	if len(tasks) == 0 {
		return Task{}, false
	}
	return slices.MinFunc(tasks, func(a, b Task) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	}), true
}
