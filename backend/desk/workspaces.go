package desk

import (
	"context"
	"encoding/json"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/workspace"
)

// inWorkspace judges a call where it is one of a workspace's tools.
func (d *Catalogue) inWorkspace(server *string, method, tool string, input json.RawMessage) (j workspace.Judgement, s *permission.Server) {
	l := d.servers.Load()
	if server == nil || !l.workspaces || !permission.AboutTool(method) {
		return j, nil
	}
	if of, _ := l.find(*server); of.IsWorkspace() {
		return workspace.Judge(&of, tool, input, d.opts.Workspaces.Confined(&of)), &of
	}
	return j, nil
}

// walked is a decision about a call of a workspace before it asks: a call that the disk refuses asks
// nobody.
func (d *Catalogue) walked(ctx context.Context, asked *policy.Call, got policy.Decision) policy.Decision {
	if got.Effect != permission.Ask {
		return got
	}
	_, s := d.inWorkspace(asked.ServerID, asked.Method, asked.ToolName, nil)
	if s == nil || !s.RunsHere() {
		return got
	}
	if no := d.opts.Workspaces.Look(ctx, s, asked.ToolName, asked.Input); no != nil {
		return policy.Decision{Effect: permission.Deny, Explanation: *no}
	}
	return got
}
