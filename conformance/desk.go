package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// serverID is the server's name behind the desk.
const serverID = "everything"

// serverEntry is a row of the desk's list of servers.
type serverEntry struct {
	ID        string `json:"id"`
	Transport string `json:"transport"`
	Command   string `json:"command,omitempty"`
	URL       string `json:"url,omitempty"`
}

// desk is a running sekishod and its operator.
type desk struct {
	URL           string `json:"url"`
	OperatorToken string `json:"operatorToken"`
}

// openDesk starts a desk with one server, a rule that allows all and a person who says yes
// to the rest, and a proxy that is an agent of it. It gives the URLs at which the suite finds the server: its
// own, and that of all servers.
func openDesk(ctx context.Context, program, data string, entry serverEntry) (own, joined string, end func(), err error) {
	p := prepare(ctx, program, "--data", data, "--listen", "127.0.0.1:0")
	p.Env = append(os.Environ(), "XDG_CONFIG_HOME="+data+"-settings")
	line := &firstLine{whole: make(chan struct{})}
	p.Stdout = line
	if err := p.start(); err != nil {
		return "", "", nil, err
	}
	proxy, closeProxy, err := p.proxy(ctx, line, entry)
	if err != nil {
		p.end()
		return "", "", nil, err
	}
	return proxy + "/mcp/" + entry.ID, proxy + "/mcp", func() { closeProxy(); p.end() }, nil
}

// firstLine keeps what a process says until its first line is whole. Text may be read
// after that.
type firstLine struct {
	text  []byte
	whole chan struct{}
}

func (l *firstLine) Write(b []byte) (int, error) {
	if bytes.HasSuffix(l.text, []byte("\n")) {
		return len(b), nil
	}
	head, _, ended := bytes.Cut(b, []byte("\n"))
	if l.text = append(l.text, head...); ended {
		l.text = append(l.text, '\n')
		close(l.whole)
	}
	return len(b), nil
}

// proxy waits for the desk and opens an agent's way to it.
func (p *process) proxy(ctx context.Context, line *firstLine, entry serverEntry) (address string, end func(), err error) {
	if err := p.await(ctx, line.whole); err != nil {
		return "", nil, err
	}
	var d desk
	if err := json.Unmarshal(line.text, &d); err != nil {
		return "", nil, fmt.Errorf("read the desk's address: %w", err)
	}
	return d.open(ctx, entry)
}

// open prepares the desk and serves the proxy of a new agent.
func (d desk) open(ctx context.Context, entry serverEntry) (address string, end func(), err error) {
	allowAll := map[string]any{"effect": "allow", "priority": 0, "note": "conformance"}
	var agent struct {
		Token string `json:"token"`
	}
	for _, step := range []struct {
		method, path string
		body, answer any
	}{
		{http.MethodPut, "/v1/rules", map[string]any{"rules": []any{allowAll}}, &struct{}{}},
		{http.MethodPut, "/v1/servers", map[string]any{"servers": []any{entry}}, &struct{}{}},
		{http.MethodPost, "/v1/agents", map[string]any{"name": "conformance"}, &agent},
	} {
		if err := d.ask(ctx, step.method, step.path, step.body, step.answer); err != nil {
			return "", nil, err
		}
	}
	u, err := url.Parse(d.URL)
	if err != nil {
		return "", nil, fmt.Errorf("read the desk's address: %w", err)
	}
	address, closeProxy, err := serve(withToken(u.Host, agent.Token))
	if err != nil {
		return "", nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		d.approveAll(ctx)
	}()
	return address, func() { stop(); <-stopped; closeProxy() }, nil
}

// approveAll is a person who says yes to every call that waits: whatever the rules say, the
// desk asks about responses to questions that the server did not ask, and the suite sends
// some. It ends with ctx.
func (d desk) approveAll(ctx context.Context) {
	for ctx.Err() == nil {
		var waiting struct {
			Calls []struct {
				ID        string `json:"id"`
				InputHash string `json:"inputHash"`
				Rev       int64  `json:"rev"`
			} `json:"calls"`
		}
		if err := d.ask(ctx, http.MethodGet, "/v1/calls?status=pending", nil, &waiting); err != nil {
			return // the desk has ended
		}
		for _, c := range waiting.Calls {
			yes := map[string]any{"approved": true, "inputHash": c.InputHash, "rev": c.Rev}
			_ = d.ask(ctx, http.MethodPost, "/v1/calls/"+c.ID+"/decision", yes, &struct{}{}) // one that has changed meanwhile is there next time
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ask sends one request of the operator.
func (d desk) ask(ctx context.Context, method, path string, body, answer any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if body == nil {
		raw = nil
	}
	r, err := http.NewRequestWithContext(ctx, method, d.URL+path, bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	r.Header.Set("Authorization", "Bearer "+d.OperatorToken)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, said)
	}
	if err := json.Unmarshal(said, answer); err != nil {
		return fmt.Errorf("%s %s: read the answer: %w", method, path, err)
	}
	return nil
}
