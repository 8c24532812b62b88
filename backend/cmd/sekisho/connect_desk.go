package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"sekisho/backend/connect"
	"sekisho/backend/permission"
	"sekisho/backend/place"
)

// serverList is the desk's list of servers as it was read. What this program does not
// know of a server stays in raw.
type serverList struct {
	raw  []json.RawMessage
	all  []connect.Server
	etag string
}

func (l serverList) at(id string) int {
	return slices.IndexFunc(l.all, func(s connect.Server) bool { return s.ID == id })
}

// servers reads the list.
func (c *client) servers(ctx context.Context) (l serverList, err error) {
	var got struct {
		Servers []json.RawMessage `json:"servers"`
	}
	if l.etag, err = c.exchange(ctx, http.MethodGet, "/v1/servers", "", nil, &got); err != nil {
		return l, err
	}
	l.raw, l.all = got.Servers, make([]connect.Server, len(got.Servers))
	for i, raw := range l.raw {
		if err := json.Unmarshal(raw, &l.all[i]); err != nil {
			return l, fmt.Errorf("read the desk's servers: %w", err)
		}
	}
	return l, nil
}

// replaceServers writes the list unless it has changed since it was read, as far as
// the desk tells.
func (c *client) replaceServers(ctx context.Context, servers []json.RawMessage, etag string) error {
	if servers == nil {
		servers = []json.RawMessage{}
	}
	_, err := c.exchange(ctx, http.MethodPut, "/v1/servers", etag, map[string]any{"servers": servers}, nil)
	return err
}

// exchange is do with an entity tag that goes along and one that comes back.
func (c *client) exchange(ctx context.Context, method, path, etag string, body, out any) (string, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", method, path, err)
	}
	if body == nil {
		raw = nil
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(raw))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if etag != "" {
		req.Header.Set("If-Match", etag)
	}
	resp, err := deskClient().Do(req)
	if err != nil {
		return "", fmt.Errorf("reach the desk: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		p := &problem{Title: resp.Status}
		if json.NewDecoder(resp.Body).Decode(p) != nil {
			return "", fmt.Errorf("%s %s: %s", method, path, resp.Status)
		}
		return "", p
	}
	if out != nil {
		err = json.NewDecoder(resp.Body).Decode(out)
	}
	return resp.Header.Get("ETag"), err
}

// maxTries is how often a list that others change is read and written again.
const maxTries = 5

// changeServers reads the list, changes it and writes it, again when others were faster.
func (c *client) changeServers(ctx context.Context, change func(serverList) ([]json.RawMessage, error)) error {
	for try := 1; ; try++ {
		list, err := c.servers(ctx)
		if err != nil {
			return err
		}
		servers, err := change(list)
		if err != nil {
			return err
		}
		err = c.replaceServers(ctx, servers, list.etag)
		if !isProblem(err, permission.CodeLostUpdate) || try == maxTries {
			return err
		}
	}
}

func isProblem(err error, code permission.Code) bool {
	var p *problem
	return errors.As(err, &p) && p.Code == code
}

// addServers puts servers into the desk's list, all of them at once, or, when the desk
// refuses some, those that it takes. refused has the reasons of the others by id.
func (c *client) addServers(ctx context.Context, fresh []connect.Server) (refused map[string]string, err error) {
	refused = map[string]string{}
	if len(fresh) == 0 {
		return refused, nil
	}
	add := func(servers ...connect.Server) error {
		return c.changeServers(ctx, func(l serverList) ([]json.RawMessage, error) {
			list := slices.Clone(l.raw)
			for _, s := range servers {
				raw, err := json.Marshal(s)
				if err != nil {
					return nil, err
				}
				if l.at(s.ID) >= 0 {
					return nil, fmt.Errorf("the desk has another server %s by now: look again", s.ID)
				}
				list = append(list, raw)
			}
			return list, nil
		})
	}
	if err = add(fresh...); !isProblem(err, permission.CodeInvalid) {
		return refused, err
	}
	for _, s := range fresh {
		if err := add(s); isProblem(err, permission.CodeInvalid) {
			refused[s.ID] = err.Error()
		} else if err != nil {
			return refused, err
		}
	}
	return refused, nil
}

// removeServers takes servers that connecting had added out of the desk's list. One
// that was changed there since stays, and is named.
func (c *client) removeServers(ctx context.Context, added map[string]connect.Server) (removed, kept []string, err error) {
	if len(added) == 0 {
		return nil, nil, nil
	}
	err = c.changeServers(ctx, func(l serverList) ([]json.RawMessage, error) {
		removed, kept = nil, nil
		var list []json.RawMessage
		for i, s := range l.all {
			was, ours := added[s.ID]
			switch {
			case ours && s.Same(was):
				removed = append(removed, s.ID)
				continue
			case ours:
				kept = append(kept, s.ID)
			}
			list = append(list, l.raw[i])
		}
		return list, nil
	})
	return removed, kept, err
}

// agentNames finds, for each client, the agent that its entries are to name: the one
// with the client's id, unless another desk's token or another agent has that name.
func (c *client) agentNames(ctx context.Context, ids []string) (map[string]string, error) {
	var got struct {
		Agents []permission.Agent `json:"agents"`
	}
	if err := c.do(ctx, http.MethodGet, "/v1/agents", nil, &got); err != nil {
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
			taken := slices.ContainsFunc(got.Agents, func(a permission.Agent) bool { return a.Name == name })
			if !taken && !exists(path) || taken && c.admits(ctx, path) {
				out[id] = name
			}
		}
	}
	return out, nil
}

// admits reports whether the desk knows the agent's token in a file.
func (c *client) admits(ctx context.Context, path string) bool {
	raw, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	agent := &client{url: c.url, token: strings.TrimSpace(string(raw))}
	return agent.do(ctx, http.MethodGet, "/v1/calls?limit=1", nil, nil) == nil
}

// ensureAgent makes an agent and keeps its token where --agent finds it, unless that
// was done before.
func (c *client) ensureAgent(ctx context.Context, name string) error {
	path, err := place.TokenFile(name)
	if err != nil {
		return err
	}
	if c.admits(ctx, path) {
		return nil
	}
	var made struct{ Token string }
	if err := c.do(ctx, http.MethodPost, "/v1/agents", map[string]any{"name": name}, &made); err != nil {
		return fmt.Errorf("make the agent %s: %w", name, err)
	}
	_, err = place.WriteToken(name, made.Token)
	return err
}
