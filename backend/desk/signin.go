package desk

import (
	"context"

	"sekisho/backend/permission"
)

// NoteSignIn puts what happened to a sign-in into the journal, as news of the servers.
// The store takes it as an edit of tools that changes none.
func (d *Desk) NoteSignIn(ctx context.Context, c permission.SignInChange) error {
	scopes := c.Scopes
	if scopes == nil {
		scopes = []string{}
	}
	said := map[string]any{"what": c.What, "serverId": c.ServerID, "issuer": c.Issuer, "scopes": scopes}
	if c.Why != "" {
		said["why"] = c.Why
	}
	entry := permission.Entry{At: now(), Kind: permission.ServersChanged, Actor: c.What.Actor(), Data: data(said)}
	_, err := d.store.EditTools(ctx, permission.ToolEdit{Entries: []permission.Entry{entry}})
	return told("keep what happened to a sign-in", err)
}
