package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"sekisho/backend/permission"
)

const (
	maxMembers  = 100 // servers that are joined
	listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
)

// offering is a tool as its server defines it.
type offering struct {
	name string
	raw  []byte // the definition
	at   span   // of the name in it
}

// as is the definition under another name.
func (o *offering) as(name string) []byte { return respell(o.raw, map[span][]byte{o.at: quote(name)}) }

// offerings reads a page of a tools/list. A tool whose name can be read in two ways cannot
// be called by it, and is left out.
func offerings(page []byte) (tools []offering, cursor []byte, err error) {
	members, err := split(page)
	if err != nil {
		return nil, nil, fmt.Errorf("read tools: %w", err)
	}
	got, bad := pick(members, "tools", "nextCursor")
	if bad != nil {
		return nil, nil, fmt.Errorf("read tools: %w", bad)
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(got["tools"].Value, &entries); err != nil {
		return nil, nil, errors.New("the server's answer to tools/list is not one of MCP")
	}
	for _, raw := range entries {
		if t, ok := offeringOf(raw); ok {
			tools = append(tools, t)
		}
	}
	if _, more := text(got["nextCursor"].Value); more {
		cursor = got["nextCursor"].Value
	}
	return tools, cursor, nil
}

func offeringOf(raw []byte) (t offering, ok bool) {
	members, err := split(raw)
	if err != nil {
		return t, false
	}
	got, bad := pick(members, "name")
	at := got["name"]
	t = offering{raw: raw, at: span{at.ValueStart, at.ValueEnd}}
	t.name, ok = text(at.Value)
	return t, ok && bad == nil
}

// gather asks for all pages of a server's tools.
func gather(ask func(params []byte) (page []byte, err error)) (all []offering, err error) {
	params := []byte("{}")
	for size, pages := 0, 0; pages < maxTools; pages++ {
		page, err := ask(params)
		if err != nil {
			return nil, err
		}
		if size += len(page); size > maxTried {
			return nil, fmt.Errorf("the server's list of tools has more than %d MiB", maxTried>>20)
		}
		tools, cursor, err := offerings(page)
		if err != nil {
			return nil, err
		}
		all = append(all, tools...)
		if cursor == nil || len(all) >= maxTools {
			break
		}
		params = fmt.Appendf(nil, `{"cursor":%s}`, cursor)
	}
	return all[:min(len(all), maxTools)], nil
}

// offered gives the tools of a server. One that is too busy to list them still has those
// of the last time.
func (j *joined) offered(ctx context.Context, serverID string) ([]offering, error) {
	p, err := j.peer(ctx, serverID)
	if err != nil || !p.offers {
		return nil, err
	}
	tools, err := gather(func(params []byte) ([]byte, error) { return j.ask(ctx, p, listTools, params) })
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case err == nil:
		p.tools = tools
	case p.tools != nil && p.s.alive():
		return p.tools, nil
	}
	return tools, err
}

// stand is a server at the joined endpoint with what it offers.
type stand struct {
	server permission.Server
	tools  []offering
	err    error
}

// list asks all servers at once, and gives their tools under joined names, as an array. A
// server that cannot be asked is left out, which the client is told in a log message.
func (j *joined) list(ctx context.Context) (tools []byte, err error) {
	j.listing.Lock()
	defer j.listing.Unlock()
	limited, cancel := context.WithTimeout(ctx, j.within())
	defer cancel()
	stands, err := j.stands(limited)
	if err != nil {
		return nil, err
	}
	var all sync.WaitGroup
	for i := range stands {
		all.Add(1)
		go func(s *stand) {
			defer all.Done()
			s.tools, s.err = j.offered(limited, s.server.ID)
		}(&stands[i])
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err() // what was broken off says nothing of the servers
	}
	for _, s := range stands {
		if s.err != nil {
			j.warn("the tools of the server %s are left out: %s", s.server.ID, s.err)
		}
	}
	return j.name(stands), nil
}

// stands are the servers that are joined: those of the list that are enabled.
func (j *joined) stands(ctx context.Context) (stands []stand, err error) {
	servers, err := j.g.desk.Servers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list servers: %w", err)
	}
	for _, s := range servers {
		switch {
		case !s.Enabled:
		case len(stands) == maxMembers:
			j.warn("more than %d servers are enabled: the tools of the others are left out", maxMembers)
			return stands, nil
		default:
			stands = append(stands, stand{server: s})
		}
	}
	return stands, nil
}

// name gives every tool its joined name, remembers it for calls, and writes the list. What
// is over the limit of one message is left out.
func (j *joined) name(stands []stand) []byte {
	var pairs []pair
	for _, s := range stands {
		for _, t := range s.tools {
			pairs = append(pairs, pair{s.server.ID, t.name})
		}
	}
	of := joinedNames(pairs)
	names := make(map[pair]string, len(of))
	for name, p := range of {
		names[p] = name
	}
	var list [][]byte
	size := 0
	listed := map[string]permission.Server{}
	for _, s := range stands {
		listed[s.server.ID] = s.server
		for _, t := range s.tools {
			p := pair{s.server.ID, t.name}
			name, ok := names[p]
			if size += len(t.raw); !ok || size > j.g.opts.MaxMessage {
				continue
			}
			list = append(list, t.as(name))
			delete(names, p) // a server that lists a tool twice has it once
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.names, j.listed = of, listed
	return append(append([]byte("["), bytes.Join(list, []byte(","))...), ']')
}

// find gives the tool of a joined name, after listing when the client never did.
func (j *joined) find(ctx context.Context, name string) (pair, *wireError) {
	j.mu.Lock()
	listed := j.names != nil
	j.mu.Unlock()
	if !listed {
		if _, err := j.list(ctx); err != nil {
			return pair{}, refusal(codeInternal, "%s", err)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	p, ok := j.names[name]
	if !ok {
		return p, refusal(codeParams, "unknown tool %.80q", name)
	}
	return p, nil
}

// relisted tells the client that the list of servers is another than it was when it asked
// for their tools.
func (j *joined) relisted(servers []permission.Server) {
	j.mu.Lock()
	listed := j.listed
	j.mu.Unlock()
	enabled, same := 0, true
	for _, s := range servers {
		if s.Enabled {
			enabled++
			old, known := listed[s.ID]
			same = same && known && old.Same(&s)
		}
	}
	if listed != nil && (!same || enabled != len(listed)) {
		j.say([]byte(listChanged))
	}
}
