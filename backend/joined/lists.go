package joined

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sekisho/backend/authz"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

const maxMembers = 100 // servers that are joined

// lists are what members offer, under names of which each is one of all members.
type lists struct {
	desk     Desk
	members  *members
	log      *clientLog
	opts     Options
	catalogs *catalogs
}

// stand is a server at the joined endpoint with what it offers of a kind.
type stand struct {
	server permission.Server
	offers bool
	all    []mcpwire.Offering
	err    error
	help   string // what help is called among its tools; "" is none
}

// addHelp gives a server with a table help beside its tools, which everybody may use. The server of
// coordination has its own.
func (s *stand) addHelp() {
	if s.err != nil || s.server.ToolPermissions == nil || s.server.Transport == permission.TransportBuiltin {
		return
	}
	taken := slices.ContainsFunc(s.all, func(o mcpwire.Offering) bool { return o.Name == authz.HelpTool })
	s.help = authz.HelpName(taken)
	entry, err := mcpwire.GatherList(mcpwire.OfTools, func([]byte) ([]byte, error) {
		return fmt.Appendf(nil, `{"tools":[%s]}`, authz.HelpEntry(s.help)), nil
	})
	if err == nil {
		s.all = slices.Concat(s.all, entry)
	}
}

// list asks all servers at once, and gives what they have of a kind under joined names, as
// an array. A server that cannot be asked is left out, which the client is told in a log
// message.
func (l *lists) list(ctx context.Context, what mcpwire.ListKind) (array []byte, err error) {
	c := &l.catalogs[what]
	if err := c.asking.take(ctx); err != nil {
		return nil, err
	}
	defer c.asking.leave()
	return l.listAsking(ctx, what)
}

// listAsking is list for whose turn it is to ask.
func (l *lists) listAsking(ctx context.Context, what mcpwire.ListKind) (array []byte, err error) {
	stands, err := l.stands(ctx)
	if err != nil {
		return nil, err
	}
	listed := make(map[string]permission.Server, len(stands))
	for _, s := range stands {
		listed[s.server.ID] = s.server
	}
	l.catalogs[what].last.CompareAndSwap(nil, &told{listed: listed}) // servers that come meanwhile are news to the client
	var all sync.WaitGroup
	for i := range stands {
		all.Add(1)
		go func(s *stand) {
			defer all.Done()
			l.await(ctx, what, s)
		}(&stands[i])
	}
	all.Wait()
	for i := range stands {
		if what == mcpwire.OfTools {
			stands[i].addHelp()
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // what was broken off says nothing of the servers
	}
	for _, s := range stands {
		if s.err != nil {
			l.log.warn("the %s of the server %s are left out: %s", mcpwire.Listings[what].Words, s.server.ID, s.err)
		}
	}
	return l.name(what, stands, listed), nil
}

// stands are the servers that are joined: those of the list that are enabled.
func (l *lists) stands(ctx context.Context) (stands []stand, err error) {
	servers, err := l.desk.Servers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list servers: %w", err)
	}
	for _, s := range servers {
		switch {
		case !s.Enabled:
		case len(stands) == maxMembers:
			l.log.warn("more than %d servers are enabled: the others are left out", maxMembers)
			return stands, nil
		default:
			stands = append(stands, stand{server: s})
		}
	}
	return stands, nil
}

// name gives everything of a kind its joined name, remembers it for requests, and writes
// the list. What is over the limit of one message is left out.
func (l *lists) name(what mcpwire.ListKind, stands []stand, listed map[string]permission.Server) []byte {
	var pairs []pair
	for _, s := range stands {
		for _, o := range s.all {
			pairs = append(pairs, pair{s.server.ID, o.Name})
		}
	}
	naming := uniqueNames
	if what == mcpwire.OfResources || what == mcpwire.OfTemplates {
		naming = uniqueURIs
	}
	next := &told{of: naming(pairs), listed: listed}
	names := make(map[pair]string, len(next.of))
	for name, p := range next.of {
		names[p] = name
	}
	var list [][]byte
	size, who := 0, l.members.client.Who()
	for _, s := range stands {
		if s.offers {
			next.from = append(next.from, s.server.ID)
		}
		for _, o := range s.all {
			p := pair{s.server.ID, o.Name}
			name, ok := names[p]
			open := what != mcpwire.OfTools || o.Name == s.help || l.desk.Usable(who, s.server.ID, o.Name)
			if size += len(o.Raw); !ok || size > l.opts.MaxMessage || !open {
				continue // its name is known all the same: who calls it is told why not
			}
			list = append(list, o.As(name))
			delete(names, p) // what a server lists twice it has once
		}
	}
	l.catalogs[what].last.Store(next)
	return append(append([]byte("["), bytes.Join(list, []byte(","))...), ']')
}

// known is what the client was told of a kind, after listing when it never was.
func (l *lists) known(ctx context.Context, what mcpwire.ListKind) (*told, *mcpwire.Error) {
	c := &l.catalogs[what]
	if t := c.told(); t != nil {
		return t, nil
	}
	err := c.asking.take(ctx)
	if err == nil {
		defer c.asking.leave()
		if t := c.told(); t != nil { // somebody else asked
			return t, nil
		}
		_, err = l.listAsking(ctx, what)
	}
	if err != nil {
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "%s", err)
	}
	return c.told(), nil
}

// find gives the tool or prompt of a joined name.
func (l *lists) find(ctx context.Context, what mcpwire.ListKind, name string) (pair, *mcpwire.Error) {
	t, bad := l.known(ctx, what)
	if bad != nil {
		return pair{}, bad
	}
	p, ok := t.of[name]
	if !ok && what == mcpwire.OfTools {
		p, ok = l.refused(t, name)
	}
	if !ok {
		return p, mcpwire.Errorf(mcpwire.CodeParams, "unknown %s %.80q", strings.TrimSuffix(mcpwire.Listings[what].Words, "s"), name)
	}
	return p, nil
}

// refused finds the tool of a name that no list has, where the table of its server refuses it to the
// client: the desk says why, as for a tool that is there.
func (l *lists) refused(t *told, name string) (p pair, is bool) {
	server, tool, _ := strings.Cut(name, parted)
	_, joined := t.listed[server]
	return pair{server, tool}, joined && tool != "" && !l.desk.Usable(l.members.client.Who(), server, tool)
}

// relisted tells the client that the list of servers is another than it was when it asked
// for what they have.
func (l *lists) relisted(servers []permission.Server) {
	servers = slices.DeleteFunc(slices.Clone(servers), func(s permission.Server) bool { return !s.Enabled })
	said := map[string]bool{}
	for what := range l.catalogs {
		last := l.catalogs[what].last.Load()
		if last == nil {
			continue
		}
		moved := len(servers) != len(last.listed) || slices.ContainsFunc(servers, func(s permission.Server) bool {
			old, known := last.listed[s.ID]
			return !known || !old.Same(&s)
		})
		if changed := mcpwire.Listings[what].Changed; moved && !said[changed] {
			said[changed] = true
			l.members.client.Say(nil, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`, changed))
		}
	}
}
