package coordination_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/coordination"
	"sekisho/backend/permission"
)

// TestWhoWaitsIsWokenByTheChange, not by asking again and again.
func TestWhoWaitsIsWokenByTheChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		session, began := s.enter(t, "w1", permission.PurposeTask), time.Now()
		time.AfterFunc(17*time.Second, func() { s.task(t, "late", "w1") })
		n, err := s.Next(t.Context(), session, time.Minute)
		if err != nil || n.Action != coordination.ActWork || time.Since(began) != 17*time.Second {
			t.Errorf("%+v, %v after %s", n, err, time.Since(began))
		}
	})
}

// TestNobodyWaitsLongerThanSaid, nor longer than a minute, nor after leaving.
func TestNobodyWaitsLongerThanSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		session := s.enter(t, "w1", permission.PurposeChat)
		for said, want := range map[time.Duration]time.Duration{0: 0, 5 * time.Second: 5 * time.Second, time.Hour: time.Minute} {
			began := time.Now()
			n, err := s.Next(t.Context(), session, said)
			if err != nil || n.Action != coordination.ActWait || time.Since(began) != want {
				t.Errorf("%s: %+v, %v after %s", said, n, err, time.Since(began))
			}
		}
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if _, err := s.Next(ctx, session, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after it has left: %v", err)
		}
	})
}

// TestAnEndedSessionTakesNothing that comes while it waits: the next session has it.
func TestAnEndedSessionTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		session := s.enter(t, "w1", permission.PurposeTask)
		time.AfterFunc(time.Second, func() {
			if err := s.desk.End(t.Context(), permission.Agent{}, session); err != nil {
				t.Error(err)
			}
			s.task(t, "late", "w1")
		})
		if n, err := s.Next(t.Context(), session, time.Minute); !errors.Is(err, permission.NotFound("")) {
			t.Errorf("%+v, %v", n, err)
		}
		if n, err := s.Next(t.Context(), s.enter(t, "w1", permission.PurposeTask), 0); err != nil || n.Action != coordination.ActWork {
			t.Errorf("the next session: %+v, %v", n, err)
		}
	})
}

// TestAnAnswerReachesTheTaskThatDelegated, once, and no chat session of the same agent.
func TestAnAnswerReachesTheTaskThatDelegated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		s.task(t, "one", "w1")
		working, chatting := s.enter(t, "w1", permission.PurposeTask), s.enter(t, "w1", permission.PurposeChat)
		other := s.enter(t, "w2", permission.PurposeChat)
		asked := s.call(t, working, "delegate_to_chat_session", `{"agent_id":"w2","message":"which version?"}`)
		if n, err := s.Next(t.Context(), working, 0); err != nil || n.Action != coordination.ActWait || n.ConversationID == "" {
			t.Errorf("before the answer: %+v, %v", n, err)
		}
		time.AfterFunc(3*time.Second, func() {
			s.call(t, other, "get_pending_messages", `{}`)
			s.call(t, other, "respond_chat", `{"conversation_id":"`+asked["conversation_id"].(string)+`","message":"2.0"}`)
		})
		a, err := s.Call(t.Context(), coordination.Caller{Agent: permission.Agent{ID: "w1"}, Session: working.ID}, "get_next_action",
			[]byte(`{"timeout_seconds":30}`), "")
		must(t, err)
		if !strings.Contains(string(a.Body), `"message":"2.0"`) || !strings.Contains(string(a.Body), `"action":"work"`) {
			t.Errorf("%s", a.Body)
		}
		if list, _ := s.Pending(t.Context(), "p", coordination.OfAgent(chatting.AgentID)); len(list) != 0 {
			t.Errorf("a chat session has %v", list)
		}
		a.Given()
		if n := s.call(t, working, "get_next_action", `{}`); n["action"] != "work" || n["messages"] != nil || n["task_id"] == nil {
			t.Errorf("after the answer: %v", n)
		}
	})
}

// TestAnAnswerOfALostTaskIsAMessage for the chat of its agent.
func TestAnAnswerOfALostTaskIsAMessage(t *testing.T) {
	s := newSite()
	working := s.enter(t, "w1", permission.PurposeTask)
	_, _, err := s.Start(t.Context(), coordination.Saying{Project: "p", From: "w1", Text: "?"}, "", working.ID)
	must(t, err)
	all, err := s.Conversations(t.Context(), "p")
	must(t, err)
	_, err = s.Respond(t.Context(), coordination.Saying{Project: "p", From: coordination.Person, Text: "yes"}, all[0].ID, coordination.Pending)
	must(t, err)
	if list, _ := s.Pending(t.Context(), "p", "w1"); len(list) != 0 {
		t.Errorf("while the task works: %v", list)
	}
	must(t, s.desk.End(t.Context(), permission.Agent{}, working))
	if list, _ := s.Pending(t.Context(), "p", "w1"); len(list) != 1 {
		t.Errorf("after it has ended: %v", list)
	}
}

// call runs a tool of a session, whose answer is taken as written.
func (s *site) call(t *testing.T, of coordination.Session, tool, input string) map[string]any {
	t.Helper()
	a, err := s.Call(t.Context(), coordination.Caller{Agent: permission.Agent{ID: of.AgentID}, Session: of.ID}, tool, []byte(input), "")
	must(t, err)
	if a.Given != nil {
		a.Given()
	}
	var said map[string]any
	must(t, json.Unmarshal(a.Body, &said))
	return said
}

// TestMessagesAreHandedOutOnce where the answer was written and the session goes on; a desk that was
// killed before hands them out again.
func TestMessagesAreHandedOutOnce(t *testing.T) {
	s := newSite()
	session, second := s.enter(t, "w1", permission.PurposeChat), s.enter(t, "w1", permission.PurposeChat)
	say := coordination.Saying{Project: "p", From: coordination.Person, Text: "hello"}
	v, _, err := s.Start(t.Context(), say, "w1", "")
	must(t, err)
	who := coordination.Caller{Agent: permission.Agent{ID: "w1"}, Session: session.ID}
	for range 2 { // the first was not written
		a, err := s.Call(t.Context(), who, "get_pending_messages", []byte(`{}`), "")
		must(t, err)
		if !strings.Contains(string(a.Body), `"message":"hello"`) || !strings.Contains(string(a.Body), `"from":"person"`) {
			t.Errorf("%s", a.Body)
		}
		must(t, a.Lost(t.Context()))
	}
	s.call(t, session, "get_pending_messages", `{}`)
	if other := s.call(t, second, "get_pending_messages", `{}`); len(other["messages"].([]any)) != 0 {
		t.Errorf("another session of the agent has them too: %v", other)
	}
	killed := &site{coordination.New(s.store, s.desk), s.desk, s.store}
	if again, err := killed.Pending(t.Context(), "p", "w1"); err != nil || len(again) != 1 {
		t.Errorf("after a kill: %v, %v", again, err)
	}
	if again := s.call(t, session, "get_pending_messages", `{}`); len(again["messages"].([]any)) != 0 {
		t.Errorf("given twice: %v", again)
	}
	if all, _ := s.store.Messages(t.Context(), v.ID); all[0].DeliveredAt.IsZero() {
		t.Error("it is not marked")
	}
}

// TestAnswersThatAreMadeAtOnceShareNoMessage: of two that ask at once, one has it; where that answer is
// lost the message waits again, and where it was written it is delivered.
func TestAnswersThatAreMadeAtOnceShareNoMessage(t *testing.T) {
	for _, lost := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newSite()
			session, second := s.enter(t, "w1", permission.PurposeChat), s.enter(t, "w1", permission.PurposeChat)
			v, _, err := s.Start(t.Context(), coordination.Saying{Project: "p", From: coordination.Person, Text: "hello"}, "w1", "")
			must(t, err)
			first, err := s.Call(t.Context(), callerIn(session), "get_pending_messages", []byte(`{}`), "")
			must(t, err)
			if other := s.call(t, second, "get_pending_messages", `{}`); len(other["messages"].([]any)) != 0 {
				t.Errorf("another session has what is being written: %v", other)
			}
			said := make(chan int, 1)
			go func() { said <- len(s.call(t, session, "get_pending_messages", `{}`)["messages"].([]any)) }()
			synctest.Wait()
			if all, _ := s.store.Messages(t.Context(), v.ID); !all[0].DeliveredAt.IsZero() {
				t.Error("it is marked before its answer was written")
			}
			want := 0
			if lost {
				want = 1
				must(t, first.Lost(t.Context()))
			} else {
				first.Given()
			}
			if got := <-said; got != want {
				t.Errorf("lost %t: the second answer has %d messages, want %d", lost, got, want)
			}
			if all, _ := s.store.Messages(t.Context(), v.ID); all[0].DeliveredAt.IsZero() != lost {
				t.Errorf("lost %t: delivered at %v", lost, all[0].DeliveredAt)
			}
		})
	}
}

// TestManyAtOnceGetEachMessageOnce, whichever session of the agent asks.
func TestManyAtOnceGetEachMessageOnce(t *testing.T) {
	s := newSite()
	sessions := []coordination.Session{s.enter(t, "w1", permission.PurposeChat), s.enter(t, "w1", permission.PurposeChat)}
	for i := range 40 {
		_, _, err := s.Start(t.Context(), coordination.Saying{Project: "p", From: coordination.Person, Text: fmt.Sprint(i)}, "w1", "")
		must(t, err)
	}
	var all sync.Mutex
	var work sync.WaitGroup
	times := map[any]int{}
	for i := range 8 {
		work.Go(func() {
			for range 5 {
				for _, m := range s.call(t, sessions[i%2], "get_pending_messages", `{}`)["messages"].([]any) {
					all.Lock()
					times[m.(map[string]any)["message_id"]]++
					all.Unlock()
				}
			}
		})
	}
	work.Wait()
	for id, n := range times {
		if n != 1 {
			t.Errorf("%v was given %d times", id, n)
		}
	}
	if len(times) != 40 {
		t.Errorf("%d messages were given", len(times))
	}
}

// TestADelegatedAnswerIsNotHiddenByUnreadMessages, nor a message by answers that tasks wait for.
func TestADelegatedAnswerIsNotHiddenByUnreadMessages(t *testing.T) {
	s := newSite()
	working := s.enter(t, "w1", permission.PurposeTask)
	fill := func(delegate permission.SessionID) {
		for i := range 60 {
			say := coordination.Saying{Project: "p", From: coordination.Person, Text: fmt.Sprint(i)}
			if delegate == "" {
				_, _, err := s.Start(t.Context(), say, "w1", "")
				must(t, err)
				continue
			}
			v, _, err := s.Start(t.Context(), coordination.Saying{Project: "p", From: "w1", Text: "?"}, "", delegate)
			if errors.Is(err, coordination.ErrTooOften) {
				return
			}
			must(t, err)
			_, err = s.Respond(t.Context(), say, v.ID, coordination.Pending)
			must(t, err)
		}
	}
	fill("")
	v, _, err := s.Start(t.Context(), coordination.Saying{Project: "p", From: "w1", Text: "which?"}, "", working.ID)
	must(t, err)
	_, err = s.Respond(t.Context(), coordination.Saying{Project: "p", From: coordination.Person, Text: "this"}, v.ID, coordination.Pending)
	must(t, err)
	if n := s.call(t, working, "get_next_action", `{}`); n["action"] != "work" || n["conversation_id"] != string(v.ID) {
		t.Errorf("behind 60 messages: %v", n)
	}
	s = newSite()
	working = s.enter(t, "w1", permission.PurposeTask)
	fill(working.ID)
	_, _, err = s.Start(t.Context(), coordination.Saying{Project: "p", From: coordination.Person, Text: "hello"}, "w1", "")
	must(t, err)
	if list, err := s.Pending(t.Context(), "p", "w1"); err != nil || len(list) != 1 {
		t.Errorf("behind 60 answers: %d, %v", len(list), err)
	}
}

func callerIn(s coordination.Session) coordination.Caller {
	return coordination.Caller{Agent: permission.Agent{ID: s.AgentID}, Session: s.ID}
}

// TestAnAnswerIsForAnActiveConversation of one's own.
func TestAnAnswerIsForAnActiveConversation(t *testing.T) {
	s := newSite()
	w1, w2, m := s.enter(t, "w1", permission.PurposeChat), s.enter(t, "w2", permission.PurposeChat), s.enter(t, "m", permission.PurposeChat)
	id := s.call(t, w1, "start_conversation", `{"agent_id":"w2","message":"1"}`)["conversation_id"].(string)
	answer := func(of coordination.Session) error {
		_, err := s.Call(t.Context(), coordination.Caller{Agent: permission.Agent{ID: of.AgentID}, Session: of.ID}, "respond_chat",
			[]byte(`{"conversation_id":"`+id+`","message":"x"}`), "")
		return err
	}
	if err := answer(w1); !codeIs(err, permission.CodeNotActive) {
		t.Errorf("into a pending one: %v", err)
	}
	s.call(t, w2, "get_pending_messages", `{}`)
	s.call(t, w2, "get_next_action", `{}`) // by which it is known that it has them
	if err := answer(m); !codeIs(err, permission.CodeNotFound) {
		t.Errorf("by a third: %v", err)
	}
	for turn := 2; turn <= coordination.MaxTurns; turn++ {
		if err := answer([]coordination.Session{w1, w2}[turn%2]); err != nil {
			t.Fatalf("turn %d: %v", turn, err)
		}
	}
	if err := answer(w1); !codeIs(err, permission.CodeNotActive) {
		t.Errorf("after the last turn: %v", err)
	}
	if sent := s.call(t, w1, "send_message", `{"agent_id":"w2","message":"again"}`); sent["conversation_id"] == id {
		t.Error("a message went into the conversation that ended")
	}
}

// TestOrders are what a coordinator is told of an agent.
func TestOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		order := func(want coordination.Command, purpose permission.Purpose) coordination.Order {
			t.Helper()
			o, err := s.Order(t.Context(), permission.Agent{ID: "boss"}, "p", "w1")
			if err != nil || o.Action != want || o.Purpose != purpose || (o.Passkey != "") != (purpose != "") {
				t.Fatalf("%+v, %v; want %s", o, err, want)
			}
			return o
		}
		order(coordination.CmdHold, "") // nothing waits
		s.task(t, "one", "w1")
		s.desk.halted["w1"] = "a person has stopped this agent"
		order(coordination.CmdHold, "")
		delete(s.desk.halted, "w1")
		order(coordination.CmdStart, permission.PurposeTask)
		order(coordination.CmdHold, "") // the passkey is on its way
		time.Sleep(time.Minute)
		o := order(coordination.CmdStart, permission.PurposeTask)
		if len(s.desk.sessions) != 1 {
			t.Errorf("%d sessions: the one that was never entered is to end", len(s.desk.sessions))
		}
		e, err := s.desk.Authenticate(t.Context(), permission.Agent{ID: "w1"}, coordination.Passkey{AgentID: "w1", Passkey: o.Passkey,
			ProjectID: "p"})
		must(t, err)
		session, _ := s.desk.Session(t.Context(), e.SessionID)
		order(coordination.CmdHold, "") // it has not asked for the task yet
		if n, err := s.Next(t.Context(), session, 0); err != nil || n.Action != coordination.ActWork {
			t.Fatalf("%+v, %v", n, err)
		}
		s.task(t, "two", "w1")
		order(coordination.CmdHold, "") // it works
		_, err = s.Report(t.Context(), session, coordination.Success, "")
		must(t, err)
		if n, _ := s.Next(t.Context(), session, time.Minute); n.Action != coordination.ActLogout {
			t.Errorf("after its report: %+v", n)
		}
		order(coordination.CmdRestart, permission.PurposeTask)
		_, err = s.CloseTask(t.Context(), "p", mustTasks(t, s)[1].ID, coordination.Success, "")
		must(t, err)
		time.Sleep(time.Minute)
		order(coordination.CmdStop, "")
		_, _, err = s.Start(t.Context(), coordination.Saying{Project: "p", From: coordination.Person, Text: "hello"}, "w1", "")
		must(t, err)
		order(coordination.CmdStart, permission.PurposeChat)
		if _, err := s.Order(t.Context(), permission.Agent{}, "p", "stranger"); !codeIs(err, permission.CodeNotFound) {
			t.Errorf("of a stranger: %v", err)
		}
	})
}

func mustTasks(t *testing.T, s *site) []coordination.Task {
	t.Helper()
	all, err := s.Tasks(t.Context(), "p")
	must(t, err)
	return all
}

// TestAWaitingTaskIsNotHeldBackByTalk that is over: by the answer to what an earlier task delegated, or by
// a last word that needs no answer, to a chat session that waits.
func TestAWaitingTaskIsNotHeldBackByTalk(t *testing.T) {
	for name, answered := range map[string]bool{"a delegation": true, "a last word": false} {
		t.Run(name, func(t *testing.T) {
			s := newSite()
			other := s.enter(t, "w2", permission.PurposeChat)
			if answered {
				s.task(t, "earlier", "w1")
				working := s.enter(t, "w1", permission.PurposeTask)
				if _, err := s.Next(t.Context(), working, 0); err != nil {
					t.Fatal(err)
				}
				s.call(t, working, "delegate_to_chat_session", `{"agent_id":"w2","message":"which version?"}`)
				asked := s.call(t, other, "get_pending_messages", `{}`)
				s.call(t, other, "respond_chat", fmt.Sprintf(`{"conversation_id":%q,"message":"2.0"}`, talkIn(t, asked)))
				s.call(t, working, "get_next_action", `{}`)
				s.call(t, working, "report_completed", `{"result":"success"}`)
				must(t, s.desk.End(t.Context(), permission.Agent{}, working))
			}
			chatting := s.enter(t, "w1", permission.PurposeChat)
			s.call(t, chatting, "get_next_action", `{}`)
			if !answered {
				s.call(t, other, "send_message", `{"agent_id":"w1","message":"thank you"}`)
				s.call(t, chatting, "get_pending_messages", `{}`)
			}
			s.task(t, "waits", "w1")
			by := permission.Agent{ID: "boss"}
			if !answered { // it may be about to answer
				if o, err := s.Order(t.Context(), by, "p", "w1"); err != nil || o.Action != coordination.CmdHold {
					t.Errorf("before it waits: %+v %v", o, err)
				}
				s.call(t, chatting, "get_next_action", `{}`)
			}
			o, err := s.Order(t.Context(), by, "p", "w1")
			if err != nil || o.Action != coordination.CmdRestart || o.Purpose != permission.PurposeTask {
				t.Errorf("%+v %v", o, err)
			}
		})
	}
}

// talkIn is the conversation of the first message of an answer.
func talkIn(t *testing.T, said map[string]any) string {
	t.Helper()
	list, _ := said["messages"].([]any)
	if len(list) == 0 {
		t.Fatalf("no message: %v", said)
	}
	return fmt.Sprint(list[0].(map[string]any)["conversation_id"])
}

// TestSecretsAreTakenOut of what is judged and kept, whatever their letters' case.
func TestSecretsAreTakenOut(t *testing.T) {
	for input, want := range map[string]string{
		`{"a":1,"session_token":"sks_x","b":2}`:      `{"a":1,"b":2}`,
		`{"Session_Token":"sks_x"}`:                  `{}`,
		`{"passkey":"p","agent_id":"w1"}`:            `{"agent_id":"w1"}`,
		`{ "a" : [1, 2.0] }`:                         `{ "a" : [1, 2.0] }`,
		`{"session\u005ftoken":"sks_x","x":"sks_y"}`: `{"x":"sks_y"}`,
	} {
		rest, taken, err := coordination.Strip([]byte(input))
		if err != nil || string(rest) != want || len(taken) > 1 {
			t.Errorf("%s: %s, %v, %v", input, rest, taken, err)
		}
	}
	for _, bad := range []string{`{"passkey":1}`, `[]`, `{"passkey":"a","passkey":"b"}`} {
		if _, _, err := coordination.Strip([]byte(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	s := newSite()
	_, key, _ := s.desk.Start(t.Context(), permission.Agent{}, "p", coordination.Member{AgentID: "w1", Role: permission.RoleWorker},
		permission.PurposeTask)
	a, err := s.Call(t.Context(), coordination.Caller{Agent: permission.Agent{ID: "w1"}}, "authenticate",
		[]byte(`{"agent_id":"w1","project_id":"p"}`), key)
	must(t, err)
	if !strings.Contains(string(a.Body), "sks_") || strings.Contains(string(a.Kept), "sks_") || a.Entered == "" {
		t.Errorf("%s, kept %s", a.Body, a.Kept)
	}
	s.task(t, "one", "w2")
	a, err = s.Call(t.Context(), coordination.Caller{Agent: permission.Agent{ID: "boss"}}, "get_agent_action",
		[]byte(`{"agent_id":"w2","project_id":"p"}`), "")
	must(t, err)
	if !strings.Contains(string(a.Body), "passkey-") || strings.Contains(string(a.Kept), "passkey-") {
		t.Errorf("%s, kept %s", a.Body, a.Kept)
	}
}
