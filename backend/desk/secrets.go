package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"sekisho/backend/permission"
)

// Secrets says where the secrets of servers are.
func (d *Catalogue) Secrets() permission.SecretsNotice { return d.servers.Load().notice }

// readServers reads the servers and their secrets.
func (d *Catalogue) readServers(ctx context.Context, _ int64) (*serverList, error) {
	stored, err := d.store.Servers(ctx)
	if err != nil {
		return nil, err
	}
	return d.list(stored), nil
}

// list gives stored servers their secrets.
func (d *Catalogue) list(stored []permission.Server) *serverList {
	secrets, err := d.secrets.Secrets()
	next := &serverList{byID: map[string]int{}, stored: map[string]permission.Server{},
		notice: permission.SecretsNotice{Where: d.secrets.Where()}}
	if err != nil {
		d.opts.Logger.Error("read the secrets of servers", "error", err)
		next.notice.Trouble = inWords(err)
	}
	disputed := map[string]bool{}
	for _, p := range d.state.Differences() {
		if p.Set == "servers" {
			disputed[p.Key] = true
		}
	}
	for i, s := range stored {
		next.stored[s.ID], next.byID[s.ID] = s, i
		shown := s.Revealed(secrets, next.notice.Trouble)
		if disputed[s.ID] {
			shown.Lacks = "its entry is not as the journal says that it was left: it is not started until a person has picked one of the versions"
		}
		shown.Revision = revision(s)
		next.all = append(next.all, shown)
		next.tables, next.workspaces = next.tables || shown.ToolPermissions != nil, next.workspaces || s.IsWorkspace()
	}
	return next
}

// revision tells nothing of the secrets: it is made of their names in the store, of which
// a value that changed has a new one.
func revision(stored permission.Server) string {
	stored.Enabled, stored.ToolPermissions, stored.Users = true, nil, nil
	raw, err := json.Marshal(stored)
	if err != nil {
		panic("a server always marshals: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// forget takes away the secrets that no server names any more, after an edit that the
// store has kept. It is not done at the start: a database that a person put in the place
// of another must not cost the secrets of that one. What goes wrong here goes right with
// the next edit.
func (d *Catalogue) forget() {
	secrets, err := d.secrets.Secrets()
	if err != nil {
		return // it has been said
	}
	if unused := d.servers.Load().unused(secrets); len(unused) > 0 {
		err = d.secrets.ChangeSecrets(nil, unused)
	}
	if err != nil {
		d.opts.Logger.Warn("forget secrets that no server has any more", "error", err)
	}
}

// inWords is what an error says to a person.
func inWords(err error) string {
	var e *permission.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// hide gives servers as the store is to have them, and the secrets that are to be kept
// before that. A value that is the kept one keeps its name.
func (l *serverList) hide(servers []permission.Server) (hidden []permission.Server, put map[string]string) {
	put = map[string]string{}
	for _, s := range servers {
		known, _ := l.find(s.ID)
		stored := l.stored[s.ID]
		s.Env = permission.HideValues(s.Env, known.Env, stored.Env, put)
		s.Headers = permission.HideValues(s.Headers, known.Headers, stored.Headers, put)
		s.Lacks = ""
		hidden = append(hidden, s)
	}
	return hidden, put
}

// unused lists the names of secrets that belonged to servers and that no server names.
func (l *serverList) unused(secrets map[string]string) (names []string) {
	used := map[string]bool{}
	for _, s := range l.stored {
		for _, values := range []map[string]string{s.Env, s.Headers} {
			for _, value := range values {
				used[value] = true
			}
		}
	}
	for name := range secrets {
		if permission.IsReference(name) && !used[name] {
			names = append(names, name)
		}
	}
	return names
}
