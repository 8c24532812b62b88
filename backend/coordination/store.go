package coordination

import (
	"context"

	"sekisho/backend/permission"
)

// Store keeps tasks, conversations and messages. Every change is one transaction with its
// entries in the journal, whose actor is that of the change. Lists are in the order of their
// making; of messages in that of their seq.
type Store interface {
	Tasks(ctx context.Context, f TaskFilter) ([]Task, error)
	// AddTask refuses with ErrTooManyTasks.
	AddTask(ctx context.Context, t Task, actor string) error
	// ChangeTask changes a task that is as the change says that it was, and gives it as it is
	// then; ErrTurned where it is not.
	ChangeTask(ctx context.Context, c TaskChange, actor string) (Task, error)

	Conversations(ctx context.Context, f ConversationFilter) ([]Conversation, error)
	// AddConversation begins one with its first message. Where its sender sent a message of the
	// same key before, nothing is added, and that one is given with its conversation.
	AddConversation(ctx context.Context, c Conversation, first Message, actor string) (Conversation, Message, error)
	// AddMessage adds one to a conversation that is in one of some states, counts its turn, makes
	// a pending one active that the other one answers, and ends it with its last turn. A message of
	// a key as before is given again. ErrNotActive where it is in none of them.
	AddMessage(ctx context.Context, m Message, in []ConversationState, actor string) (Message, error)
	// EndConversation ends one that has not ended; of an ended one it changes nothing.
	EndConversation(ctx context.Context, id ConversationID, at permission.Time, actor string) (Conversation, error)
	// DeleteConversation forgets one that ended, with its messages; ErrTurned where it has not.
	DeleteConversation(ctx context.Context, id ConversationID, at permission.Time, actor string) error

	// Messages gives those of a conversation.
	Messages(ctx context.Context, id ConversationID) ([]Message, error)
	// Undelivered gives the oldest messages to somebody in a project that were not delivered, of those
	// after a seq.
	Undelivered(ctx context.Context, project permission.ProjectID, to Participant, after int64, most int) ([]Message, error)
	// Deliver notes that messages were delivered to somebody, whose pending conversations become
	// active by it.
	Deliver(ctx context.Context, to Participant, ids []MessageID, at permission.Time, actor string) error
}

// TaskFilter says which tasks are asked for; what is empty is any.
type TaskFilter struct {
	Project  permission.ProjectID
	ID       TaskID
	Assignee permission.AgentID
	Session  permission.SessionID
	Open     bool // todo or in progress
}

// TaskChange is a change of a task that is in one of some states, on which some session works, and
// that was changed last at some time.
type TaskChange struct {
	ID     TaskID
	From   []TaskState
	Of     permission.SessionID // that works on it; "" is none
	At     permission.Time      // its updatedAt
	Task   Task                 // as it will be; its id, project, making and maker stay
	Edited bool                 // its title or description is another: the journal says so
}

// ConversationFilter says which conversations are asked for; what is empty is any.
type ConversationFilter struct {
	Project  permission.ProjectID
	ID       ConversationID
	With     *Participant         // one of its participants
	Delegate permission.SessionID // the task session that began it
	Live     bool                 // not ended
}
