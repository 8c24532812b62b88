package desk

import (
	"context"

	"sekisho/backend/permission"
)

// NoteSignIn puts what happened to a sign-in into the journal, as news of the servers.
func (d *Desk) NoteSignIn(ctx context.Context, c permission.SignInChange) error {
	scopes := c.Scopes
	if scopes == nil {
		scopes = []string{}
	}
	said := map[string]any{"what": c.What, "serverId": c.ServerID, "issuer": c.Issuer, "scopes": scopes}
	if c.Why != "" {
		said["why"] = c.Why
	}
	entry := permission.Entry{At: d.Now(), Kind: permission.ServersChanged, Actor: c.What.Actor(), Data: data(said)}
	return told("keep what happened to a sign-in", d.store.Note(ctx, entry))
}
