// Package worktest is the contract of what keeps the work of agents, and a plain model of it,
// which a keeper is held against.
package worktest

import (
	"context"
	"slices"
	"sync"
	"time"

	"sekisho/backend/coordination"
	"sekisho/backend/permission"
)

// Model is a coordination.Store that keeps all in lists, and is as simple as the contract.
type Model struct {
	mu            sync.Mutex
	tasks         []coordination.Task
	conversations []coordination.Conversation
	messages      []coordination.Message
	seq           int64
}

// NewModel makes an empty one.
func NewModel() *Model { return &Model{} }

func matches(f coordination.TaskFilter, t *coordination.Task) bool {
	return (f.Project == "" || f.Project == t.ProjectID) && (f.ID == "" || f.ID == t.ID) && (f.Session == "" || f.Session == t.SessionID) &&
		(f.Assignee == "" || t.AssigneeID != nil && f.Assignee == *t.AssigneeID) && (!f.Open || t.State.Open())
}

// Tasks is that of coordination.Store, as are all that follow.
func (m *Model) Tasks(_ context.Context, f coordination.TaskFilter) ([]coordination.Task, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []coordination.Task{}
	for _, t := range m.tasks {
		if matches(f, &t) {
			list = append(list, t)
		}
	}
	return list, nil
}

func (m *Model) open(project permission.ProjectID) (n int) {
	for _, t := range m.tasks {
		if t.ProjectID == project && t.State.Open() {
			n++
		}
	}
	return n
}

// AddTask adds one.
func (m *Model) AddTask(_ context.Context, t coordination.Task, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open(t.ProjectID) >= coordination.MaxOpenTasks {
		return coordination.ErrTooManyTasks
	}
	m.tasks = append(m.tasks, t)
	return nil
}

// ChangeTask changes one.
func (m *Model) ChangeTask(_ context.Context, c coordination.TaskChange, _ string) (coordination.Task, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.tasks, func(t coordination.Task) bool { return t.ID == c.ID })
	if i < 0 || m.tasks[i].SessionID != c.Of || m.tasks[i].UpdatedAt != c.At || !slices.Contains(c.From, m.tasks[i].State) {
		return coordination.Task{}, coordination.ErrTurned
	}
	t := &m.tasks[i]
	if !t.State.Open() && c.Task.State.Open() && m.open(t.ProjectID) >= coordination.MaxOpenTasks {
		return coordination.Task{}, coordination.ErrTooManyTasks
	}
	t.Title, t.Description = c.Task.Title, c.Task.Description
	t.AssigneeID, t.State, t.Result, t.Summary, t.SessionID, t.UpdatedAt = c.Task.AssigneeID, c.Task.State, c.Task.Result, c.Task.Summary,
		c.Task.SessionID, c.Task.UpdatedAt
	return *t, nil
}

// Conversations gives those that are asked for.
func (m *Model) Conversations(_ context.Context, f coordination.ConversationFilter) ([]coordination.Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []coordination.Conversation{}
	for _, c := range m.conversations {
		if (f.Project == "" || f.Project == c.ProjectID) && (f.ID == "" || f.ID == c.ID) && (f.Delegate == "" || f.Delegate == c.Delegate) &&
			(f.With == nil || slices.Contains(c.Participants[:], *f.With)) && (!f.Live || c.State != coordination.Ended) {
			list = append(list, c)
		}
	}
	return list, nil
}

func (m *Model) before(of *coordination.Message) (coordination.Message, bool, error) {
	for _, s := range m.messages {
		if of.Key != "" && s.Key == of.Key && s.From == of.From && s.ProjectID == of.ProjectID {
			if s.Text != of.Text || s.To != of.To {
				return s, false, &permission.Error{Code: permission.CodeExists}
			}
			return m.awaited(s), true, nil
		}
	}
	return coordination.Message{}, false, nil
}

// awaited is a message with the session that waits for it.
func (m *Model) awaited(s coordination.Message) coordination.Message {
	if c := m.conversation(s.ConversationID); c.Participants[0] == s.To {
		s.Delegate = c.Delegate
	}
	return s
}

func (m *Model) conversation(id coordination.ConversationID) *coordination.Conversation {
	for i := range m.conversations {
		if m.conversations[i].ID == id {
			return &m.conversations[i]
		}
	}
	return nil
}

func (m *Model) insert(s coordination.Message) (coordination.Message, error) {
	kept, lately := 0, 0
	for _, o := range m.messages {
		if o.ProjectID != s.ProjectID {
			continue
		}
		kept++
		if o.From == s.From && s.From != coordination.Person && o.CreatedAt > s.CreatedAt.Add(-time.Minute) {
			lately++
		}
	}
	switch {
	case kept >= coordination.MaxKeptMessages:
		return s, coordination.ErrTooManyMessages
	case lately >= coordination.MaxPerMinute:
		return s, coordination.ErrTooOften
	}
	m.seq++
	s.Seq = m.seq
	m.messages = append(m.messages, s)
	return s, nil
}

// AddConversation begins one.
func (m *Model) AddConversation(_ context.Context, c coordination.Conversation, first coordination.Message,
	_ string) (coordination.Conversation, coordination.Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, again, err := m.before(&first); err != nil || again {
		if err == nil {
			c = *m.conversation(s.ConversationID)
		}
		return c, s, err
	}
	s, err := m.insert(first)
	if err == nil {
		m.conversations = append(m.conversations, c)
	}
	return c, s, err
}

// AddMessage adds one.
func (m *Model) AddMessage(_ context.Context, s coordination.Message, in []coordination.ConversationState,
	_ string) (coordination.Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if before, again, err := m.before(&s); err != nil || again {
		return before, err
	}
	c := m.conversation(s.ConversationID)
	if c == nil || !slices.Contains(c.Participants[:], s.From) || !slices.Contains(in, c.State) {
		return s, coordination.ErrNotActive
	}
	kept, err := m.insert(s)
	if err != nil {
		return s, err
	}
	c.Turns, c.LastFrom, c.UpdatedAt = c.Turns+1, s.From, max(c.UpdatedAt, s.CreatedAt)
	switch {
	case c.Turns >= c.MaxTurns:
		c.State = coordination.Ended
	case c.State == coordination.Pending && s.From != c.Participants[0]:
		c.State = coordination.Active
	}
	return kept, nil
}

// EndConversation ends one.
func (m *Model) EndConversation(_ context.Context, id coordination.ConversationID, at permission.Time,
	_ string) (coordination.Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.conversation(id)
	if c == nil {
		return coordination.Conversation{}, permission.NotFound("conversation")
	}
	if c.State != coordination.Ended {
		c.State, c.UpdatedAt = coordination.Ended, max(c.UpdatedAt, at)
	}
	return *c, nil
}

// DeleteConversation forgets one.
func (m *Model) DeleteConversation(_ context.Context, id coordination.ConversationID, _ permission.Time, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.conversation(id); c == nil || c.State != coordination.Ended {
		return coordination.ErrTurned
	}
	m.conversations = slices.DeleteFunc(m.conversations, func(c coordination.Conversation) bool { return c.ID == id })
	m.messages = slices.DeleteFunc(m.messages, func(s coordination.Message) bool { return s.ConversationID == id })
	return nil
}

// Messages gives those of a conversation.
func (m *Model) Messages(_ context.Context, id coordination.ConversationID) ([]coordination.Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []coordination.Message{}
	for _, s := range m.messages {
		if s.ConversationID == id {
			list = append(list, m.awaited(s))
		}
	}
	return list, nil
}

// Undelivered gives those that wait.
func (m *Model) Undelivered(_ context.Context, project permission.ProjectID, to coordination.Participant,
	after int64, most int) ([]coordination.Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []coordination.Message{}
	for _, s := range m.messages {
		if s.ProjectID == project && s.To == to && s.DeliveredAt.IsZero() && s.Seq > after && len(list) < most {
			list = append(list, m.awaited(s))
		}
	}
	return list, nil
}

// Deliver notes that messages were delivered.
func (m *Model) Deliver(_ context.Context, to coordination.Participant, ids []coordination.MessageID, at permission.Time, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.messages {
		s := &m.messages[i]
		if s.To != to || !s.DeliveredAt.IsZero() || !slices.Contains(ids, s.ID) {
			continue
		}
		s.DeliveredAt = at
		if c := m.conversation(s.ConversationID); c.State == coordination.Pending && c.Participants[1] == to {
			c.State, c.UpdatedAt = coordination.Active, max(c.UpdatedAt, at)
		}
	}
	return nil
}
