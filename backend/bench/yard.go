package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// Programs of the packages beside this file.
const (
	everything   = "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
	supergateway = "node_modules/supergateway/dist/index.js"
	mcpProxy     = "node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs"
)

// startWithin bounds the start of a program.
const startWithin = 30 * time.Second

// buildFast builds the server of the Go SDK in the version that the product has.
func buildFast(ctx context.Context, dir string) (string, error) {
	program, err := filepath.Abs(filepath.Join(dir, "everything-server"))
	if err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/modelcontextprotocol/go-sdk/conformance/everything-server")
	build.Dir = "../.." // the product's module
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the fast server: %w\n%s", err, said)
	}
	return program, nil
}

// yard is where the programs run.
type yard struct{ running []*exec.Cmd }

func (y *yard) close() error {
	for _, cmd := range y.running {
		cmd.Process.Kill() // it may have ended by itself
		cmd.Wait()
	}
	return nil
}

func (y *yard) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	y.running = append(y.running, cmd)
	return nil
}

// listen starts a program that listens at an address, and gives a URL there.
func (y *yard) listen(ctx context.Context, command func(address string) []string, path string) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	address := l.Addr().String()
	l.Close()
	args := command(address)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	_, port, _ := net.SplitHostPort(address)
	cmd.Env = append(os.Environ(), "PORT="+port)
	if err := y.start(cmd); err != nil {
		return "", err
	}
	for end := time.Now().Add(startWithin); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			return "http://" + address + path, c.Close()
		}
		if time.Now().After(end) {
			return "", fmt.Errorf("%s does not listen: %w", args, err)
		}
	}
}

// listenOnPort is listen for a program that is told the port alone.
func (y *yard) listenOnPort(ctx context.Context, command func(port string) []string, path string) (string, error) {
	return y.listen(ctx, func(address string) []string {
		_, port, _ := net.SplitHostPort(address)
		return command(port)
	}, path)
}

// entry is a server behind the desk.
type entry struct {
	ID        string   `json:"id"`
	Transport string   `json:"transport"`
	URL       string   `json:"url,omitempty"`
	Command   string   `json:"command,omitempty"`
	Args      []string `json:"args,omitempty"`
	Cwd       string   `json:"cwd,omitempty"`
}

// deskAt is a desk that runs, and the tokens of an agent and of its operator.
type deskAt struct{ url, token, operator string }

// desk starts a desk with servers and a rule that allows all.
func (y *yard) desk(ctx context.Context, program, data string, servers []entry) (d deskAt, err error) {
	cmd := exec.CommandContext(ctx, program, "--data", data, "--listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+data+"-settings")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return d, err
	}
	if err := y.start(cmd); err != nil {
		return d, err
	}
	var ready struct{ URL, OperatorToken string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err = errors.Join(err, json.Unmarshal(line, &ready)); err != nil {
		return d, fmt.Errorf("start the desk: %w", err)
	}
	if d.url = ready.URL; !filepath.IsAbs(everything) {
		here, err := os.Getwd()
		if err != nil {
			return d, err
		}
		for i := range servers {
			if servers[i].Transport == "stdio" {
				servers[i].Cwd = here
			}
		}
	}
	var made struct{ Token string }
	for _, step := range []struct {
		method, path string
		body, answer any
	}{
		{"PUT", "/v1/servers", map[string]any{"servers": servers}, nil},
		{"POST", "/v1/rules", map[string]any{"effect": "allow", "toolPattern": "*"}, nil},
		{"PATCH", "/v1/settings", map[string]any{"brake": nil}, nil}, // a bench asks for the same again and again
		{"POST", "/v1/agents", map[string]any{"name": "bench"}, &made},
	} {
		if err := operate(ctx, d.url, ready.OperatorToken, step.method, step.path, step.body, step.answer); err != nil {
			return d, err
		}
	}
	d.token, d.operator = made.Token, ready.OperatorToken
	return d, nil
}

func operate(ctx context.Context, url, token, method, path string, body, answer any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, url+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s %s: %w", method, path, resp.Status, said, err)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(said, answer)
}

// tool is what is called, and with what.
type tool struct{ name, arguments string }

// line is a session with a server.
type line struct {
	url, token string
	tool       tool
	session    string
	client     http.Client
	last       atomic.Int64
}

func (l *line) open(ctx context.Context) error {
	l.client.Transport = &http.Transport{MaxIdleConnsPerHost: atOnce}
	resp, said,
		err := l.post(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("initialize: %v %.300s: %w", resp, said, err)
	}
	l.session = resp.Header.Get("Mcp-Session-Id")
	if _, _, err = l.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		return err
	}
	if _, _, err = l.post(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`); err != nil { // as every client does first
		return err
	}
	return l.call()
}

// call calls the tool once.
func (l *line) call() error {
	_, said, err := l.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, l.last.Add(1),
		l.tool.name, l.tool.arguments))
	if err == nil && (!bytes.Contains(said, []byte(`"result"`)) || bytes.Contains(said, []byte(`"isError":true`))) {
		err = fmt.Errorf("call %s: %.300s", l.tool.name, said)
	}
	return err
}

func (l *line) post(message string) (*http.Response, []byte, error) {
	req, err := http.NewRequest(http.MethodPost, l.url, strings.NewReader(message))
	if err != nil {
		return nil, nil, err
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if l.token != "" {
		req.Header.Set("Authorization", "Bearer "+l.token)
	}
	if l.session != "" {
		req.Header.Set("Mcp-Session-Id", l.session)
		req.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	return resp, said, err
}
