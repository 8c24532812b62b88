package projects

import (
	"context"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// seen is a workspace, as whoever sees it is told.
type seen struct {
	ProjectID string               `json:"project_id"`
	Execution permission.Execution `json:"execution" doc:"who runs the tools"`
}

type listOut struct {
	Body struct {
		Projects []seen `json:"projects"`
	} `nameHint:"Workspaces"`
}

func (d *Door) list(ctx context.Context, _ *struct{}) (*listOut, error) {
	all, err := d.desk.Servers(ctx)
	out := &listOut{}
	out.Body.Projects = []seen{}
	who := caller{restwire.CallerOf(ctx)}
	for i := range all {
		if s := &all[i]; s.IsWorkspace() && s.Enabled && who.sees(s) {
			out.Body.Projects = append(out.Body.Projects, seen{s.ID, s.Execution})
		}
	}
	return out, err
}
