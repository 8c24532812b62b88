package joined

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

const maxMembers = 100 // servers that are joined

// catalog is what the client was last told that there is of one kind.
type catalog struct {
	asking sync.Mutex // held while the members are asked

	// Guarded by the joined session.
	of     map[string]pair              // by the names that the client knows; nil before the first list
	listed map[string]permission.Server // the servers that were joined
	from   []string                     // those of them that offer things of the kind, in their order
}

// stand is a server at the joined endpoint with what it offers of a kind.
type stand struct {
	server permission.Server
	offers bool
	all    []mcpwire.Offering
	err    error
}

// fill asks the server. One that is too busy to answer still has what it had the last time.
func (s *stand) fill(ctx context.Context, j *connection, what mcpwire.ListKind) {
	p, err := j.visit(ctx, what, s.server.ID)
	if s.err = err; err != nil || !p.can.list[what] {
		return
	}
	s.offers = true
	s.all, s.err = mcpwire.GatherList(what, func(params []byte) ([]byte, error) {
		return j.ask(ctx, p, mcpwire.Listings[what].Method, params)
	})
	if errors.Is(s.err, errNoMethod) { // it has some of the kind's methods, and not this one
		s.all, s.err = []mcpwire.Offering{}, nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case s.err == nil:
		p.lists[what] = s.all
	case p.lists[what] != nil && p.s.Alive():
		s.all, s.err = p.lists[what], nil
	}
}

// failedFor is how long a server that could not be opened is not opened for another list
// than that of tools, which clients ask for first: who waited for that shall not wait as
// long for each of the others.
const failedFor = 30 * time.Second

// visit gives the member of a server that is to be asked for a list.
func (j *connection) visit(ctx context.Context, what mcpwire.ListKind, serverID string) (*peer, error) {
	if what != mcpwire.OfTools {
		m, _ := j.member(serverID)
		m.opening.Lock()
		failed, err := m.failed, m.err
		m.opening.Unlock()
		if !failed.IsZero() && time.Since(failed) < failedFor {
			return nil, err
		}
	}
	return j.peer(ctx, serverID)
}

// list asks all servers at once, and gives what they have of a kind under joined names, as
// an array. A server that cannot be asked is left out, which the client is told in a log
// message.
func (j *connection) list(ctx context.Context, what mcpwire.ListKind) (array []byte, err error) {
	c := &j.catalogs[what]
	c.asking.Lock()
	defer c.asking.Unlock()
	return j.listAsking(ctx, what)
}

// listAsking is list for who holds the catalog's lock.
func (j *connection) listAsking(ctx context.Context, what mcpwire.ListKind) (array []byte, err error) {
	c := &j.catalogs[what]
	limited, cancel := context.WithTimeout(ctx, j.within())
	defer cancel()
	stands, err := j.stands(limited)
	if err != nil {
		return nil, err
	}
	j.begun(c, stands)
	var all sync.WaitGroup
	for i := range stands {
		all.Add(1)
		go func(s *stand) {
			defer all.Done()
			s.fill(limited, j, what)
		}(&stands[i])
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err() // what was broken off says nothing of the servers
	}
	for _, s := range stands {
		if s.err != nil {
			j.warn("the %s of the server %s are left out: %s", mcpwire.Listings[what].Words, s.server.ID, s.err)
		}
	}
	return j.name(what, stands), nil
}

// begun notes whom the first list asks: servers that come meanwhile are news to the client.
func (j *connection) begun(c *catalog, stands []stand) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c.listed != nil {
		return
	}
	c.listed = make(map[string]permission.Server, len(stands))
	for _, s := range stands {
		c.listed[s.server.ID] = s.server
	}
}

// stands are the servers that are joined: those of the list that are enabled.
func (j *connection) stands(ctx context.Context) (stands []stand, err error) {
	servers, err := j.e.desk.Servers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list servers: %w", err)
	}
	for _, s := range servers {
		switch {
		case !s.Enabled:
		case len(stands) == maxMembers:
			j.warn("more than %d servers are enabled: the others are left out", maxMembers)
			return stands, nil
		default:
			stands = append(stands, stand{server: s})
		}
	}
	return stands, nil
}

// name gives everything of a kind its joined name, remembers it for requests, and writes
// the list. What is over the limit of one message is left out.
func (j *connection) name(what mcpwire.ListKind, stands []stand) []byte {
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
	next := catalog{of: naming(pairs), listed: map[string]permission.Server{}}
	names := make(map[pair]string, len(next.of))
	for name, p := range next.of {
		names[p] = name
	}
	var list [][]byte
	size := 0
	for _, s := range stands {
		next.listed[s.server.ID] = s.server
		if s.offers {
			next.from = append(next.from, s.server.ID)
		}
		for _, o := range s.all {
			p := pair{s.server.ID, o.Name}
			name, ok := names[p]
			if size += len(o.Raw); !ok || size > j.e.opts.MaxMessage {
				continue
			}
			list = append(list, o.As(name))
			delete(names, p) // what a server lists twice it has once
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	c := &j.catalogs[what]
	c.of, c.listed, c.from = next.of, next.listed, next.from
	return append(append([]byte("["), bytes.Join(list, []byte(","))...), ']')
}

// known makes sure that the client could know what there is of a kind.
func (j *connection) known(ctx context.Context, what mcpwire.ListKind) *mcpwire.Error {
	c := &j.catalogs[what]
	listed := func() bool {
		j.mu.Lock()
		defer j.mu.Unlock()
		return c.of != nil
	}
	if listed() {
		return nil
	}
	c.asking.Lock()
	defer c.asking.Unlock()
	if listed() { // somebody else asked
		return nil
	}
	if _, err := j.listAsking(ctx, what); err != nil {
		return mcpwire.Errorf(mcpwire.CodeInternal, "%s", err)
	}
	return nil
}

// find gives the tool or prompt of a joined name, after listing when the client never did.
func (j *connection) find(ctx context.Context, what mcpwire.ListKind, name string) (pair, *mcpwire.Error) {
	if bad := j.known(ctx, what); bad != nil {
		return pair{}, bad
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	p, ok := j.catalogs[what].of[name]
	if !ok {
		return p, mcpwire.Errorf(mcpwire.CodeParams, "unknown %s %.80q", strings.TrimSuffix(mcpwire.Listings[what].Words, "s"), name)
	}
	return p, nil
}

// relisted tells the client that the list of servers is another than it was when it asked
// for what they have.
func (j *connection) relisted(servers []permission.Server) {
	servers = slices.DeleteFunc(slices.Clone(servers), func(s permission.Server) bool { return !s.Enabled })
	said := map[string]bool{}
	for what := range j.catalogs {
		j.mu.Lock()
		listed := j.catalogs[what].listed
		j.mu.Unlock()
		moved := len(servers) != len(listed) || slices.ContainsFunc(servers, func(s permission.Server) bool {
			old, known := listed[s.ID]
			return !known || !old.Same(&s)
		})
		if changed := mcpwire.Listings[what].Changed; listed != nil && moved && !said[changed] {
			said[changed] = true
			j.say(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`, changed))
		}
	}
}
