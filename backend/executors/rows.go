package executors

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// rows are those of REST. Without executors they say that there are none.
type rows struct{ of *Executors }

// Add adds the rows; nil: this desk keeps nothing.
func Add(a *restwire.API, of *Executors) {
	h := rows{of}
	restwire.Register(a, restwire.Row{Route: "POST /v1/executors", ID: "createExecutor", Who: restwire.Operators, Status: http.StatusCreated,
		Summary: "Make an executor and its token",
		About: "The token is shown this once and kept as a hash. With it a program sees which approved calls of these projects are to be run " +
			"(GET /my/projects/{project_id}/events), claims them (POST /v1/calls/{id}/claim) and reports their results " +
			"(POST /my/projects/{project_id}/tools/{tool_id}/result), and does nothing else: sekisho executor is one."}, h.create)
	restwire.Register(a, restwire.Row{Route: "GET /v1/executors", ID: "listExecutors", Who: restwire.Operators,
		Summary: "List executors, oldest first"}, h.list)
	restwire.Register(a, restwire.Row{Route: "DELETE /v1/executors/{id}", ID: "deleteExecutor", Who: restwire.Operators,
		Summary: "End an executor: its token is void at once"}, h.delete)
}

func (h rows) there() error {
	if h.of == nil {
		return &permission.Error{Code: permission.CodeUnavailable, Message: "this desk keeps no executors"}
	}
	return nil
}

type createIn struct {
	Body struct {
		Name       string   `json:"name" minLength:"1" maxLength:"64"`
		ProjectIDs []string `json:"projectIds" nullable:"false" minItems:"1" maxItems:"100" doc:"ids of workspaces"`
	} `nameHint:"NewExecutor"`
}

type createOut struct {
	Body struct {
		Executor permission.Executor `json:"executor"`
		Token    string              `json:"token"`
	} `nameHint:"CreatedExecutor"`
}

func (h rows) create(ctx context.Context, in *createIn) (*createOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	e, token, err := h.of.Create(ctx, in.Body.Name, in.Body.ProjectIDs)
	out := &createOut{}
	out.Body.Executor, out.Body.Token = e, token
	return out, err
}

type listOut struct {
	Body struct {
		Executors []permission.Executor `json:"executors"`
	} `nameHint:"ExecutorList"`
}

func (h rows) list(context.Context, *struct{}) (*listOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	out := &listOut{}
	out.Body.Executors = h.of.All()
	return out, nil
}

type deleteIn struct {
	ID string `path:"id" maxLength:"256"`
}

func (h rows) delete(ctx context.Context, in *deleteIn) (*struct{}, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	return nil, h.of.Delete(ctx, permission.ExecutorID(in.ID))
}
