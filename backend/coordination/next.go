package coordination

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"sekisho/backend/permission"
)

// Action is what a session is to do next.
type Action string

// The actions of a session.
const (
	ActWork   Action = "work"
	ActChat   Action = "chat"
	ActWait   Action = "wait"
	ActLogout Action = "logout"
)

// Next is what a session is to do next, and why.
type Next struct {
	Action         Action         `json:"action"`
	Instruction    string         `json:"instruction"`
	TaskID         TaskID         `json:"task_id,omitempty"`
	ConversationID ConversationID `json:"conversation_id,omitempty"`
	Messages       []Said         `json:"messages,omitempty"`

	parcel *parcel // the messages that are given with it
}

// MaxWait bounds how long a session waits for something to do.
const MaxWait = 60 * time.Second

// Next says what a session is to do; where there is nothing, it waits for that, at most as long
// as is said.
func (c *Coordination) Next(ctx context.Context, s Session, wait time.Duration) (Next, error) {
	timer := time.NewTimer(min(wait, MaxWait))
	defer timer.Stop()
	for again := false; ; again = true {
		changed := c.bells.next(s.ProjectID) // before the look: a change after it rings
		if again {
			if open, err := c.live(ctx, s.ID); err != nil || !open { // it ended meanwhile, and takes nothing
				return Next{}, cmp.Or(err, error(permission.NotFound("session")))
			}
		}
		n, err := c.look(ctx, s)
		if err == nil && n.Action == ActWait {
			c.signs.rest(s.ID)
		}
		if err != nil || n.Action != ActWait || wait <= 0 {
			return n, err
		}
		select {
		case <-changed:
		case <-timer.C:
			return n, nil
		case <-ctx.Done():
			return n, ctx.Err()
		}
	}
}

func (c *Coordination) look(ctx context.Context, s Session) (Next, error) {
	if s.Purpose == permission.PurposeTask {
		return c.lookForWork(ctx, s)
	}
	waiting, err := c.Pending(ctx, s.ProjectID, OfAgent(s.AgentID))
	if err != nil || len(waiting) == 0 {
		return Next{Action: ActWait, Instruction: "No message waits for you. Call get_next_action again."}, err
	}
	return Next{Action: ActChat, ConversationID: waiting[0].ConversationID,
		Instruction: fmt.Sprintf("%d messages wait for you: read them with get_pending_messages, and answer with respond_chat.", len(waiting))}, nil
}

func (c *Coordination) lookForWork(ctx context.Context, s Session) (Next, error) {
	t, found, err := c.Take(ctx, s)
	if err != nil {
		return Next{}, err
	}
	of := TaskID("")
	if found {
		of = t.ID
	}
	n, awaits, err := c.delegated(ctx, s, of)
	switch {
	case err != nil || n.Action == ActWork:
		return n, err
	case !found:
		return c.unoccupied(ctx, s)
	case awaits:
		return n, nil
	}
	return Next{Action: ActWork, TaskID: t.ID,
		Instruction: fmt.Sprintf("Work on the task %q. Read it with get_my_task, and end it with report_completed.", t.Title)}, nil
}

// unoccupied is for a task session without a task: it has ended its own, or there is none.
func (c *Coordination) unoccupied(ctx context.Context, s Session) (Next, error) {
	ended, err := c.store.Tasks(ctx, TaskFilter{Session: s.ID})
	if err != nil || len(ended) == 0 {
		return Next{Action: ActWait, Instruction: "No task waits for you. Call get_next_action again."}, err
	}
	return Next{Action: ActLogout, TaskID: ended[0].ID, Instruction: "Your task has ended. End your session here."}, nil
}

// delegated gives the answers to what a task session has delegated. awaits says that the newest
// of it has no answer yet.
func (c *Coordination) delegated(ctx context.Context, s Session, of TaskID) (n Next, awaits bool, err error) {
	conversations, err := c.store.Conversations(ctx, ConversationFilter{Project: s.ProjectID, Delegate: s.ID})
	if err != nil || len(conversations) == 0 {
		return n, false, err
	}
	n.parcel, err = c.handOut(&s, func() ([]Message, error) {
		return c.unread(ctx, s.ProjectID, OfAgent(s.AgentID), func(m *Message) (bool, error) { return m.Delegate == s.ID, nil })
	})
	if err != nil {
		return n, false, err
	}
	if n.parcel != nil {
		n.Messages = n.parcel.said()
		n.Action, n.TaskID, n.ConversationID = ActWork, of, n.Messages[0].ConversationID
		n.Instruction = "What you delegated was answered: see messages. Go on with your task."
		return n, false, nil
	}
	for _, v := range conversations {
		if v.State != Ended && v.LastFrom == OfAgent(s.AgentID) {
			return Next{Action: ActWait, TaskID: of, ConversationID: v.ID,
				Instruction: "What you delegated has no answer yet. Call get_next_action again, or go on with your task."}, true, nil
		}
	}
	return n, false, nil
}

// Command is what is to become of an agent.
type Command string

// The commands of an agent's coordinator.
const (
	CmdStart   Command = "start"
	CmdHold    Command = "hold"
	CmdStop    Command = "stop"
	CmdRestart Command = "restart"
)

// Order is what a coordinator is to do with an agent, and why.
type Order struct {
	Action  Command            `json:"action"`
	Reason  string             `json:"reason"`
	Passkey string             `json:"passkey,omitempty"`
	Purpose permission.Purpose `json:"purpose,omitempty"`

	made Session // whose passkey it is
}

// quietFor is how long a session that has given no sign of life holds another one back: an agent
// takes a while to start, and to ask for something to do.
const quietFor = 60 * time.Second

// expected reports whether a sign of life of a session is still to be waited for. The passkey of one
// that nobody entered may have been lost with the desk before this one.
func (c *Coordination) expected(s *Session) bool {
	if !s.Entered {
		return s.CreatedAt >= c.signs.began && c.desk.Now() < s.CreatedAt.Add(quietFor)
	}
	return c.signs.has(s.ID) || c.desk.Now() < max(s.CreatedAt, c.signs.began).Add(quietFor)
}

// Order says what is to become of an agent of a project, and makes a session for it where
// something waits and none is open.
func (c *Coordination) Order(ctx context.Context, by permission.Agent, project permission.ProjectID, agent permission.AgentID) (Order,
	error) {
	c.orders.Lock()
	defer c.orders.Unlock()
	m, err := c.member(ctx, project, agent)
	if err != nil {
		return Order{}, err
	}
	if why := c.desk.Halted(agent); why != "" {
		return Order{Action: CmdHold, Reason: why}, nil
	}
	open, err := c.desk.Sessions(ctx, project, agent)
	if err != nil {
		return Order{}, err
	}
	purpose, why, err := c.wants(ctx, project, agent)
	if err != nil {
		return Order{}, err
	}
	busy := false
	for _, s := range open {
		switch occupied, err := c.occupied(ctx, &s, purpose); {
		case err != nil:
			return Order{}, err
		case !s.Entered && c.expected(&s):
			return Order{Action: CmdHold, Reason: "a passkey was given, and its session has not begun yet"}, nil
		case !s.Entered || s.Purpose == permission.PurposeChat && !c.expected(&s):
		case occupied, c.expected(&s) && purpose == s.Purpose && !c.over(ctx, &s):
			busy = true
		}
	}
	switch {
	case busy:
		return Order{Action: CmdHold, Reason: "a session of it is at work"}, nil
	case purpose == "" && len(open) == 0:
		return Order{Action: CmdHold, Reason: "nothing waits for it"}, nil
	}
	return c.replace(ctx, by, project, m, open, purpose, why)
}

// replace ends the sessions of an agent that have nothing more to do, and makes another one
// where something waits.
func (c *Coordination) replace(ctx context.Context, by permission.Agent, project permission.ProjectID, m Member, open []Session,
	purpose permission.Purpose, why string) (o Order, err error) {
	entered := false
	for _, s := range open {
		entered = entered || s.Entered
		if err := c.desk.End(ctx, by, s); err != nil {
			return o, err
		}
		c.signs.forget(s.ID)
	}
	if purpose == "" {
		return Order{Action: CmdStop, Reason: "it has nothing more to do: its session was ended"}, nil
	}
	o = Order{Action: CmdStart, Reason: why, Purpose: purpose}
	if entered {
		o.Action = CmdRestart
	}
	o.made, o.Passkey, err = c.desk.Start(ctx, by, project, m, purpose)
	return o, err
}

// wants says for which purpose something waits for an agent: a task before a message.
func (c *Coordination) wants(ctx context.Context, project permission.ProjectID, agent permission.AgentID) (permission.Purpose, string,
	error) {
	_, found, err := c.waiting(ctx, project, agent)
	if err != nil || found {
		return permission.PurposeTask, "a task waits for it", err
	}
	messages, err := c.Pending(ctx, project, OfAgent(agent))
	if err != nil || len(messages) > 0 {
		return permission.PurposeChat, "a message waits for it", err
	}
	return "", "", nil
}

// occupied reports whether a session has something under way: a task, or a conversation. Where
// something else waits, it is held back by a conversation in which this agent is to speak alone: not by
// one that its tasks delegated, whose answers reach those, nor while the session does nothing but wait.
func (c *Coordination) occupied(ctx context.Context, s *Session, waits permission.Purpose) (bool, error) {
	if s.Purpose == permission.PurposeTask {
		own, err := c.store.Tasks(ctx, TaskFilter{Session: s.ID, Open: true})
		return len(own) > 0, err
	}
	who := OfAgent(s.AgentID)
	live, err := c.store.Conversations(ctx, ConversationFilter{Project: s.ProjectID, With: &who, Live: true})
	if waits != "" {
		live = slices.DeleteFunc(live, func(v Conversation) bool {
			return v.LastFrom == who || v.Delegate != "" && v.Participants[0] == who || c.signs.rests(s.ID)
		})
	}
	return len(live) > 0, err
}

// over reports whether a task session has ended its task.
func (c *Coordination) over(ctx context.Context, s *Session) bool {
	own, err := c.store.Tasks(ctx, TaskFilter{Session: s.ID})
	return err == nil && s.Purpose == permission.PurposeTask && len(own) > 0
}
