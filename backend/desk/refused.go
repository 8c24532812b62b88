package desk

import (
	"context"

	"sekisho/backend/permission"
)

// NoteRefused puts into the journal that an agent tried what a person alone may do: of
// which row, by its method and path, and how often.
func (d *Desk) NoteRefused(ctx context.Context, agent permission.Agent, method, path string, count int) error {
	entry := permission.Entry{At: d.Now(), Kind: permission.OperatorRefused, Actor: "agent:" + string(agent.ID), Data: data(map[string]any{
		"agentName": agent.Name, "method": method, "path": path, "count": count,
	})}
	return told("keep that an agent was refused", d.store.Note(ctx, entry))
}
