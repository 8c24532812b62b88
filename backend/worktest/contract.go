package worktest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"sekisho/backend/coordination"
	"sekisho/backend/permission"
)

// Run tests the contract of a keeper. open makes an empty one.
func Run(t *testing.T, open func(t *testing.T) coordination.Store) {
	for name, test := range map[string]func(*testing.T, coordination.Store){
		"one of many takes a task":      taken,
		"a message is kept once":        sentOnce,
		"a project has bounds":          bounded,
		"a message is handed out once":  deliveredOnce,
		"what is deleted is gone":       deleted,
		"the order of messages is kept": ordered,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("as the model, %d", seed), func(t *testing.T) { asModel(t, open(t), seed, 400) })
	}
}

const project permission.ProjectID = "p"

func newTask(id string, agent permission.AgentID) coordination.Task {
	return coordination.Task{ID: coordination.TaskID(id), ProjectID: project, Title: "t", AssigneeID: &agent, State: coordination.Todo,
		CreatedAt: 1, UpdatedAt: 1}
}

func newMessage(id string, of coordination.ConversationID, from, to coordination.Participant, at permission.Time) coordination.Message {
	return coordination.Message{ID: coordination.MessageID(id), ConversationID: of, ProjectID: project, From: from, To: to, Text: "text " + id,
		CreatedAt: at}
}

func newConversation(id string, from, to coordination.Participant) coordination.Conversation {
	return coordination.Conversation{ID: coordination.ConversationID(id), ProjectID: project,
		Participants: [2]coordination.Participant{from, to},
		State:        coordination.Pending, Turns: 1, MaxTurns: coordination.MaxTurns, LastFrom: from, CreatedAt: 1, UpdatedAt: 1}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// begin begins a conversation of a with b.
func begin(t *testing.T, s coordination.Store, id string) {
	t.Helper()
	_, _, err := s.AddConversation(t.Context(), newConversation(id, "a", "b"),
		newMessage("first of "+id, coordination.ConversationID(id), "a", "b", 1), "agent:a")
	must(t, err)
}

var live = []coordination.ConversationState{coordination.Pending, coordination.Active}

func taken(t *testing.T, s coordination.Store) {
	must(t, s.AddTask(t.Context(), newTask("1", "a"), "person"))
	var wins, turned int
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			next := newTask("1", "a")
			next.State, next.SessionID = coordination.InProgress, permission.SessionID(fmt.Sprint("s", i))
			change := coordination.TaskChange{ID: "1", From: []coordination.TaskState{coordination.Todo}, At: next.UpdatedAt, Task: next}
			_, err := s.ChangeTask(t.Context(), change, "agent:a")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				wins++
			case errors.Is(err, coordination.ErrTurned):
				turned++
			}
		})
	}
	all.Wait()
	if wins != 1 || turned != 7 {
		t.Errorf("%d sessions took the task, and %d were told that it was taken", wins, turned)
	}
}

func sentOnce(t *testing.T, s coordination.Store) {
	begin(t, s, "c")
	m := newMessage("m1", "c", "b", "a", 2)
	m.Key = "k"
	first, err := s.AddMessage(t.Context(), m, live, "agent:b")
	must(t, err)
	m.ID = "m2"
	again, err := s.AddMessage(t.Context(), m, live, "agent:b")
	if err != nil || again.ID != first.ID {
		t.Errorf("the same key again: %v, %v", again.ID, err)
	}
	m.Text = "another"
	if _, err := s.AddMessage(t.Context(), m, live, "agent:b"); !errors.Is(err, &permission.Error{Code: permission.CodeExists}) {
		t.Errorf("another text under the key: %v", err)
	}
	if all, _ := s.Messages(t.Context(), "c"); len(all) != 2 {
		t.Errorf("%d messages", len(all))
	}
}

func bounded(t *testing.T, s coordination.Store) {
	for i := range coordination.MaxOpenTasks {
		must(t, s.AddTask(t.Context(), newTask(fmt.Sprint(i), "a"), "person"))
	}
	if err := s.AddTask(t.Context(), newTask("over", "a"), "person"); !errors.Is(err, coordination.ErrTooManyTasks) {
		t.Errorf("one more task: %v", err)
	}
	other := newTask("other", "a")
	other.ProjectID = "q"
	must(t, s.AddTask(t.Context(), other, "person"))
	for i := range coordination.MaxPerMinute / 2 {
		begin(t, s, fmt.Sprint("c", i))
		_, err := s.AddMessage(t.Context(), newMessage(fmt.Sprint("m", i), coordination.ConversationID(fmt.Sprint("c", i)), "a", "b", 2),
			live, "agent:a")
		must(t, err)
	}
	if _, err := s.AddMessage(t.Context(), newMessage("over", "c0", "a", "b", 59999), live, "agent:a"); !errors.Is(err,
		coordination.ErrTooOften) {
		t.Errorf("one more message: %v", err)
	}
	if c, _ := s.Conversations(t.Context(), coordination.ConversationFilter{ID: "c0"}); c[0].Turns != 2 {
		t.Errorf("a refused message counts as a turn: %d", c[0].Turns)
	}
	_, err := s.AddMessage(t.Context(), newMessage("later", "c0", "a", "b", 60002), live, "agent:a")
	must(t, err)
}

func deliveredOnce(t *testing.T, s coordination.Store) {
	begin(t, s, "c")
	waiting, err := s.Undelivered(t.Context(), project, "b", 0, 10)
	must(t, err)
	if len(waiting) != 1 {
		t.Fatalf("%d messages wait", len(waiting))
	}
	if later, err := s.Undelivered(t.Context(), project, "b", waiting[0].Seq, 10); err != nil || len(later) != 0 {
		t.Errorf("after the last one: %v, %v", later, err)
	}
	must(t, s.Deliver(t.Context(), "a", []coordination.MessageID{waiting[0].ID}, 5, "agent:a")) // not its receiver
	if again, _ := s.Undelivered(t.Context(), project, "b", 0, 10); len(again) != 1 {
		t.Error("somebody else took the message")
	}
	must(t, s.Deliver(t.Context(), "b", []coordination.MessageID{waiting[0].ID}, 6, "agent:b"))
	must(t, s.Deliver(t.Context(), "b", []coordination.MessageID{waiting[0].ID}, 7, "agent:b"))
	all, err := s.Messages(t.Context(), "c")
	must(t, err)
	if all[0].DeliveredAt != 6 {
		t.Errorf("delivered at %d", all[0].DeliveredAt)
	}
	if c, _ := s.Conversations(t.Context(), coordination.ConversationFilter{ID: "c"}); c[0].State != coordination.Active {
		t.Errorf("the conversation is %s", c[0].State)
	}
}

func deleted(t *testing.T, s coordination.Store) {
	begin(t, s, "c")
	if err := s.DeleteConversation(t.Context(), "c", 3, "person"); !errors.Is(err, coordination.ErrTurned) {
		t.Errorf("a live conversation was deleted: %v", err)
	}
	_, err := s.EndConversation(t.Context(), "c", 2, "person")
	must(t, err)
	must(t, s.DeleteConversation(t.Context(), "c", 3, "person"))
	messages, _ := s.Messages(t.Context(), "c")
	if left, _ := s.Conversations(t.Context(), coordination.ConversationFilter{}); len(left)+len(messages) != 0 {
		t.Errorf("%d conversations and %d messages are left", len(left), len(messages))
	}
}

func ordered(t *testing.T, s coordination.Store) {
	begin(t, s, "c")
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			from, to := coordination.Participant("a"), coordination.Participant("b")
			if i%2 == 0 {
				from, to = to, from
			}
			_, _ = s.AddMessage(t.Context(), newMessage(fmt.Sprint("m", i), "c", from, to, 2), live, "agent:"+string(from))
		})
	}
	all.Wait()
	messages, err := s.Messages(t.Context(), "c")
	must(t, err)
	for i := 1; i < len(messages); i++ {
		if messages[i].Seq <= messages[i-1].Seq {
			t.Errorf("message %d has the place %d after %d", i, messages[i].Seq, messages[i-1].Seq)
		}
	}
	if len(messages) != 11 {
		t.Errorf("%d messages", len(messages))
	}
}

// asModel does the same at random to a keeper and to the model, and compares what both say.
func asModel(t *testing.T, s coordination.Store, seed uint64, steps int) {
	r, model := rand.New(rand.NewPCG(seed, 7)), NewModel()
	for i := range steps {
		do := step(r, i)
		got, gotErr := do(t.Context(), s)
		want, wantErr := do(t.Context(), model)
		if code(gotErr) != code(wantErr) || gotErr == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("step %d: %+v, %v; the model says %+v, %v", i, got, gotErr, want, wantErr)
		}
	}
}

func code(err error) permission.Code {
	var e *permission.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	}
	return permission.Code(err.Error())
}

type doing func(ctx context.Context, s coordination.Store) (any, error)

// step is one change or look at random.
func step(r *rand.Rand, i int) doing {
	who := []coordination.Participant{"a", "b", coordination.Person}
	pick := func(n int) string { return fmt.Sprint(r.IntN(n)) }
	at, from := permission.Time(10+i*700), who[r.IntN(3)]
	to := who[r.IntN(3)]
	switch r.IntN(10) {
	case 0:
		task := newTask(fmt.Sprint("t", i), permission.AgentID(who[r.IntN(2)]))
		return func(ctx context.Context, s coordination.Store) (any, error) {
			return nil, s.AddTask(ctx, task, "person")
		}
	case 1, 2:
		return changeTask(r, i)
	case 3:
		c := newConversation("c"+pick(12)+"-"+fmt.Sprint(i), from, to)
		if r.IntN(3) == 0 {
			c.Delegate = permission.SessionID("s" + pick(4))
		}
		m := newMessage(fmt.Sprint("f", i), c.ID, from, to, at)
		if m.Key = pick(40); r.IntN(2) == 0 {
			m.Key = ""
		}
		return func(ctx context.Context, s coordination.Store) (any, error) {
			c, m, err := s.AddConversation(ctx, c, m, "x")
			return []any{c, m}, err
		}
	}
	return talk(r, i, at, from)
}

func changeTask(r *rand.Rand, i int) doing {
	states := []coordination.TaskState{coordination.Todo, coordination.InProgress, coordination.Done, coordination.Failed,
		coordination.Blocked}
	nth, to := r.IntN(6), states[r.IntN(5)]
	session := permission.SessionID("")
	if to != coordination.Todo {
		session = permission.SessionID(fmt.Sprint("s", i))
	}
	from := []coordination.TaskState{states[r.IntN(5)], states[r.IntN(5)]}
	return func(ctx context.Context, s coordination.Store) (any, error) {
		all, err := s.Tasks(ctx, coordination.TaskFilter{Project: project, Open: nth%2 == 0})
		if err != nil || len(all) <= nth {
			return all, err
		}
		next := all[nth]
		next.State, next.SessionID, next.UpdatedAt = to, session, permission.Time(i)
		next.Title, next.Description = fmt.Sprint("title ", i), fmt.Sprint("words ", i)
		change := coordination.TaskChange{ID: next.ID, From: from, Of: all[nth].SessionID, At: all[nth].UpdatedAt, Task: next}
		return s.ChangeTask(ctx, change, "x")
	}
}

func talk(r *rand.Rand, i int, at permission.Time, from coordination.Participant) doing {
	what, nth := r.IntN(6), r.IntN(5)
	return func(ctx context.Context, s coordination.Store) (any, error) {
		all, err := s.Conversations(ctx, coordination.ConversationFilter{Project: project, With: &from, Live: what != 5})
		if err != nil || len(all) <= nth {
			return all, err
		}
		c := all[nth]
		switch what {
		case 0:
			waiting, err := s.Undelivered(ctx, project, from, int64(nth), 3)
			if err != nil || len(waiting) == 0 {
				return waiting, err
			}
			return waiting, s.Deliver(ctx, from, []coordination.MessageID{waiting[0].ID}, at, "x")
		case 1:
			return s.EndConversation(ctx, c.ID, at, "x")
		case 5:
			return nil, s.DeleteConversation(ctx, c.ID, at, "x")
		}
		other, _ := c.Other(from)
		m, err := s.AddMessage(ctx, newMessage(fmt.Sprint("m", i), c.ID, from, other, at), live[:1+nth%2], "x")
		return m, err
	}
}
