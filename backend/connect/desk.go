package connect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/place"
)

// ServerList is the desk's list of servers.
type ServerList interface {
	// Servers gives the list. Secrets may be masked.
	Servers(ctx context.Context) ([]Server, error)
	// Inherited gives the names of the variables that the desk hands on to servers.
	Inherited(ctx context.Context) ([]string, error)
	// ChangeServers asks change which servers come and which ids go, given the list as
	// it is, and does that; change is asked again when others were faster. An error with
	// permission.CodeInvalid says that the desk does not take a server.
	ChangeServers(ctx context.Context, change func(have []Server) (add []Server, remove []string, err error)) error
}

// AgentList is what the desk knows of agents.
type AgentList interface {
	Agents(ctx context.Context) ([]permission.Agent, error)
	// RemovedAgents gives the ids of all agents that the desk ever had and has no more.
	RemovedAgents(ctx context.Context) ([]permission.AgentID, error)
	// CreateAgent makes an agent; its token is in this answer and nowhere else.
	CreateAgent(ctx context.Context, name string) (agent permission.Agent, token string, err error)
	// Admits reports whether a token is an agent's.
	Admits(ctx context.Context, token string) bool
}

// Desk is what connecting asks of the desk.
type Desk interface {
	ServerList
	AgentList
}

// deskMark tells a desk from this user's others: it is the ids of all agents that it has and
// had, so that it only grows, and two marks of one desk share an id whenever they were taken.
// Without any it tells nothing.
type deskMark []permission.AgentID

// shares reports whether two marks are one desk's, as far as is known.
func (m deskMark) shares(o deskMark) bool {
	return slices.ContainsFunc(m, func(id permission.AgentID) bool { return slices.Contains(o, id) })
}

// sameDesk is shares, and true when one of the marks tells nothing.
func (m deskMark) sameDesk(o deskMark) bool { return len(m) == 0 || len(o) == 0 || m.shares(o) }

// markOf reads the mark of a desk. Agents are asked for first: one that is removed in
// between is in both lists then, and not in neither.
func markOf(ctx context.Context, d AgentList) (m deskMark, err error) {
	agents, err := d.Agents(ctx)
	if err != nil {
		return nil, err
	}
	removed, err := d.RemovedAgents(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range agents {
		m = append(m, a.ID)
	}
	m = append(m, removed...)
	slices.Sort(m)
	return slices.Compact(m), nil
}

// addServers puts servers into the desk's list, all of them at once, or, when the desk
// refuses some, those that it takes. refused has the reasons of the others by id.
func addServers(ctx context.Context, d ServerList, fresh map[string]Server) (refused map[string]error, err error) {
	if len(fresh) == 0 {
		return nil, nil
	}
	var all []Server
	for _, id := range slices.Sorted(maps.Keys(fresh)) {
		all = append(all, fresh[id])
	}
	if err = add(ctx, d, all...); !isInvalid(err) {
		return nil, err
	}
	refused = map[string]error{}
	for _, s := range all {
		if err := add(ctx, d, s); isInvalid(err) {
			refused[s.ID] = err
		} else if err != nil {
			return refused, err
		}
	}
	return refused, nil
}

func add(ctx context.Context, d ServerList, fresh ...Server) error {
	return d.ChangeServers(ctx, func(have []Server) ([]Server, []string, error) {
		for _, s := range fresh {
			if slices.ContainsFunc(have, func(h Server) bool { return h.ID == s.ID }) {
				return nil, nil, fmt.Errorf("the desk has another server %s by now: look again", s.ID)
			}
		}
		return fresh, nil, nil
	})
}

func isInvalid(err error) bool {
	var e *permission.Error
	return errors.As(err, &e) && e.Code == permission.CodeInvalid
}

// removeServers takes servers that connecting had added out of the desk's list. One
// that was changed there since stays, and is named.
func removeServers(ctx context.Context, d ServerList, added map[string]Server) (removed, kept []string, err error) {
	if len(added) == 0 {
		return nil, nil, nil
	}
	err = d.ChangeServers(ctx, func(have []Server) ([]Server, []string, error) {
		removed, kept = nil, nil
		for _, s := range have {
			if was, ours := added[s.ID]; ours && s.kept(was) {
				removed = append(removed, s.ID)
			} else if ours {
				kept = append(kept, s.ID)
			}
		}
		return nil, removed, nil
	})
	return removed, kept, err
}

// agentNames finds, for each client, the agent that its entries are to name: the one
// with the client's id, unless another desk's token or another agent has that name.
func agentNames(ctx context.Context, d AgentList, ids []string) (map[string]string, error) {
	agents, err := d.Agents(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, id := range ids {
		for i := 1; out[id] == ""; i++ {
			name := id
			if i > 1 {
				name = fmt.Sprintf("%s-%d", id, i)
			}
			path, err := place.TokenFile(name)
			if err != nil {
				return nil, err
			}
			_, missing := os.Stat(path)
			taken := slices.ContainsFunc(agents, func(a permission.Agent) bool { return a.Name == name })
			if !taken && missing != nil || taken && admits(ctx, d, path) {
				out[id] = name
			}
		}
	}
	return out, nil
}

// admits reports whether the desk knows the agent's token in a file.
func admits(ctx context.Context, d AgentList, path string) bool {
	raw, err := os.ReadFile(path)
	return err == nil && d.Admits(ctx, strings.TrimSpace(string(raw)))
}

// ensureAgent makes an agent and keeps its token where --agent finds it, unless that
// was done before.
func ensureAgent(ctx context.Context, d AgentList, name string) error {
	path, err := place.TokenFile(name)
	if err != nil {
		return err
	}
	if admits(ctx, d, path) {
		return nil
	}
	_, token, err := d.CreateAgent(ctx, name)
	if err != nil {
		return fmt.Errorf("make the agent %s: %w", name, err)
	}
	_, err = place.WriteToken(name, token)
	return err
}
