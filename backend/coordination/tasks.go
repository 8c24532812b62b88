package coordination

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"sekisho/backend/permission"
)

// TaskForm is a task as it is asked for.
type TaskForm struct {
	Title       string
	Description string
	AssigneeID  *permission.AgentID
}

// check says what is wrong with a form.
func (c *Coordination) check(ctx context.Context, project permission.ProjectID, f TaskForm) error {
	if err := checkText("title", f.Title, MaxTitle, false); err != nil {
		return err
	}
	if err := checkText("description", f.Description, MaxDescription, true); err != nil {
		return err
	}
	if f.AssigneeID == nil {
		_, err := c.project(ctx, project)
		return err
	}
	_, err := c.member(ctx, project, *f.AssigneeID)
	return err
}

// MakeTask makes a task; by is the agent that asks for it, and nil a person.
func (c *Coordination) MakeTask(ctx context.Context, project permission.ProjectID, f TaskForm, by *permission.AgentID) (Task, error) {
	if err := c.check(ctx, project, f); err != nil {
		return Task{}, err
	}
	now, actor := c.desk.Now(), permission.ActorPerson
	if by != nil {
		actor = actorOf(*by)
	}
	t := Task{ID: TaskID(newID()), ProjectID: project, Title: f.Title, Description: f.Description, AssigneeID: f.AssigneeID, State: Todo,
		CreatedBy: by, CreatedAt: now, UpdatedAt: now}
	if err := c.store.AddTask(ctx, t, actor); err != nil {
		return Task{}, err
	}
	c.bells.ring(project)
	return t, nil
}

// Tasks gives the tasks of a project.
func (c *Coordination) Tasks(ctx context.Context, project permission.ProjectID) ([]Task, error) {
	return c.TasksOf(ctx, project, "")
}

// TasksOf gives the tasks of a project on which a session works, or did; an empty one is any.
func (c *Coordination) TasksOf(ctx context.Context, project permission.ProjectID, session permission.SessionID) ([]Task, error) {
	if _, err := c.project(ctx, project); err != nil {
		return nil, err
	}
	tasks, err := c.store.Tasks(ctx, TaskFilter{Project: project, Session: session})
	if err != nil {
		return nil, err
	}
	return c.reviewed(ctx, tasks)
}

// reviewed gives tasks with the state review where a call of their session waits for a person.
func (c *Coordination) reviewed(ctx context.Context, tasks []Task) ([]Task, error) {
	if !slices.ContainsFunc(tasks, func(t Task) bool { return t.State == InProgress }) {
		return tasks, nil
	}
	waiting, err := c.desk.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	for i := range tasks {
		if t := &tasks[i]; t.State == InProgress && waiting[t.SessionID] {
			t.State = Review
		}
	}
	return tasks, nil
}

// task gives one of a project.
func (c *Coordination) task(ctx context.Context, project permission.ProjectID, id TaskID) (Task, error) {
	found, err := c.store.Tasks(ctx, TaskFilter{Project: project, ID: id})
	if err == nil && (len(found) == 0 || id == "") {
		err = permission.NotFound("task")
	}
	if err != nil {
		return Task{}, err
	}
	return found[0], nil
}

// change changes a task that is as it was seen.
func (c *Coordination) change(ctx context.Context, seen Task, actor string, edit func(*Task)) (Task, error) {
	next := seen
	edit(&next)
	next.UpdatedAt = max(c.desk.Now(), seen.UpdatedAt+1) // a version of its own
	t, err := c.store.ChangeTask(ctx, TaskChange{ID: seen.ID, From: []TaskState{seen.State}, Of: seen.SessionID, At: seen.UpdatedAt,
		Task: next, Edited: next.Title != seen.Title || next.Description != seen.Description}, actor)
	if err == nil {
		c.bells.ring(t.ProjectID)
	}
	return t, err
}

// AssignTask gives a task that nobody works on to an agent of its project; one that failed or
// was blocked is to be done again. actor is who does so.
func (c *Coordination) AssignTask(ctx context.Context, project permission.ProjectID, id TaskID, to permission.AgentID,
	actor string) (Task, error) {
	if _, err := c.member(ctx, project, to); err != nil {
		return Task{}, err
	}
	seen, err := c.task(ctx, project, id)
	if err != nil {
		return Task{}, err
	}
	switch seen.State {
	case Todo, Failed, Blocked:
	default:
		return Task{}, &permission.Error{Code: permission.CodeTaskTaken,
			Message: "the task is " + string(seen.State) + ": only one that nobody has begun, that failed or is blocked can be assigned"}
	}
	if seen.State == Todo && seen.AssigneeID != nil && *seen.AssigneeID == to {
		return seen, nil
	}
	return c.change(ctx, seen, actor, func(t *Task) {
		t.AssigneeID, t.State, t.Result, t.Summary, t.SessionID = &to, Todo, nil, "", ""
	})
}

// TaskEdit is other words for a task; nil leaves one as it is.
type TaskEdit struct {
	Title       *string
	Description *string
}

// EditTask writes a task anew for a person, who saw it with this updatedAt (0 is any), while it is not done.
func (c *Coordination) EditTask(ctx context.Context, project permission.ProjectID, id TaskID, edit TaskEdit,
	saw permission.Time) (Task, error) {
	for {
		seen, err := c.task(ctx, project, id)
		if err != nil {
			return Task{}, err
		}
		next := seen
		if edit.Title != nil {
			next.Title = *edit.Title
		}
		if edit.Description != nil {
			next.Description = *edit.Description
		}
		if err := cmp.Or(checkText("title", next.Title, MaxTitle, false),
			checkText("description", next.Description, MaxDescription, true)); err != nil {
			return Task{}, err
		}
		switch {
		case saw != 0 && seen.UpdatedAt != saw:
			return Task{}, &permission.Error{Code: permission.CodeLostUpdate, Message: "the task was changed meanwhile"}
		case seen.State == Done:
			return Task{}, &permission.Error{Code: permission.CodeAlreadyReported, Message: "the task is done: its words stay"}
		case next == seen:
			return seen, nil
		}
		t, err := c.change(ctx, seen, permission.ActorPerson, func(t *Task) { t.Title, t.Description = next.Title, next.Description })
		if !errors.Is(err, ErrTurned) {
			return t, err
		}
	}
}

// CloseTask ends a task for a person, whoever works on it.
func (c *Coordination) CloseTask(ctx context.Context, project permission.ProjectID, id TaskID, result TaskResult,
	summary string) (Task, error) {
	return c.end(ctx, result, summary, permission.ActorPerson, func() (Task, error) { return c.task(ctx, project, id) })
}

// Report ends the task of a session, once: the same report again changes nothing.
func (c *Coordination) Report(ctx context.Context, s Session, result TaskResult, summary string) (Task, error) {
	return c.end(ctx, result, summary, actorOf(s.AgentID), func() (Task, error) {
		found, err := c.store.Tasks(ctx, TaskFilter{Session: s.ID})
		if err == nil && len(found) == 0 {
			err = &permission.Error{Code: permission.CodeNoTask, Message: "this session has no task to report"}
		}
		if err != nil {
			return Task{}, err
		}
		return found[0], nil
	})
}

// end ends a task, as it is when it is looked at.
func (c *Coordination) end(ctx context.Context, result TaskResult, summary, actor string, look func() (Task, error)) (Task, error) {
	if result.State() == "" {
		return Task{}, permission.Invalid("result", permission.FieldNotOneOf, "a result is success, failed or blocked")
	}
	if err := checkText("summary", summary, MaxSummary, true); err != nil {
		return Task{}, err
	}
	for {
		seen, err := look()
		if err != nil {
			return Task{}, err
		}
		if !seen.State.Open() {
			if seen.Result != nil && *seen.Result == result && (summary == "" || summary == seen.Summary) {
				return seen, nil
			}
			return Task{}, &permission.Error{Code: permission.CodeAlreadyReported, Message: "the task has ended as " + string(seen.State)}
		}
		t, err := c.change(ctx, seen, actor, func(t *Task) { t.State, t.Result, t.Summary = result.State(), &result, summary })
		if !errors.Is(err, ErrTurned) {
			return t, err
		}
	}
}

// Take gives a session the task that it works on: its own, or else the one of its agent that a
// session left which has ended, or the oldest that nobody began. A session has one task in its
// life: where it has ended that, found is false.
func (c *Coordination) Take(ctx context.Context, s Session) (t Task, found bool, err error) {
	own, err := c.store.Tasks(ctx, TaskFilter{Session: s.ID})
	if err != nil || len(own) > 0 {
		return firstOpen(own)
	}
	for {
		next, found, err := c.waiting(ctx, s.ProjectID, s.AgentID)
		if err != nil || !found || s.Purpose != permission.PurposeTask {
			return Task{}, false, err
		}
		t, err := c.change(ctx, next, actorOf(s.AgentID), func(t *Task) { t.State, t.SessionID = InProgress, s.ID })
		if !errors.Is(err, ErrTurned) {
			return t, err == nil, err
		}
	}
}

func firstOpen(tasks []Task) (Task, bool, error) {
	i := slices.IndexFunc(tasks, func(t Task) bool { return t.State.Open() })
	if i < 0 {
		return Task{}, false, nil
	}
	return tasks[i], true, nil
}

// waiting gives the task of an agent that a session is to take: what was begun goes before
// what was not.
func (c *Coordination) waiting(ctx context.Context, project permission.ProjectID, agent permission.AgentID) (Task, bool, error) {
	open, err := c.store.Tasks(ctx, TaskFilter{Project: project, Assignee: agent, Open: true})
	if err != nil {
		return Task{}, false, err
	}
	var left, fresh []Task
	for _, t := range open {
		switch live, err := c.live(ctx, t.SessionID); {
		case err != nil:
			return Task{}, false, err
		case live:
		case t.State == Todo:
			fresh = append(fresh, t)
		default:
			left = append(left, t)
		}
	}
	if t, found := oldest(left); found {
		return t, true, nil
	}
	t, found := oldest(fresh)
	return t, found, nil
}
