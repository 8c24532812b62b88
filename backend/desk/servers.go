package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sekisho/backend/authz"
	"sekisho/backend/permission"
	"sekisho/backend/workspace"
)

// Servers gives all servers with their secrets: doors mask them.
func (d *Catalogue) Servers(context.Context) ([]permission.Server, error) {
	return slices.Clone(d.servers.Load().all), nil
}

// ServerList is Servers, with the version of the list: another one when any server of it
// is, or their order.
func (d *Catalogue) ServerList(context.Context) (servers []permission.Server, version string, err error) {
	l := d.servers.Load()
	return slices.Clone(l.all), l.version(), nil
}

// Server gives one; NotFound when there is none.
func (d *Catalogue) Server(_ context.Context, id string) (permission.Server, error) {
	if s, known := d.servers.Load().find(id); known {
		return s, nil
	}
	return permission.Server{}, permission.NotFound("server")
}

// Refuses says why a caller may not use a tool of a server at all, by the table of the server; nil:
// it may, as far as that goes. Resources and prompts are in no table.
func (d *Catalogue) Refuses(caller permission.Standing, server *string, method, tool string) *permission.Explanation {
	l := d.servers.Load()
	if server == nil || !l.tables || !permission.AboutTool(method) {
		return nil
	}
	of, _ := l.find(*server) // one that is not there has no table
	return authz.Permits(of.ToolPermissions, caller, tool)
}

// ReplaceServers puts servers in the place of all. A masked value keeps the secret
// that was there under the same server and name. ifVersion, when not empty, is the
// version of the list that the caller saw; CodeLostUpdate when it is another by now.
func (d *Catalogue) ReplaceServers(ctx context.Context, ifVersion string,
	servers []permission.Server) (stored []permission.Server, version string, err error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	err = d.turn.edit(ctx, func() error {
		if ifVersion != "" && ifVersion != d.servers.Load().version() {
			return &permission.Error{Code: permission.CodeLostUpdate, Message: "the servers were changed meanwhile"}
		}
		return d.replaceServers(ctx, servers)
	})
	if err != nil {
		return nil, "", err
	}
	return d.ServerList(ctx)
}

// replaceServers puts servers in the place of all. The turn is the caller's.
func (d *Catalogue) replaceServers(ctx context.Context, servers []permission.Server) error {
	old := d.servers.Load()
	servers, ids, err := old.check(servers, d.opts.Workspaces.Check)
	if err != nil {
		return err
	}
	hidden, put := old.hide(servers)
	if len(put) > 0 { // before the store names them: what it has named is there
		if err := d.secrets.ChangeSecrets(put, nil); err != nil {
			return err
		}
	}
	entry := permission.Entry{At: d.state.Now(), Kind: permission.ServersChanged, Actor: permission.ActorPerson,
		Data: permission.Data(map[string]any{"servers": ids})}
	edit, err := d.install(ctx, servers, hidden, entry)
	if err != nil { // what is stored is what starts: it may be either
		return errors.Join(err, d.turn.reload(ctx, false))
	}
	d.edited(edit)
	d.servers.put(d.list(hidden), edit.versions[permission.OfServers])
	d.forget()
	next, _ := d.Servers(ctx)
	d.opts.Reinstalled(next)
	return nil
}

// check says what is wrong with a new list, and gives it with the kept secrets in the place
// of its masks, and its ids.
func (l *serverList) check(given []permission.Server, folders func(*permission.Server) error) (
	servers []permission.Server, ids []string, err error) {
	servers, ids = slices.Clone(given), []string{}
	seen := map[string]bool{}
	for i := range servers {
		s := &servers[i]
		if err := s.Valid(); err != nil {
			return nil, nil, serverErr(i, err)
		}
		if seen[s.ID] {
			return nil, nil, permission.Invalid(fmt.Sprintf("servers[%d].id", i), permission.FieldDuplicate, "two servers have this id")
		}
		seen[s.ID] = true
		kept, _ := l.find(s.ID)
		err := s.Unmask(kept)
		if err == nil && s.IsWorkspace() && !kept.Same(s) { // a folder that is gone by now is no reason to refuse all others
			err = folders(s)
		}
		if err != nil {
			return nil, nil, serverErr(i, err)
		}
		ids = append(ids, s.ID)
	}
	return servers, ids, nil
}

// Unmasked gives a server as it would be kept: with the secrets that stand behind its
// masked values.
func (d *Catalogue) Unmasked(_ context.Context, s permission.Server) (permission.Server, error) {
	if err := s.Valid(); err != nil {
		return s, err
	}
	kept, _ := d.servers.Load().find(s.ID)
	if err := s.Unmask(kept); err != nil {
		return s, err
	}
	if s.Holds(permission.Mask) {
		s.Lacks = kept.Lacks
	}
	return s, nil
}

func serverErr(i int, err error) error {
	var e *permission.Error
	if errors.As(err, &e) {
		return e.At(fmt.Sprintf("servers[%d].%s", i, e.Field))
	}
	return err
}

// install keeps another list of servers, and what it means for their tools.
func (d *Catalogue) install(ctx context.Context, servers, hidden []permission.Server, e permission.Entry) (done bookEdit, err error) {
	d.tools.edits.Lock()
	defer d.tools.edits.Unlock()
	b := *d.tools.Load()
	next, tools := b.Installed(servers, d.state.Now())
	tools.Judge = tools.Judge || !permission.SameTables(d.servers.Load().all, servers)
	rule := func(id permission.RuleID) (permission.Rule, error) { return d.rule(ctx, id) }
	workspace.EditRules(&tools, d.servers.Load().all, servers, d.state.Now(), rule)
	v, err := d.store.ReplaceServers(ctx, d.turn.of(permission.OfServers, permission.OfTools, permission.OfPolicy), hidden, tools, e)
	if err != nil {
		return done, err
	}
	done = d.know(b, next, v)
	done.rules = len(tools.Rules.Put)+len(tools.Rules.Delete) > 0
	return done, nil
}
