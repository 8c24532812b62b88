package coordination

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Switch turns the server of coordination on and off for agents. taken says that a person has a
// server of its id, which stands in the way.
type Switch interface {
	On(ctx context.Context) (on, taken bool, err error)
	Turn(ctx context.Context, on bool) error
}

// rows are those of REST, all for the person. Without a coordination they say that there is none.
type rows struct {
	of *Coordination
	is Switch
}

// Add adds the rows; nil: this desk keeps nothing.
func Add(a *restwire.API, of *Coordination, is Switch) {
	h := rows{of, is}
	restwire.Register(a, restwire.Row{Route: "GET /v1/coordination", ID: "getCoordination", Who: restwire.Operators,
		Summary: "Say whether agents have the server of coordination"}, h.get)
	restwire.Register(a, restwire.Row{Route: "PATCH /v1/coordination", ID: "turnCoordination", Who: restwire.Operators,
		Summary: "Turn the server of coordination on or off",
		About: "On, the list of servers has the entry coordination, of the transport builtin, and the rules have the rule coordination, unless there is one: it allows the tools of this server with priority 1, " +
			"so that reports do not wait for a person. Off, the entry goes, and the rule stays. 409 already_exists where a server has this id."}, h.turn)
	h.addTasks(a)
	h.addConversations(a)
}

func (h rows) there() error {
	if h.of == nil || h.is == nil {
		return &permission.Error{Code: permission.CodeUnavailable, Message: "this desk keeps nothing"}
	}
	return nil
}

type switchOut struct {
	Body struct {
		On    bool `json:"on"`
		Taken bool `json:"taken" doc:"a server of yours has the id coordination: it stands in the way"`
	} `nameHint:"Coordination"`
}

func (h rows) get(ctx context.Context, _ *struct{}) (*switchOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	out := &switchOut{}
	var err error
	out.Body.On, out.Body.Taken, err = h.is.On(ctx)
	return out, err
}

type turnIn struct {
	Body struct {
		On bool `json:"on"`
	} `nameHint:"CoordinationSwitch"`
}

func (h rows) turn(ctx context.Context, in *turnIn) (*switchOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	if err := h.is.Turn(ctx, in.Body.On); err != nil {
		return nil, err
	}
	return h.get(ctx, nil)
}

func (h rows) addTasks(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /v1/projects/{id}/tasks", ID: "listTasks", Who: restwire.Operators,
		Summary: "List the tasks of a project, the oldest first"}, h.tasks)
	restwire.Register(a, restwire.Row{Route: "POST /v1/projects/{id}/tasks", ID: "makeTask", Who: restwire.Operators,
		Status:  http.StatusCreated,
		Summary: "Make a task in a project",
		About:   "A project has at most 1,000 open tasks: too_many."}, h.makeTask)
	restwire.Register(a, restwire.Row{Route: "PATCH /v1/projects/{id}/tasks/{taskId}", ID: "editTask", Who: restwire.Operators,
		Summary: "Write the title or the description of a task anew",
		About:   "What is left out stays. If-Match with the quoted updatedAt guards against lost updates. A task that is done is already_reported."}, h.editTask)
	restwire.Register(a, restwire.Row{Route: "POST /v1/projects/{id}/tasks/{taskId}/assign", ID: "assignTask", Who: restwire.Operators,
		Summary: "Give a task to an agent of its project",
		About:   "One that nobody has begun, that failed or is blocked: the last two are to be done again."}, h.assignTask)
	restwire.Register(a, restwire.Row{Route: "POST /v1/projects/{id}/tasks/{taskId}/close", ID: "closeTask", Who: restwire.Operators,
		Summary: "End a task, whoever works on it",
		About:   "The same again changes nothing; another result of a task that has ended is already_reported."}, h.closeTask)
}

type projectIn struct {
	ID string `path:"id" maxLength:"256"`
}

type tasksIn struct {
	ID        string `path:"id" maxLength:"256"`
	SessionID string `query:"sessionId" maxLength:"256" doc:"only that of this session"`
}

type tasksOut struct {
	Body struct {
		Tasks []Task `json:"tasks" nullable:"false"`
	}
}

func (h rows) tasks(ctx context.Context, in *tasksIn) (*tasksOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	tasks, err := h.of.TasksOf(ctx, permission.ProjectID(in.ID), permission.SessionID(in.SessionID))
	out := &tasksOut{}
	out.Body.Tasks = tasks
	return out, err
}

type taskOut struct {
	Body struct {
		Task Task `json:"task"`
	}
}

func taskAnswer(t Task, err error) (*taskOut, error) {
	out := &taskOut{}
	out.Body.Task = t
	return out, err
}

type makeTaskIn struct {
	ID   string `path:"id" maxLength:"256"`
	Body struct {
		Title       string  `json:"title" minLength:"1" maxLength:"200"`
		Description string  `json:"description,omitempty" maxLength:"20000"`
		AssigneeID  *string `json:"assigneeId,omitempty" nullable:"true" doc:"a member of the project; null: nobody yet"`
	} `nameHint:"NewTask"`
}

func (h rows) makeTask(ctx context.Context, in *makeTaskIn) (*taskOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	form := TaskForm{Title: in.Body.Title, Description: in.Body.Description, AssigneeID: (*permission.AgentID)(in.Body.AssigneeID)}
	return taskAnswer(h.of.MakeTask(ctx, permission.ProjectID(in.ID), form, nil))
}

type editTaskIn struct {
	ID     string `path:"id" maxLength:"256"`
	TaskID string `path:"taskId" maxLength:"256"`
	restwire.Precondition
	Body struct {
		Title       *string `json:"title,omitempty" minLength:"1" maxLength:"200"`
		Description *string `json:"description,omitempty" maxLength:"20000"`
	} `nameHint:"TaskEdit"`
}

func (h rows) editTask(ctx context.Context, in *editTaskIn) (*taskOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	project, id := permission.ProjectID(in.ID), TaskID(in.TaskID)
	saw, err := in.SeenAt(func() (permission.Time, error) {
		t, err := h.of.task(ctx, project, id)
		return t.UpdatedAt, err
	})
	if err != nil {
		return nil, err
	}
	return taskAnswer(h.of.EditTask(ctx, project, id, TaskEdit{in.Body.Title, in.Body.Description}, saw))
}

type assignTaskIn struct {
	ID     string `path:"id" maxLength:"256"`
	TaskID string `path:"taskId" maxLength:"256"`
	Body   struct {
		AssigneeID string `json:"assigneeId" minLength:"1"`
	} `nameHint:"TaskAssignment"`
}

func (h rows) assignTask(ctx context.Context, in *assignTaskIn) (*taskOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	return taskAnswer(h.of.AssignTask(ctx, permission.ProjectID(in.ID), TaskID(in.TaskID), permission.AgentID(in.Body.AssigneeID),
		permission.ActorPerson))
}

type closeTaskIn struct {
	ID     string `path:"id" maxLength:"256"`
	TaskID string `path:"taskId" maxLength:"256"`
	Body   struct {
		Result  string `json:"result" enum:"success,failed,blocked"`
		Summary string `json:"summary,omitempty" maxLength:"4000"`
	} `nameHint:"TaskEnd"`
}

func (h rows) closeTask(ctx context.Context, in *closeTaskIn) (*taskOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	return taskAnswer(h.of.CloseTask(ctx, permission.ProjectID(in.ID), TaskID(in.TaskID), TaskResult(in.Body.Result), in.Body.Summary))
}
