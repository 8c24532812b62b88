package coordination

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Caller is the agent that calls a tool, in a session of the desk where it has one.
type Caller struct {
	Agent    permission.Agent
	Session  permission.SessionID
	Patience time.Duration // how long it waits for an answer; 0 is not known
}

// Answer is what a tool answers.
type Answer struct {
	Body []byte // JSON, as the caller gets it
	Kept []byte // the same as it may be kept: without the token or the passkey in it
	// Entered is the session that the caller has entered with it; "" is none.
	Entered permission.SessionID
	// Given is to be told when the answer was written, and Lost when it could not be; nil: nobody waits
	// for that.
	Given func()
	Lost  func(ctx context.Context) error
}

// hand lets a parcel of messages go out with the answer.
func (a *Answer) hand(c *Coordination, s Session, p *parcel) {
	a.Given = func() {
		p.written = true
		close(p.settled)
	}
	a.Lost = func(context.Context) error {
		c.takeBack(&s, p)
		return nil
	}
}

// Secrets are arguments that no row has: they are taken out before a call is judged.
var Secrets = [...]string{"session_token", "passkey"}

// masked stands for a token or a passkey in what is kept.
const masked = "********"

// Call runs a tool. An error is a permission.Error, which says it to the caller, or a fault of
// ours.
func (c *Coordination) Call(ctx context.Context, who Caller, tool string, input []byte, passkey string) (Answer, error) {
	switch tool {
	case "authenticate":
		return c.authenticate(ctx, who, input, passkey)
	case "health_check":
		return answer(map[string]any{"ok": true})(nil)
	case "list_managed_agents":
		return c.listAgents(ctx, input)
	case "get_agent_action":
		return c.agentAction(ctx, who, input)
	}
	s, err := c.desk.Session(ctx, who.Session)
	if err != nil {
		return Answer{}, err
	}
	if s.AgentID != who.Agent.ID {
		return Answer{}, permission.NotFound("session")
	}
	c.signs.note(s.ID)
	if err := c.confirm(ctx, s); err != nil {
		return Answer{}, err
	}
	return c.inSession(ctx, s, tool, input, who.Patience)
}

func (c *Coordination) inSession(ctx context.Context, s Session, tool string, input []byte, patience time.Duration) (Answer, error) {
	switch tool {
	case "assign_task":
		return c.assign(ctx, s, input)
	case "get_my_task":
		return c.myTask(ctx, s)
	case "get_next_action":
		return c.nextAction(ctx, s, input, patience)
	case "report_completed":
		return c.report(ctx, s, input)
	case "get_pending_messages":
		return c.pendingMessages(ctx, s)
	}
	return c.talk(ctx, s, tool, input)
}

// talk is for the tools that say something.
func (c *Coordination) talk(ctx context.Context, s Session, tool string, input []byte) (Answer, error) {
	var in struct {
		AgentID        permission.AgentID `json:"agent_id"`
		ConversationID ConversationID     `json:"conversation_id"`
		Message        string             `json:"message"`
		Key            string             `json:"key"`
	}
	if err := read(input, &in); err != nil {
		return Answer{}, err
	}
	say := Saying{Project: s.ProjectID, From: OfAgent(s.AgentID), Text: in.Message, Key: in.Key}
	var m Message
	var err error
	switch tool {
	case "respond_chat":
		m, err = c.Respond(ctx, say, in.ConversationID, Active)
	case "send_message":
		m, err = c.Send(ctx, say, in.AgentID)
	case "start_conversation":
		_, m, err = c.Start(ctx, say, in.AgentID, "")
	case "delegate_to_chat_session":
		_, m, err = c.Start(ctx, say, in.AgentID, s.ID)
	case "end_conversation":
		v, err := c.EndConversation(ctx, s.ProjectID, say.From, in.ConversationID)
		return answer(map[string]any{"conversation_id": v.ID, "state": v.State})(err)
	default:
		return Answer{}, permission.NotFound("tool")
	}
	return answer(map[string]any{"message_id": m.ID, "conversation_id": m.ConversationID})(err)
}

// read takes the arguments of a tool apart. One that is not known is passed over, as agents
// write more than they are asked for.
func read(input []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(input))
	if err := d.Decode(into); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return permission.Invalid(wrong.Field, permission.FieldWrongType, "expected "+wrong.Type.String())
		}
		return permission.Invalid("", permission.FieldUnreadable, "the arguments are not readable")
	}
	return nil
}

// answer makes an answer of a value, where there is no error.
func answer(v any) func(error) (Answer, error) {
	return func(err error) (Answer, error) {
		if err != nil {
			return Answer{}, err
		}
		raw, err := encode(v)
		return Answer{Body: raw, Kept: raw}, err
	}
}

func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

func (c *Coordination) authenticate(ctx context.Context, who Caller, input []byte, passkey string) (Answer, error) {
	var in struct {
		AgentID   permission.AgentID   `json:"agent_id"`
		ProjectID permission.ProjectID `json:"project_id"`
	}
	if err := read(input, &in); err != nil {
		return Answer{}, err
	}
	entry, err := c.desk.Authenticate(ctx, who.Agent, Passkey{in.AgentID, passkey, in.ProjectID})
	if err != nil {
		return Answer{}, err
	}
	a, err := answer(entry)(nil)
	if err != nil {
		return a, err
	}
	kept := entry
	kept.Token = masked
	a.Kept, err = encode(kept)
	a.Entered = entry.SessionID
	a.Lost = func(ctx context.Context) error {
		return c.desk.End(ctx, who.Agent, Session{ID: entry.SessionID, AgentID: who.Agent.ID})
	}
	return a, err
}

// ManagedAgent is a member of a project, as a coordinator sees it.
type ManagedAgent struct {
	AgentID   permission.AgentID   `json:"agent_id"`
	Name      string               `json:"name"`
	Role      permission.Role      `json:"role"`
	ProjectID permission.ProjectID `json:"project_id"`
	Sessions  []permission.Purpose `json:"open_sessions"` // their purposes
	Waits     *permission.Purpose  `json:"waiting_for"`   // for which session something waits; null: nothing does
}

func (c *Coordination) listAgents(ctx context.Context, input []byte) (Answer, error) {
	var in struct {
		ProjectID permission.ProjectID `json:"project_id"`
	}
	if err := read(input, &in); err != nil {
		return Answer{}, err
	}
	projects, err := c.desk.Projects(ctx)
	if err != nil {
		return Answer{}, err
	}
	list := []ManagedAgent{}
	for _, p := range projects {
		if in.ProjectID != "" && in.ProjectID != p.ID {
			continue
		}
		for _, m := range p.Members {
			a, err := c.managed(ctx, p.ID, m)
			if err != nil {
				return Answer{}, err
			}
			list = append(list, a)
		}
	}
	return answer(map[string]any{"agents": list})(nil)
}

func (c *Coordination) managed(ctx context.Context, project permission.ProjectID, m Member) (ManagedAgent, error) {
	a := ManagedAgent{AgentID: m.AgentID, Name: m.Name, Role: m.Role, ProjectID: project, Sessions: []permission.Purpose{}}
	open, err := c.desk.Sessions(ctx, project, m.AgentID)
	if err != nil {
		return a, err
	}
	for _, s := range open {
		a.Sessions = append(a.Sessions, s.Purpose)
	}
	purpose, _, err := c.wants(ctx, project, m.AgentID)
	if purpose != "" {
		a.Waits = &purpose
	}
	return a, err
}

func (c *Coordination) agentAction(ctx context.Context, who Caller, input []byte) (Answer, error) {
	var in struct {
		AgentID   permission.AgentID   `json:"agent_id"`
		ProjectID permission.ProjectID `json:"project_id"`
	}
	if err := read(input, &in); err != nil {
		return Answer{}, err
	}
	order, err := c.Order(ctx, who.Agent, in.ProjectID, in.AgentID)
	a, err := answer(order)(err)
	if err == nil && order.Passkey != "" {
		order.Passkey = masked
		a.Kept, err = encode(order)
		a.Lost = func(ctx context.Context) error { return c.desk.End(ctx, who.Agent, order.made) }
	}
	return a, err
}

// taskSaid is a task in the words of the tools.
func taskSaid(t *Task) map[string]any {
	return map[string]any{"task_id": t.ID, "project_id": t.ProjectID, "title": t.Title, "description": t.Description,
		"assignee_id": t.AssigneeID, "state": t.State, "result": t.Result, "summary": t.Summary}
}

func (c *Coordination) assign(ctx context.Context, s Session, input []byte) (Answer, error) {
	var in struct {
		TaskID      TaskID             `json:"task_id"`
		Title       string             `json:"title"`
		Description string             `json:"description"`
		AssigneeID  permission.AgentID `json:"assignee_id"`
	}
	if err := read(input, &in); err != nil {
		return Answer{}, err
	}
	if in.AssigneeID == "" {
		return Answer{}, permission.Invalid("assignee_id", permission.FieldRequired, "required")
	}
	var t Task
	var err error
	if in.TaskID != "" {
		t, err = c.AssignTask(ctx, s.ProjectID, in.TaskID, in.AssigneeID, actorOf(s.AgentID))
	} else {
		t, err = c.MakeTask(ctx, s.ProjectID, TaskForm{in.Title, in.Description, &in.AssigneeID}, &s.AgentID)
	}
	return answer(map[string]any{"task": taskSaid(&t)})(err)
}

func (c *Coordination) myTask(ctx context.Context, s Session) (Answer, error) {
	t, found, err := c.Take(ctx, s)
	if err == nil && !found {
		return answer(map[string]any{"task": nil})(nil)
	}
	return answer(map[string]any{"task": taskSaid(&t)})(err)
}

func (c *Coordination) nextAction(ctx context.Context, s Session, input []byte, patience time.Duration) (Answer, error) {
	var in struct {
		Timeout float64 `json:"timeout_seconds"`
	}
	if err := read(input, &in); err != nil {
		return Answer{}, err
	}
	if in.Timeout < 0 || in.Timeout > MaxWait.Seconds() {
		return Answer{}, permission.Invalid("timeout_seconds", permission.FieldOutOfRange, "from 0 to 60")
	}
	wait := time.Duration(in.Timeout * float64(time.Second))
	if patience > 0 {
		wait = min(wait, patience-patience/10) // the answer is to come before the client gives up
	}
	n, err := c.Next(ctx, s, wait)
	return c.handing(s, n, n.parcel, err)
}

func (c *Coordination) report(ctx context.Context, s Session, input []byte) (Answer, error) {
	var in struct {
		Result  TaskResult `json:"result"`
		Summary string     `json:"summary"`
	}
	if err := read(input, &in); err != nil {
		return Answer{}, err
	}
	t, err := c.Report(ctx, s, in.Result, in.Summary)
	return answer(map[string]any{"task": taskSaid(&t)})(err)
}

// Said is a message in the words of the tools.
type Said struct {
	MessageID      MessageID       `json:"message_id"`
	ConversationID ConversationID  `json:"conversation_id"`
	From           Participant     `json:"from"`
	Message        string          `json:"message"`
	SentAt         permission.Time `json:"sent_at"`
}

func saidOf(m *Message) Said { return Said{m.ID, m.ConversationID, m.From, m.Text, m.CreatedAt} }

func (c *Coordination) pendingMessages(ctx context.Context, s Session) (Answer, error) {
	p, err := c.handOut(&s, func() ([]Message, error) { return c.Pending(ctx, s.ProjectID, OfAgent(s.AgentID)) })
	return c.handing(s, map[string]any{"messages": p.said()}, p, err)
}

// said are the messages of a parcel in the words of the tools.
func (p *parcel) said() []Said {
	said := []Said{}
	if p != nil {
		for i := range p.list {
			said = append(said, saidOf(&p.list[i]))
		}
	}
	return said
}

// handing answers with a value, with which a parcel goes out where there is one.
func (c *Coordination) handing(s Session, v any, p *parcel, err error) (Answer, error) {
	a, err := answer(v)(err)
	switch {
	case p == nil:
	case err != nil:
		c.takeBack(&s, p)
	default:
		a.hand(c, s, p)
	}
	return a, err
}

// Strip takes the arguments out that no row may have, however their letters are cased, and gives
// them by their names.
func Strip(input []byte) (rest []byte, taken map[string]string, err error) {
	members, err := rawjson.Members(input)
	if err != nil {
		return nil, nil, err
	}
	taken = map[string]string{}
	var keys []string
	for _, m := range members {
		i := slices.IndexFunc(Secrets[:], func(name string) bool { return strings.EqualFold(name, m.Key) })
		if i < 0 {
			continue
		}
		var text string
		if json.Unmarshal(m.Value, &text) != nil {
			return nil, nil, permission.Invalid(Secrets[i], permission.FieldWrongType, "expected string")
		}
		taken[Secrets[i]] = text
		keys = append(keys, m.Key)
	}
	if len(taken) == 0 {
		return input, taken, nil
	}
	if rest = rawjson.Object(members, keys...); rest == nil {
		rest = []byte("{}")
	}
	return rest, taken, nil
}
