package coordination

import (
	"context"
	"errors"
	"slices"

	"sekisho/backend/permission"
)

// Conversations gives those of a project.
func (c *Coordination) Conversations(ctx context.Context, project permission.ProjectID) ([]Conversation, error) {
	if _, err := c.project(ctx, project); err != nil {
		return nil, err
	}
	return c.store.Conversations(ctx, ConversationFilter{Project: project})
}

// Conversation gives one of a project with its messages.
func (c *Coordination) Conversation(ctx context.Context, project permission.ProjectID, id ConversationID) (Conversation, []Message, error) {
	v, err := c.conversation(ctx, project, id)
	if err != nil {
		return v, nil, err
	}
	messages, err := c.store.Messages(ctx, id)
	return v, messages, err
}

func (c *Coordination) conversation(ctx context.Context, project permission.ProjectID, id ConversationID) (Conversation, error) {
	found, err := c.store.Conversations(ctx, ConversationFilter{Project: project, ID: id})
	if err == nil && (len(found) == 0 || id == "") {
		err = permission.NotFound("conversation")
	}
	if err != nil {
		return Conversation{}, err
	}
	return found[0], nil
}

// Saying is a message as it is asked for. The desk knows who says it.
type Saying struct {
	Project permission.ProjectID
	From    Participant
	Text    string
	Key     string // by which the same message that is sent again is known; "" is none
}

func (s *Saying) check() error {
	if err := checkText("message", s.Text, MaxText, false); err != nil {
		return err
	}
	return checkText("key", s.Key, MaxKey, true)
}

func (s *Saying) actor() string {
	if s.From == Person {
		return permission.ActorPerson
	}
	return actorOf(permission.AgentID(s.From))
}

func (s *Saying) message(at permission.Time) Message {
	return Message{ID: MessageID(newID()), ProjectID: s.Project, From: s.From, Text: s.Text, CreatedAt: at, Key: s.Key}
}

// Start begins a conversation with an agent of the project, or with the person where the id is
// empty. delegate is the task session that waits for the answer; "" is none.
func (c *Coordination) Start(ctx context.Context, say Saying, with permission.AgentID, delegate permission.SessionID) (Conversation,
	Message, error) {
	to, err := c.participant(ctx, say.Project, with)
	if err == nil {
		err = say.check()
	}
	if err == nil && to == say.From {
		err = permission.Invalid("agent_id", permission.FieldOther, "a conversation is with somebody else")
	}
	if err != nil {
		return Conversation{}, Message{}, err
	}
	now := c.desk.Now()
	m := say.message(now)
	m.To, m.ConversationID = to, ConversationID(newID())
	v := Conversation{ID: m.ConversationID, ProjectID: say.Project, Participants: [2]Participant{say.From, to}, State: Pending,
		Turns: 1, MaxTurns: MaxTurns, LastFrom: say.From, CreatedAt: now, UpdatedAt: now, Delegate: delegate}
	v, m, err = c.store.AddConversation(ctx, v, m, say.actor())
	if err == nil {
		c.bells.ring(say.Project)
	}
	return v, m, err
}

// Respond says something in a conversation of somebody, which is in one of some states.
func (c *Coordination) Respond(ctx context.Context, say Saying, id ConversationID, in ...ConversationState) (Message, error) {
	v, err := c.conversation(ctx, say.Project, id)
	if err != nil {
		return Message{}, err
	}
	to, within := v.Other(say.From)
	if !within {
		return Message{}, permission.NotFound("conversation")
	}
	if err := say.check(); err != nil {
		return Message{}, err
	}
	m := say.message(c.desk.Now())
	m.ConversationID, m.To = id, to
	m, err = c.store.AddMessage(ctx, m, in, say.actor())
	if err == nil {
		c.bells.ring(say.Project)
	}
	return m, err
}

// Send says something to an agent, or to the person where the id is empty: in the conversation
// that is under way between both, or in a new one.
func (c *Coordination) Send(ctx context.Context, say Saying, with permission.AgentID) (Message, error) {
	to, err := c.participant(ctx, say.Project, with)
	if err != nil {
		return Message{}, err
	}
	under, err := c.store.Conversations(ctx, ConversationFilter{Project: say.Project, With: &say.From, Live: true})
	if err != nil {
		return Message{}, err
	}
	for _, v := range slices.Backward(under) {
		if other, _ := v.Other(say.From); other != to || v.Delegate != "" {
			continue
		}
		if m, err := c.Respond(ctx, say, v.ID, Pending, Active); !errors.Is(err, ErrNotActive) {
			return m, err
		}
	}
	_, m, err := c.Start(ctx, say, with, "")
	return m, err
}

// EndConversation ends one of somebody.
func (c *Coordination) EndConversation(ctx context.Context, project permission.ProjectID, who Participant,
	id ConversationID) (Conversation, error) {
	v, err := c.conversation(ctx, project, id)
	if _, within := v.Other(who); err == nil && !within {
		err = permission.NotFound("conversation")
	}
	if err != nil {
		return v, err
	}
	actor := Saying{From: who}
	v, err = c.store.EndConversation(ctx, id, c.desk.Now(), actor.actor())
	if err == nil {
		c.bells.ring(project)
	}
	return v, err
}

// CloseConversation ends one for a person, who need not be a participant.
func (c *Coordination) CloseConversation(ctx context.Context, project permission.ProjectID, id ConversationID) (Conversation, error) {
	v, err := c.conversation(ctx, project, id)
	if err == nil {
		v, err = c.store.EndConversation(ctx, id, c.desk.Now(), permission.ActorPerson)
	}
	if err == nil {
		c.bells.ring(project)
	}
	return v, err
}

// DeleteConversation forgets one that ended.
func (c *Coordination) DeleteConversation(ctx context.Context, project permission.ProjectID, id ConversationID) error {
	if _, err := c.conversation(ctx, project, id); err != nil {
		return err
	}
	return c.store.DeleteConversation(ctx, id, c.desk.Now(), permission.ActorPerson)
}

// mostAtOnce bounds the messages of one answer.
const mostAtOnce = 50

// Pending gives the messages that wait for somebody in a project, the oldest first, but for the
// answers that a task session waits for.
func (c *Coordination) Pending(ctx context.Context, project permission.ProjectID, who Participant) ([]Message, error) {
	return c.unread(ctx, project, who, func(m *Message) (bool, error) {
		awaited, err := c.live(ctx, m.Delegate)
		return !awaited, err
	})
}

// unread gives the oldest messages that wait for somebody, that no session was handed and that are
// wanted, however many others wait before them.
func (c *Coordination) unread(ctx context.Context, project permission.ProjectID, who Participant,
	wanted func(*Message) (bool, error)) ([]Message, error) {
	list := []Message{}
	for after := int64(0); ; {
		all, err := c.store.Undelivered(ctx, project, who, after, mostAtOnce)
		if err != nil {
			return nil, err
		}
		free, err := c.free(ctx, all)
		if err != nil {
			return nil, err
		}
		for i := range free {
			is, err := wanted(&free[i])
			if err != nil {
				return nil, err
			}
			if is {
				list = append(list, free[i])
			}
		}
		if len(list) >= mostAtOnce || len(all) < mostAtOnce {
			return list[:min(len(list), mostAtOnce)], nil
		}
		after = all[len(all)-1].Seq
	}
}

// Deliver notes that messages were given to somebody.
func (c *Coordination) Deliver(ctx context.Context, project permission.ProjectID, to Participant, list []Message) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]MessageID, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	actor := Saying{From: to}
	if err := c.store.Deliver(ctx, to, ids, c.desk.Now(), actor.actor()); err != nil {
		return err
	}
	c.bells.ring(project)
	return nil
}
