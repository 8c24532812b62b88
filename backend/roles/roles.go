// Package roles is the use case of what agents are to the desk: which of them a person made
// coordinators, which projects they are members of, and the sessions that the desk makes for
// them. A session has a role and a purpose that its agent does not choose: a person, or a
// coordinator for the members of a project, makes it and gets a passkey, which the agent changes
// once for the token of the session. Of both the desk keeps hashes.
package roles

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/agentbook"
	"sekisho/backend/permission"
	"sekisho/backend/sessionbook"
)

// Store keeps roles, projects and sessions.
type Store interface {
	MadeSessions(ctx context.Context) (bySecret map[string]permission.MadeSession, coordinators []permission.AgentID, err error)
	Projects(ctx context.Context) ([]permission.Project, error)
	// PutProject keeps a project, and gives the one in whose place it is; CodeLostUpdate where it was not
	// changed last when it was seen, 0 being any and permission.NoProject none.
	PutProject(ctx context.Context, p permission.Project, saw permission.Time, e permission.Entry) (kept, before permission.Project, err error)
	SetRole(ctx context.Context, id permission.AgentID, role *permission.Role, e permission.Entry) (permission.Agent, error)
	AddMadeSession(ctx context.Context, s permission.MadeSession, passkeyHash string, e permission.Entry) error
	// ChangePasskey puts a token in the place of a passkey, once; NotFound where it is no good one.
	ChangePasskey(ctx context.Context, p permission.Passkey,
		entry func(permission.MadeSession) permission.Entry) (permission.MadeSession, error)
	EndMadeSession(ctx context.Context, id permission.SessionID, at permission.Time, e permission.Entry) error
}

// Options of the use case.
type Options struct {
	Now    func() permission.Time
	Logger *slog.Logger                    // nil is slog.Default
	Name   func(permission.AgentID) string // an agent's
	// Changed is told of an agent of which a session began or ended, or whose role is another:
	// what it may ask for is another by then. ended is the session that ended, or empty.
	Changed func(agent permission.AgentID, ended permission.SessionID)
	// Withdraw takes back what a session that ends has asked for, and what was granted in it; nil: nothing.
	Withdraw func(ctx context.Context, agent permission.AgentID, id permission.SessionID) error
}

// TokenPrefix begins the token of a session, and passkeyPrefix a passkey.
const (
	TokenPrefix   = "sks_"
	passkeyPrefix = "skp_"
)

// Roles is the use case. It is safe for use by many goroutines.
type Roles struct {
	store Store
	opts  Options
	book  atomic.Pointer[sessionbook.Book]
	edits sync.Mutex // one change of the book at a time
	moved chan struct{}
}

// New makes one over a store. What cannot be read is nobody's: no token of a session is known then.
func New(ctx context.Context, store Store, opts Options) *Roles {
	r := &Roles{store: store, opts: opts, moved: make(chan struct{}, 1)}
	if r.opts.Name == nil {
		r.opts.Name = func(permission.AgentID) string { return "" }
	}
	if r.opts.Withdraw == nil {
		r.opts.Withdraw = func(context.Context, permission.AgentID, permission.SessionID) error { return nil }
	}
	if r.opts.Logger == nil {
		r.opts.Logger = slog.Default()
	}
	if r.opts.Changed == nil {
		r.opts.Changed = func(permission.AgentID, permission.SessionID) {}
	}
	r.book.Store(sessionbook.New(nil, nil))
	if err := r.reload(ctx); err != nil {
		r.opts.Logger.Error("read roles and sessions", "error", err)
	}
	return r
}

func (r *Roles) reload(ctx context.Context) error {
	sessions, coordinators, err := r.store.MadeSessions(ctx)
	if err == nil {
		r.book.Store(sessionbook.New(sessions, coordinators))
	}
	return err
}

// Standing is what an agent is in a session at a time.
func (r *Roles) Standing(agent permission.AgentID, session permission.SessionID, at permission.Time) permission.Standing {
	return r.book.Load().Standing(agent, session, at)
}

// Made gives a session that the desk made for an agent.
func (r *Roles) Made(agent permission.AgentID, session permission.SessionID) (permission.MadeSession, bool) {
	return r.book.Load().Made(agent, session)
}

// Of lists the sessions that are not over, of an agent or, where it is empty, of all.
func (r *Roles) Of(agent permission.AgentID, at permission.Time) []permission.MadeSession {
	return r.book.Load().Of(agent, at)
}

// Token gives the session of a live token; NotFound where it is of none, has expired or ended.
func (r *Roles) Token(token string) (permission.MadeSession, error) {
	if s, live := r.book.Load().Token(agentbook.TokenHash(token), r.opts.Now()); live {
		return s, nil
	}
	return permission.MadeSession{}, permission.NotFound("session")
}

// Prove proves for the live token of a key that this is its desk; NotFound when no token has it.
// See package proof.
func (r *Roles) Prove(key, nonce, address string) (string, error) {
	return r.book.Load().Prove(key, nonce, address, r.opts.Now())
}

// Forget forgets an agent that was removed from the desk.
func (r *Roles) Forget(agent permission.AgentID) {
	r.edits.Lock()
	defer r.edits.Unlock()
	r.book.Store(r.book.Load().Without(agent))
}

// SetRole makes an agent a coordinator, or none where role is nil.
func (r *Roles) SetRole(ctx context.Context, id permission.AgentID, role *permission.Role) (agent permission.Agent, err error) {
	if role != nil && *role != permission.RoleCoordinator {
		return agent, permission.Invalid("role", permission.FieldNotOneOf, "the role of an agent is coordinator or none: a session has the others")
	}
	agent, err = r.setRole(ctx, id, role)
	if err == nil {
		r.opts.Changed(id, "")
	}
	return agent, err
}

func (r *Roles) setRole(ctx context.Context, id permission.AgentID, role *permission.Role) (agent permission.Agent, err error) {
	r.edits.Lock()
	defer r.edits.Unlock()
	before := r.book.Load()
	if role == nil { // what is taken away is gone before it is kept
		r.book.Store(before.WithRole(id, false))
	}
	entry := entry(r.opts.Now(), permission.ActorPerson, "role", map[string]any{"agentId": id, "role": role})
	if agent, err = r.store.SetRole(ctx, id, role, entry); err != nil {
		return agent, errors.Join(err, r.reload(context.WithoutCancel(ctx)))
	}
	r.book.Store(before.WithRole(id, role != nil))
	return agent, nil
}

// entry is what the journal says of a change.
func entry(at permission.Time, actor, what string, more map[string]any) permission.Entry {
	data := map[string]any{"what": what}
	maps.Copy(data, more)
	return permission.Entry{At: at, Kind: permission.AgentsChanged, Actor: actor, Data: permission.Data(data)}
}

// Projects lists them by their ids.
func (r *Roles) Projects(ctx context.Context) ([]permission.Project, error) {
	return r.store.Projects(ctx)
}

// Project gives one; NotFound where there is none.
func (r *Roles) Project(ctx context.Context, id permission.ProjectID) (permission.Project, error) {
	all, err := r.store.Projects(ctx)
	i := slices.IndexFunc(all, func(p permission.Project) bool { return p.ID == id })
	if err != nil || i < 0 {
		return permission.Project{}, errors.Join(err, permission.NotFound("project"))
	}
	return all[i], nil
}

// maxMembers bounds a project.
const maxMembers = 1000

// PutProject says who the members of a project are, and which role a session of each has. Sessions with
// a role that a member does not have any more end. saw is the updatedAt that was seen; 0 is any, and
// permission.NoProject that there was none.
func (r *Roles) PutProject(ctx context.Context, id permission.ProjectID, members map[permission.AgentID]permission.Role,
	saw permission.Time) (permission.Project, error) {
	p := permission.Project{ID: id, Members: members, CreatedAt: r.opts.Now()}
	p.UpdatedAt = p.CreatedAt
	if p.Members == nil {
		p.Members = map[permission.AgentID]permission.Role{}
	}
	if err := p.ID.Valid(); err != nil {
		return p, err
	}
	if len(members) > maxMembers {
		return p, permission.Invalid("members", permission.FieldTooMany, fmt.Sprintf("a project has at most %d members", maxMembers)).
			With(permission.Param("most", maxMembers))
	}
	for agent, role := range members {
		if role != permission.RoleManager && role != permission.RoleWorker {
			return p, permission.Invalid("members."+string(agent), permission.FieldNotOneOf, "a member is a manager or a worker")
		}
	}
	p, before, err := r.store.PutProject(ctx, p, saw,
		entry(p.UpdatedAt, permission.ActorPerson, "project", map[string]any{"projectId": id, "members": p.Members}))
	if err != nil {
		return p, err
	}
	for agent, role := range before.Members {
		for _, s := range r.Of(agent, r.opts.Now()) {
			if s.ProjectID == id && s.Role == role && p.Members[agent] != role {
				err = errors.Join(err, r.End(ctx, permission.ActorPerson, agent, s.ID))
			}
		}
	}
	return p, err
}

// Wanted is a session to be made.
type Wanted struct {
	AgentID permission.AgentID
	permission.Standing
	TTL time.Duration // of its token; 0 is permission.SessionLife
}

func (w *Wanted) valid() error {
	switch {
	case w.AgentID == "":
		return permission.Invalid("agentId", permission.FieldRequired, "a session is an agent's")
	case w.Role != permission.RoleManager && w.Role != permission.RoleWorker:
		return permission.Invalid("role", permission.FieldNotOneOf, "a session is that of a manager or a worker")
	case w.Purpose != permission.PurposeTask && w.Purpose != permission.PurposeChat:
		return permission.Invalid("purpose", permission.FieldNotOneOf, "a session is for a task or for chat")
	case w.TTL < 0 || w.TTL > permission.MaxSessionLife:
		return permission.Invalid("ttlSeconds", permission.FieldOutOfRange, "the token of a session lives for at most 24 hours").
			With(permission.Param("least", 1).With(permission.Param("most", int64(permission.MaxSessionLife.Seconds()))))
	}
	return w.ProjectID.Valid()
}

// NewSession makes a session, for a person or for an agent that is a coordinator (its actor in the
// journal), and gives its passkey, which is kept as a hash.
func (r *Roles) NewSession(ctx context.Context, actor string, w Wanted) (s permission.MadeSession, passkey string, err error) {
	if err := w.valid(); err != nil {
		return s, "", err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return s, "", fmt.Errorf("make session: %w", err)
	}
	at := r.opts.Now()
	s = permission.MadeSession{ID: permission.SessionID(id.String()), AgentID: w.AgentID, Standing: w.Standing, TTL: w.TTL, CreatedAt: at,
		PasskeyUntil: at.Add(permission.PasskeyLife)}
	if s.TTL == 0 {
		s.TTL = permission.SessionLife
	}
	passkey = agentbook.NewToken(passkeyPrefix)
	r.edits.Lock()
	defer r.edits.Unlock()
	if err := r.store.AddMadeSession(ctx, s, agentbook.TokenHash(passkey), told(at, actor, "session_made", &s)); err != nil {
		return s, "", errors.Join(err, r.reload(context.WithoutCancel(ctx)))
	}
	r.book.Store(r.book.Load().With(s, ""))
	r.move()
	return s, passkey, nil
}

func told(at permission.Time, actor, what string, s *permission.MadeSession) permission.Entry {
	return entry(at, actor, what, map[string]any{"sessionId": s.ID, "agentId": s.AgentID, "role": s.Role, "purpose": s.Purpose,
		"projectId": s.ProjectID})
}

// ErrPasskey is what every passkey is answered that is not changed: one that was changed before, is
// too old or another agent's, or never was.
var ErrPasskey = &permission.Error{Code: permission.CodeForbidden,
	Message: "this passkey is not valid: it works once, within ten minutes, for its own agent and project"}

// Begun is a session whose passkey was changed for its token.
type Begun struct {
	permission.MadeSession
	Token string
}

// Authenticate changes a passkey for the token of its session. agent is who asks, with its own
// token; agentID and projectID are what it says of the passkey. Of several that try one passkey,
// one has the token.
func (r *Roles) Authenticate(ctx context.Context, agent permission.Agent, agentID permission.AgentID, passkey string,
	projectID permission.ProjectID) (b Begun, err error) {
	if agentID != agent.ID || projectID == "" {
		return b, ErrPasskey
	}
	return r.Begin(ctx, agent, passkey, projectID)
}

// Begin is Authenticate for who has the passkey alone: projectID may be empty, which is that of the
// passkey.
func (r *Roles) Begin(ctx context.Context, agent permission.Agent, passkey string, projectID permission.ProjectID) (b Begun, err error) {
	if r.within(agent) {
		return b, ErrPasskey
	}
	b, err = r.begin(ctx, agent.ID, passkey, projectID)
	if errors.Is(err, permission.NotFound("")) {
		return b, ErrPasskey
	}
	if err == nil {
		r.opts.Changed(agent.ID, "")
	}
	return b, err
}

// within reports whether an agent asks in a session. A connection may outlive the one that it was
// bound to: it begins another then.
func (r *Roles) within(agent permission.Agent) bool {
	s, made := r.book.Load().Made(agent.ID, agent.Session)
	return agent.Session != "" && (!made || !s.Over(r.opts.Now()))
}

func (r *Roles) begin(ctx context.Context, agent permission.AgentID, passkey string, project permission.ProjectID) (b Begun, err error) {
	b.Token = agentbook.NewToken(TokenPrefix)
	p := permission.Passkey{Hash: agentbook.TokenHash(passkey), AgentID: agent, ProjectID: project, TokenHash: agentbook.TokenHash(b.Token),
		At: r.opts.Now()}
	r.edits.Lock()
	defer r.edits.Unlock()
	b.MadeSession, err = r.store.ChangePasskey(ctx, p, func(s permission.MadeSession) permission.Entry {
		return told(p.At, "agent:"+string(agent), "session_began", &s)
	})
	switch {
	case errors.Is(err, permission.NotFound("")):
		return Begun{}, err
	case err != nil:
		return Begun{}, errors.Join(err, r.reload(context.WithoutCancel(ctx)))
	}
	r.book.Store(r.book.Load().With(b.MadeSession, p.TokenHash))
	r.move()
	return b, nil
}

// End ends a session that the desk made: its token is void at once, its calls are withdrawn and its
// grants end. Of another one nothing is known here, and nothing changes. agent is whose it has to be;
// empty is any.
func (r *Roles) End(ctx context.Context, actor string, agent permission.AgentID, id permission.SessionID) error {
	s, made := r.book.Load().Session(id)
	if !made || agent != "" && s.AgentID != agent || s.EndedAt != 0 {
		return nil
	}
	if err := r.end(ctx, actor, s); err != nil {
		return err
	}
	err := r.opts.Withdraw(ctx, s.AgentID, id)
	r.opts.Changed(s.AgentID, id)
	return err
}

func (r *Roles) end(ctx context.Context, actor string, s permission.MadeSession) error {
	r.edits.Lock()
	defer r.edits.Unlock()
	return r.over(ctx, actor, "session_ended", s.ID)
}

// over ends a session, while edits are held.
func (r *Roles) over(ctx context.Context, actor, what string, id permission.SessionID) error {
	s, made := r.book.Load().Session(id)
	if !made || s.EndedAt != 0 {
		return nil
	}
	s.EndedAt = r.opts.Now()
	r.book.Store(r.book.Load().With(s, "")) // what is taken away is gone before it is kept
	if err := r.store.EndMadeSession(ctx, s.ID, s.EndedAt, told(s.EndedAt, actor, what, &s)); err != nil {
		return errors.Join(err, r.reload(context.WithoutCancel(ctx)))
	}
	return nil
}
