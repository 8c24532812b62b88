package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"sekisho/backend/connect"
	"sekisho/backend/permission"
)

// serverList is the desk's list of servers as it was read. What this program does not
// know of a server stays in raw.
type serverList struct {
	raw  []json.RawMessage
	all  []connect.Server
	etag string

	inherited []string
}

// with is the list without the servers of these ids, and with others at its end.
func (l serverList) with(add []connect.Server, remove []string) ([]json.RawMessage, error) {
	out := []json.RawMessage{}
	for i, s := range l.all {
		if !slices.Contains(remove, s.ID) {
			out = append(out, l.raw[i])
		}
	}
	for _, s := range add {
		raw, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		out = append(out, raw)
	}
	return out, nil
}

// servers reads the list.
func (c *client) servers(ctx context.Context) (l serverList, err error) {
	var got struct {
		Servers   []json.RawMessage `json:"servers"`
		Inherited []string          `json:"inherited"`
	}
	if l.etag, err = c.Exchange(ctx, http.MethodGet, "/v1/servers", "", nil, &got); err != nil {
		return l, err
	}
	l.raw, l.all, l.inherited = got.Servers, make([]connect.Server, len(got.Servers)), got.Inherited
	for i, raw := range l.raw {
		if err := json.Unmarshal(raw, &l.all[i]); err != nil {
			return l, fmt.Errorf("read the desk's servers: %w", err)
		}
	}
	return l, nil
}

// replaceServers writes the list unless it has changed since it was read: that is a
// problem with permission.CodeLostUpdate.
func (c *client) replaceServers(ctx context.Context, servers []json.RawMessage, etag string) error {
	_, err := c.Exchange(ctx, http.MethodPut, "/v1/servers", etag, map[string]any{"servers": servers}, nil)
	return err
}

// maxTries is how often a list that others change is read and written again.
const maxTries = 5

// remoteDesk is a desk that connecting speaks with over REST.
type remoteDesk struct{ *client }

// Servers gives the desk's list, with secrets masked.
func (d remoteDesk) Servers(ctx context.Context) ([]connect.Server, error) {
	list, err := d.servers(ctx)
	return list.all, err
}

// Inherited names the variables that the desk hands on; none is known of an older desk.
func (d remoteDesk) Inherited(ctx context.Context) ([]string, error) {
	list, err := d.servers(ctx)
	return list.inherited, err
}

// ChangeServers reads the list, changes it and writes it, again when others were faster.
func (d remoteDesk) ChangeServers(ctx context.Context, change func([]connect.Server) ([]connect.Server, []string, error)) error {
	for try := 1; ; try++ {
		list, err := d.servers(ctx)
		if err != nil {
			return err
		}
		add, remove, err := change(list.all)
		if err != nil {
			return err
		}
		servers, err := list.with(add, remove)
		if err != nil {
			return err
		}
		err = d.replaceServers(ctx, servers, list.etag)
		if isProblem(err, permission.CodeInvalid) {
			return &permission.Error{Code: permission.CodeInvalid, Message: err.Error()}
		}
		if !isProblem(err, permission.CodeLostUpdate) || try == maxTries {
			return err
		}
	}
}

func isProblem(err error, code permission.Code) bool {
	var p *problem
	return errors.As(err, &p) && p.Code == code
}

// Agents lists the desk's agents.
func (d remoteDesk) Agents(ctx context.Context) ([]permission.Agent, error) {
	got, err := d.agents(ctx)
	return got.Agents, err
}

// RemovedAgents gives the ids of those that the desk had.
func (d remoteDesk) RemovedAgents(ctx context.Context) ([]permission.AgentID, error) {
	got, err := d.agents(ctx)
	return got.Removed, err
}

type agentsAnswer struct {
	Agents  []permission.Agent   `json:"agents"`
	Removed []permission.AgentID `json:"removed"`
}

func (d remoteDesk) agents(ctx context.Context) (got agentsAnswer, err error) {
	err = d.Do(ctx, http.MethodGet, "/v1/agents", nil, &got)
	return got, err
}

// CreateAgent makes an agent.
func (d remoteDesk) CreateAgent(ctx context.Context, name string) (permission.Agent, string, error) {
	var made struct {
		Agent permission.Agent `json:"agent"`
		Token string           `json:"token"`
	}
	err := d.Do(ctx, http.MethodPost, "/v1/agents", map[string]any{"name": name}, &made)
	return made.Agent, made.Token, err
}

// Admits reports whether the desk knows an agent's token.
func (d remoteDesk) Admits(ctx context.Context, token string) bool {
	agent := newClient(d.URL, token)
	defer agent.Close()
	return agent.Do(ctx, http.MethodGet, "/v1/calls?limit=1&brief=true", nil, nil) == nil
}
