package rest

import (
	"context"
	"testing"

	"sekisho/backend/coordination"
	"sekisho/backend/permission"
	"sekisho/backend/worktest"
)

// fewWorkers is a desk with the project p, whose member is agent-a, and no session.
type fewWorkers struct{ coordination.Desk }

func (fewWorkers) Now() permission.Time { return 1700000000123 }

func (fewWorkers) Projects(context.Context) ([]coordination.Project, error) {
	return []coordination.Project{{ID: "p", Members: []coordination.Member{{AgentID: "agent-a", Name: "a", Role: permission.RoleWorker}}}}, nil
}

// turned is a switch that is on.
type turned struct{}

func (turned) On(context.Context) (on, taken bool, err error) { return true, false, nil }

func (turned) Turn(context.Context, bool) error { return nil }

// same keeps what is added under the same ids, so that a request that is made again finds it as it was.
type same struct{ *worktest.Model }

func (s same) ChangeTask(ctx context.Context, c coordination.TaskChange, actor string) (coordination.Task, error) {
	return c.Task, nil
}

func (s same) DeleteConversation(context.Context, coordination.ConversationID, permission.Time, string) error {
	return nil
}

func (s same) EndConversation(ctx context.Context, id coordination.ConversationID, _ permission.Time,
	_ string) (coordination.Conversation, error) {
	found, err := s.Conversations(ctx, coordination.ConversationFilter{ID: id})
	return found[0], err
}

func (s same) AddMessage(_ context.Context, m coordination.Message, _ []coordination.ConversationState,
	_ string) (coordination.Message, error) {
	return m, nil
}

// working has the task t, the conversation c with the person, and the one that ended.
func working() *coordination.Coordination {
	ctx, kept := context.Background(), worktest.NewModel()
	agent := permission.AgentID("agent-a")
	_ = kept.AddTask(ctx, coordination.Task{ID: "t", ProjectID: "p", Title: "x", State: coordination.Todo, AssigneeID: &agent}, "person")
	for _, id := range []coordination.ConversationID{"c", "ended"} {
		c := coordination.Conversation{ID: id, ProjectID: "p", Participants: [2]coordination.Participant{"agent-a", coordination.Person},
			State: coordination.Active, Turns: 1, MaxTurns: coordination.MaxTurns, LastFrom: "agent-a"}
		m := coordination.Message{ID: coordination.MessageID("m-" + id), ConversationID: id, ProjectID: "p", From: "agent-a",
			To: coordination.Person, Text: "hello"}
		_, _, _ = kept.AddConversation(ctx, c, m, "agent:agent-a")
	}
	return coordination.New(same{kept}, fewWorkers{})
}

// TestWorkOfADeskThatKeepsNothing is refused in words.
func TestWorkOfADeskThatKeepsNothing(t *testing.T) {
	s := newSite(t, func(o *Options) { o.Work, o.WorkSwitch = nil, nil })
	for _, path := range []string{"/v1/coordination", "/v1/projects/p/tasks", "/v1/projects/p/conversations"} {
		if got := s.send("GET", path, tokenOp, ""); got.status != 503 {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// TestThePersonIsNamedByTheDesk: no row takes a sender.
func TestThePersonIsNamedByTheDesk(t *testing.T) {
	s := newSite(t, nil)
	for _, body := range []string{`{"message":"x","from":"agent-a"}`, `{"message":""}`, `{"message":5}`, `{}`} {
		if got := s.send("POST", "/v1/projects/p/conversations/c/messages", tokenOp, body); got.status != 422 {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}
