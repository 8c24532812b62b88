package coordination_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"sekisho/backend/coordination"
	"sekisho/backend/permission"
)

// TestATaskIsDoneByOneSession: many sessions of its agent ask for it at once.
func TestATaskIsDoneByOneSession(t *testing.T) {
	s := newSite()
	task := s.task(t, "one", "w1")
	var sessions []coordination.Session
	for range 6 {
		sessions = append(sessions, s.enter(t, "w1", permission.PurposeTask))
	}
	got := make([]bool, len(sessions))
	var all sync.WaitGroup
	for i, session := range sessions {
		all.Go(func() {
			mine, found, err := s.Take(t.Context(), session)
			got[i] = err == nil && found && mine.ID == task.ID
		})
	}
	all.Wait()
	takers := 0
	for _, won := range got {
		if won {
			takers++
		}
	}
	if takers != 1 {
		t.Errorf("%d sessions have the task", takers)
	}
}

// TestAReportEndsATaskOnce: the same again is no error, another one is.
func TestAReportEndsATaskOnce(t *testing.T) {
	s := newSite()
	session := s.enter(t, "w1", permission.PurposeTask)
	if _, err := s.Report(t.Context(), session, coordination.Success, ""); !codeIs(err, permission.CodeNoTask) {
		t.Errorf("a report without a task: %v", err)
	}
	task := s.task(t, "one", "w1")
	_, _, err := s.Take(t.Context(), session)
	must(t, err)
	for range 2 {
		done, err := s.Report(t.Context(), session, coordination.Success, "all done")
		if err != nil || done.ID != task.ID || done.State != coordination.Done || done.Summary != "all done" {
			t.Errorf("%+v, %v", done, err)
		}
	}
	for _, other := range []coordination.TaskResult{coordination.ResultFailed, coordination.ResultBlocked} {
		if _, err := s.Report(t.Context(), session, other, ""); !codeIs(err, permission.CodeAlreadyReported) {
			t.Errorf("%s after success: %v", other, err)
		}
	}
	if _, err := s.Report(t.Context(), session, coordination.Success, "otherwise"); !codeIs(err, permission.CodeAlreadyReported) {
		t.Errorf("another summary: %v", err)
	}
	if _, err := s.Report(t.Context(), session, "done", ""); !codeIs(err, permission.CodeInvalid) {
		t.Errorf("a result of nobody: %v", err)
	}
	s.task(t, "two", "w1")
	if next, found, err := s.Take(t.Context(), session); err != nil || found {
		t.Errorf("a session takes a second task: %+v, %v", next, err)
	}
	if of, err := s.TasksOf(t.Context(), "p", session.ID); err != nil || len(of) != 1 || of[0].Title != "one" {
		t.Errorf("the task of the session is %+v, %v", of, err)
	}
	if of, err := s.TasksOf(t.Context(), "p", "another"); err != nil || len(of) != 0 {
		t.Errorf("the task of a session without one is %+v, %v", of, err)
	}
}

// TestReviewIsWhileACallWaits, and is not kept.
func TestReviewIsWhileACallWaits(t *testing.T) {
	s := newSite()
	s.task(t, "one", "w1")
	session := s.enter(t, "w1", permission.PurposeTask)
	_, _, err := s.Take(t.Context(), session)
	must(t, err)
	for _, want := range []coordination.TaskState{coordination.InProgress, coordination.Review, coordination.InProgress} {
		s.desk.waiting[session.ID] = want == coordination.Review
		if all, err := s.Tasks(t.Context(), "p"); err != nil || all[0].State != want {
			t.Errorf("%v, %v; want %s", all, err, want)
		}
	}
}

// TestATaskThatASessionLeftIsTakenOver, before one that nobody began.
func TestATaskThatASessionLeftIsTakenOver(t *testing.T) {
	s := newSite()
	left := s.task(t, "left", "w1")
	gone := s.enter(t, "w1", permission.PurposeTask)
	_, _, err := s.Take(t.Context(), gone)
	must(t, err)
	s.task(t, "fresh", "w1")
	must(t, s.desk.End(t.Context(), permission.Agent{}, gone))
	got, found, err := s.Take(t.Context(), s.enter(t, "w1", permission.PurposeTask))
	if err != nil || !found || got.ID != left.ID || got.State != coordination.InProgress {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.Report(t.Context(), gone, coordination.Success, ""); !codeIs(err, permission.CodeNoTask) {
		t.Errorf("the session that left it reports: %v", err)
	}
}

// TestOnlyAMemberIsGivenATask, and only one that nobody works on.
func TestOnlyAMemberIsGivenATask(t *testing.T) {
	s := newSite()
	stranger := permission.AgentID("stranger")
	if _, err := s.MakeTask(t.Context(), "p", coordination.TaskForm{Title: "x", AssigneeID: &stranger}, nil); !codeIs(err,
		permission.CodeNotFound) {
		t.Errorf("a task of a stranger: %v", err)
	}
	if _, err := s.MakeTask(t.Context(), "none", coordination.TaskForm{Title: "x"}, nil); !codeIs(err, permission.CodeNotFound) {
		t.Errorf("a task of no project: %v", err)
	}
	task := s.task(t, "one", "w1")
	if _, err := s.AssignTask(t.Context(), "p", task.ID, stranger, "x"); !codeIs(err, permission.CodeNotFound) {
		t.Errorf("assigned to a stranger: %v", err)
	}
	if _, err := s.AssignTask(t.Context(), "q", task.ID, "w2", "x"); !codeIs(err, permission.CodeNotFound) {
		t.Errorf("a task of another project: %v", err)
	}
	moved, err := s.AssignTask(t.Context(), "p", task.ID, "w2", "x")
	if err != nil || *moved.AssigneeID != "w2" {
		t.Errorf("%+v, %v", moved, err)
	}
	_, _, err = s.Take(t.Context(), s.enter(t, "w2", permission.PurposeTask))
	must(t, err)
	if _, err := s.AssignTask(t.Context(), "p", task.ID, "w1", "x"); !codeIs(err, permission.CodeTaskTaken) {
		t.Errorf("a task under way was given to another: %v", err)
	}
	_, err = s.CloseTask(t.Context(), "p", task.ID, coordination.ResultBlocked, "")
	must(t, err)
	again, err := s.AssignTask(t.Context(), "p", task.ID, "w1", "x")
	if err != nil || again.State != coordination.Todo || again.SessionID != "" || again.Result != nil {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestTextsHaveBounds in characters, and are text.
func TestTextsHaveBounds(t *testing.T) {
	s := newSite()
	for text, good := range map[string]bool{"": false, strings.Repeat("関", 200): true, strings.Repeat("関", 201): false, "a\xff": false} {
		if _, err := s.MakeTask(t.Context(), "p", coordination.TaskForm{Title: text}, nil); (err == nil) != good {
			t.Errorf("%.10q, %d bytes: %v", text, len(text), err)
		}
	}
	for text, good := range map[string]bool{"": false, strings.Repeat("関", 4000): true, strings.Repeat("関", 4001): false, "a\xff": false} {
		say := coordination.Saying{Project: "p", From: "w1", Text: text}
		if _, _, err := s.Start(t.Context(), say, "w2", ""); (err == nil) != good {
			t.Errorf("%.10q, %d bytes: %v", text, len(text), err)
		}
	}
}

// TestTasksGoOnlyTheirWays: whatever is done at random, no state follows another that it may not,
// and no session has two tasks.
func TestTasksGoOnlyTheirWays(t *testing.T) {
	may := map[coordination.TaskState][]coordination.TaskState{
		coordination.Todo:       {coordination.InProgress, coordination.Done, coordination.Failed, coordination.Blocked},
		coordination.InProgress: {coordination.Done, coordination.Failed, coordination.Blocked},
		coordination.Failed:     {coordination.Todo}, coordination.Blocked: {coordination.Todo},
	}
	for seed := range uint64(20) {
		r, s := rand.New(rand.NewPCG(seed, 1)), newSite()
		agents := []permission.AgentID{"m", "w1", "w2"}
		results := []coordination.TaskResult{coordination.Success, coordination.ResultFailed, coordination.ResultBlocked}
		was := map[coordination.TaskID]coordination.TaskState{}
		var tasks []coordination.Task
		var sessions []coordination.Session
		for range 150 {
			switch k := r.IntN(6); {
			case k == 0 || len(tasks) == 0:
				s.task(t, "x", agents[r.IntN(3)])
			case k == 1 || len(sessions) == 0:
				sessions = append(sessions, s.enter(t, agents[r.IntN(3)], permission.PurposeTask))
			case k == 2:
				_, _ = s.AssignTask(t.Context(), "p", tasks[r.IntN(len(tasks))].ID, agents[r.IntN(3)], "x")
			case k == 3:
				_, _, _ = s.Take(t.Context(), sessions[r.IntN(len(sessions))])
			case k == 4:
				_, _ = s.Report(t.Context(), sessions[r.IntN(len(sessions))], results[r.IntN(3)], "")
			default:
				_, _ = s.CloseTask(t.Context(), "p", tasks[r.IntN(len(tasks))].ID, results[r.IntN(3)], "")
			}
			tasks, _ = s.Tasks(t.Context(), "p")
			of := map[permission.SessionID]bool{}
			for _, task := range tasks {
				if before, known := was[task.ID]; known && before != task.State && !contains(may[before], task.State) {
					t.Fatalf("seed %d: %s after %s", seed, task.State, before)
				}
				was[task.ID] = task.State
				if task.SessionID != "" && of[task.SessionID] {
					t.Fatalf("seed %d: %s has two tasks", seed, task.SessionID)
				}
				of[task.SessionID] = true
			}
		}
	}
}

func contains(list []coordination.TaskState, s coordination.TaskState) bool {
	for _, o := range list {
		if o == s {
			return true
		}
	}
	return false
}

// TestATaskIsEditedAsItWasSeen, by a person, until it is done; what its session took stays its own.
func TestATaskIsEditedAsItWasSeen(t *testing.T) {
	s := newSite()
	task := s.task(t, "one", "w1")
	title, words := "two", "in detail"
	edited, err := s.EditTask(t.Context(), "p", task.ID, coordination.TaskEdit{Title: &title}, task.UpdatedAt)
	if err != nil || edited.Title != "two" || edited.Description != "" || edited.UpdatedAt <= task.UpdatedAt {
		t.Fatalf("%+v, %v", edited, err)
	}
	if _, err := s.EditTask(t.Context(), "p", task.ID, coordination.TaskEdit{Description: &words}, task.UpdatedAt); !codeIs(err,
		permission.CodeLostUpdate) {
		t.Errorf("over another's edit: %v", err)
	}
	session := s.enter(t, "w1", permission.PurposeTask)
	if _, _, err := s.Take(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	if got, err := s.EditTask(t.Context(), "p", task.ID, coordination.TaskEdit{Description: &words}, 0); err != nil ||
		got.SessionID != session.ID || got.State != coordination.InProgress || got.Title != "two" || got.Description != words {
		t.Errorf("while it is worked on: %+v, %v", got, err)
	}
	empty, long := "", strings.Repeat("x", coordination.MaxTitle+1)
	for _, bad := range []*string{&empty, &long} {
		if _, err := s.EditTask(t.Context(), "p", task.ID, coordination.TaskEdit{Title: bad}, 0); !codeIs(err, permission.CodeInvalid) {
			t.Errorf("a title of %d: %v", len(*bad), err)
		}
	}
	if _, err := s.EditTask(t.Context(), "q", task.ID, coordination.TaskEdit{Title: &title}, 0); !codeIs(err, permission.CodeNotFound) {
		t.Errorf("in another project: %v", err)
	}
	if _, err := s.Report(t.Context(), session, coordination.Success, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.EditTask(t.Context(), "p", task.ID, coordination.TaskEdit{Title: &title}, 0); !codeIs(err, permission.CodeAlreadyReported) {
		t.Errorf("once it is done: %v", err)
	}
}

// TestAnEditAndATakeLoseNothing: what both change at once is as both say.
func TestAnEditAndATakeLoseNothing(t *testing.T) {
	for range 50 {
		s := newSite()
		task, session, title := s.task(t, "one", "w1"), s.enter(t, "w1", permission.PurposeTask), "two"
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := s.EditTask(t.Context(), "p", task.ID, coordination.TaskEdit{Title: &title}, 0); err != nil {
				t.Error(err)
			}
		})
		both.Go(func() {
			if _, found, err := s.Take(t.Context(), session); err != nil || !found {
				t.Error(found, err)
			}
		})
		both.Wait()
		if got := mustTasks(t, s)[0]; got.Title != "two" || got.SessionID != session.ID {
			t.Fatalf("%+v", got)
		}
	}
}
