package coordination

import (
	"unicode/utf8"

	"sekisho/backend/permission"
)

type (
	// TaskID names a task, a UUIDv7.
	TaskID string
	// ConversationID names a conversation, a UUIDv7.
	ConversationID string
	// MessageID names a message, a UUIDv7.
	MessageID string
)

// TaskState says how far a task is.
type TaskState string

// The states of a task.
const (
	Todo       TaskState = "todo"
	InProgress TaskState = "in_progress"
	Review     TaskState = "review" // a call of its session waits for a person; it is kept as in progress
	Done       TaskState = "done"
	Failed     TaskState = "failed"
	Blocked    TaskState = "blocked"
)

// TaskStates lists every state of a task.
var TaskStates = [...]TaskState{Todo, InProgress, Review, Done, Failed, Blocked}

// Open reports whether a task is still to be ended.
func (s TaskState) Open() bool { return s == Todo || s == InProgress || s == Review }

// TaskResult is how a task ended, in the words of whoever reports it.
type TaskResult string

// The results of a task.
const (
	Success       TaskResult = "success"
	ResultFailed  TaskResult = "failed"
	ResultBlocked TaskResult = "blocked" // by something outside
)

// TaskResults lists every result of a task.
var TaskResults = [...]TaskResult{Success, ResultFailed, ResultBlocked}

// State is that of a task which ended so; "" is that of no result.
func (r TaskResult) State() TaskState {
	return map[TaskResult]TaskState{Success: Done, ResultFailed: Failed, ResultBlocked: Blocked}[r]
}

// Task is a piece of work in a project.
type Task struct {
	ID          TaskID               `json:"id"`
	ProjectID   permission.ProjectID `json:"projectId"`
	Title       string               `json:"title"`
	Description string               `json:"description"`
	AssigneeID  *permission.AgentID  `json:"assigneeId" doc:"the agent that is to do it; null: nobody yet"`
	State       TaskState            `json:"state"`
	Result      *TaskResult          `json:"result" doc:"how it ended; null: it has not"`
	Summary     string               `json:"summary" doc:"what was said at its end"`
	SessionID   permission.SessionID `json:"sessionId" doc:"that works on it, or did; empty: none"`
	CreatedBy   *permission.AgentID  `json:"createdBy" doc:"the agent that made it; null: a person"`
	CreatedAt   permission.Time      `json:"createdAt"`
	UpdatedAt   permission.Time      `json:"updatedAt"`
}

// ConversationState says how far a conversation is.
type ConversationState string

// The states of a conversation.
const (
	Pending ConversationState = "pending" // whom it was begun with has not had its first message
	Active  ConversationState = "active"
	Ended   ConversationState = "ended"
)

// ConversationStates lists every state of a conversation.
var ConversationStates = [...]ConversationState{Pending, Active, Ended}

// Conversation is an exchange of messages between two: agents, or an agent and the person.
type Conversation struct {
	ID           ConversationID       `json:"id"`
	ProjectID    permission.ProjectID `json:"projectId"`
	Participants [2]Participant       `json:"participants" doc:"who began it first"`
	State        ConversationState    `json:"state"`
	Turns        int                  `json:"turns" doc:"messages so far"`
	MaxTurns     int                  `json:"maxTurns" doc:"the conversation ends with this many messages"`
	LastFrom     Participant          `json:"lastFrom" doc:"who said the last message"`
	CreatedAt    permission.Time      `json:"createdAt"`
	UpdatedAt    permission.Time      `json:"updatedAt"`

	// Delegate is the task session that began it, and waits for the answer; "" is none.
	Delegate permission.SessionID `json:"-"`
}

// Participant is an agent by its id, or the person at the desk.
type Participant string

// Person is the participant who sits at the desk: no agent has this id, since the desk makes
// those.
const Person Participant = "person"

// OfAgent is the participant that an agent is.
func OfAgent(id permission.AgentID) Participant { return Participant(id) }

// Other is the participant beside one of them; false where that is none of them.
func (c *Conversation) Other(than Participant) (Participant, bool) {
	switch than {
	case c.Participants[0]:
		return c.Participants[1], true
	case c.Participants[1]:
		return c.Participants[0], true
	}
	return "", false
}

// Message is one message of a conversation. The desk names its sender.
type Message struct {
	ID             MessageID            `json:"id"`
	Seq            int64                `json:"seq" doc:"its place in the order of messages"`
	ConversationID ConversationID       `json:"conversationId"`
	ProjectID      permission.ProjectID `json:"projectId"`
	From           Participant          `json:"from"`
	To             Participant          `json:"to"`
	Text           string               `json:"text"`
	CreatedAt      permission.Time      `json:"createdAt"`
	DeliveredAt    permission.Time      `json:"deliveredAt" doc:"when its receiver was given it; null: not yet"`

	// Key is a word of the sender by which a message that is sent again is the same; "" is none.
	Key string `json:"-"`
	// Delegate is the task session that waits for it; "" is none.
	Delegate permission.SessionID `json:"-"`
}

// Bounds of what is kept.
const (
	MaxTurns        = 20    // messages of a conversation
	MaxText         = 4000  // characters of a message
	MaxTitle        = 200   // characters
	MaxDescription  = 20000 // characters
	MaxSummary      = 4000  // characters
	MaxKey          = 128   // characters
	MaxOpenTasks    = 1000  // of a project
	MaxKeptMessages = 10000 // of a project
	MaxPerMinute    = 60    // messages of an agent in a project
)

// checkText says what is wrong with a text of a field, which has a bound in characters.
func checkText(field, text string, most int, empty bool) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return permission.Invalid(field, permission.FieldUnreadable, "not text in UTF-8")
	case n == 0 && !empty:
		return permission.Invalid(field, permission.FieldEmpty, "it is empty")
	case n > most:
		return permission.Invalid(field, permission.FieldTooLong, "too long").With(permission.Param("max", most))
	}
	return nil
}

// tooMany refuses what a bound of the project does not let in.
func tooMany(what string) error {
	return &permission.Error{Code: permission.CodeTooManyKept, Message: what}
}

// ErrTooManyTasks, ErrTooManyMessages and ErrTooOften are the bounds that a store holds.
var (
	ErrTooManyTasks    = tooMany("this project has 1,000 open tasks already: close some first")
	ErrTooManyMessages = tooMany("this project keeps 10,000 messages already: delete conversations that ended first")
	ErrTooOften        = tooMany("this agent has sent 60 messages in the last minute: wait a moment")
	// ErrNotActive refuses a message into a conversation that takes none.
	ErrNotActive = &permission.Error{Code: permission.CodeNotActive, Message: "the conversation takes no message now: it is not active"}
	// ErrTurned says that a task or conversation is no longer as it was seen.
	ErrTurned = &permission.Error{Code: permission.CodeStale, Message: "it was changed meanwhile: look again"}
)
