package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
)

const (
	envSecret    = "value-of-the-environment-7f3a91"
	headerSecret = "value-of-the-header-c20b64"
)

// bearing lists the files below a folder that have a text in them.
func bearing(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a file that was being written has its name now
		}
		if bytes.Contains(raw, []byte(text)) {
			found = append(found, e.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// only holds a folder to having a text in the file of secrets alone, once no new one of it is
// being written.
func only(t *testing.T, dir string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		found := bearing(t, dir, text)
		for tries := 0; tries < 1000 && (len(found) == 0 || slices.Contains(found, "secrets.json.part")); tries++ {
			time.Sleep(10 * time.Millisecond)
			found = bearing(t, dir, text)
		}
		if len(found) != 1 || found[0] != "secrets.json" {
			t.Errorf("%q stands in %v", text, found)
		}
	}
}

// protected is an MCP server over HTTP that notes which Authorization it got.
type protected struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func newProtected(t *testing.T) *protected {
	p := &protected{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		p.mu.Lock()
		p.got = append(p.got, r.Header.Get("Authorization"))
		p.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "initialize":
			fmt.Fprintf(w,
				`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"p","version":"1"}}}`, m.ID)
		case "tools/list":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}}`, m.ID)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// authorized says whether the last request had this Authorization.
func (p *protected) authorized(by string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.got) > 0 && p.got[len(p.got)-1] == by
}

// says gives the whole answer of a row as the operator gets it.
func (d *daemon) says(method, path, body string) string {
	d.Helper()
	req, err := http.NewRequest(method, d.URL+path, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+operator)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		d.Fatalf("%s %s: %d %s %v", method, path, resp.StatusCode, raw, err)
	}
	return string(raw)
}

// quiet holds everything that a desk says to having neither secret in it.
func (d *daemon) quiet() {
	d.Helper()
	said := map[string]string{"standard error": d.stderr.String()}
	for _, path := range []string{"/v1/servers", "/v1/settings", "/v1/journal?limit=1000", "/v1/calls", "/v1/rules", "/v1/policy",
		"/v1/agents", "/healthz", "/openapi.json"} {
		said[path] = d.says("GET", path, "")
	}
	for what, text := range said {
		for _, secret := range []string{envSecret, headerSecret} {
			if strings.Contains(text, secret) {
				d.Errorf("%s says %q:\n%.2000s", what, secret, text)
			}
		}
	}
}

// tries starts a server as it is kept, and gives what that said.
func (d *daemon) tries(id string) (out struct {
	OK            bool
	Error, Stderr string
}) {
	d.Helper()
	var list struct{ Servers []json.RawMessage }
	d.operate("GET", "/v1/servers", "", &list)
	for _, s := range list.Servers {
		var head struct{ ID string }
		if json.Unmarshal(s, &head) == nil && head.ID == id {
			d.operate("POST", "/v1/servers/test", `{"server":`+string(s)+`}`, &out)
		}
	}
	return out
}

// expecting is a script that says right when TOKEN is a value, which it does not hold.
func expecting(t *testing.T, value string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "value")
	if err := os.WriteFile(file, []byte(value), 0o600); err != nil {
		t.Fatal(err)
	}
	return `test "$TOKEN" = "$(cat '` + file + `')" && echo right >&2`
}

// TestSecretsStandInOneFileAlone: those of an environment and of headers, while the desk
// runs, when it was killed, and after edits; and the servers get them all the same.
func TestSecretsStandInOneFileAlone(t *testing.T) {
	dir, far := t.TempDir(), newProtected(t)
	expected := expecting(t, envSecret)
	d := start(t, dir)
	put := func(env, header string) string {
		return d.says("PUT", "/v1/servers", fmt.Sprintf(`{"servers":[{"id":"local","command":"/bin/sh","args":["-c",%q],"env":{"TOKEN":%q}},
			{"id":"far","transport":"http","url":%q,"headers":{"Authorization":%q}}]}`, expected, env, far.URL, header))
	}
	if answer := put(envSecret, "Bearer "+headerSecret); strings.Contains(answer, envSecret) || strings.Contains(answer, headerSecret) ||
		!strings.Contains(answer, filepath.Join(dir, "secrets.json")) {
		t.Errorf("the answer is %s", answer)
	}
	for range 2 {
		if got := d.tries("local"); !strings.Contains(got.Stderr, "right") {
			t.Errorf("the process did not get its secret: %+v", got)
		}
		if got := d.tries("far"); !got.OK || !far.authorized("Bearer "+headerSecret) {
			t.Errorf("the server did not get its header: %+v", got)
		}
		d.quiet()
		only(t, dir, envSecret, headerSecret)
		d.kill()
		only(t, dir, envSecret, headerSecret)
		d = start(t, dir)
	}
	if info, err := os.Stat(filepath.Join(dir, "secrets.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	put(permission.Mask, "Bearer another")
	if found := bearing(t, dir, headerSecret); len(found) > 0 {
		t.Errorf("a replaced secret stands in %v", found)
	}
	d.says("PUT", "/v1/servers", `{"servers":[]}`)
	if found := bearing(t, dir, envSecret); len(found) > 0 {
		t.Errorf("the secret of a removed server stands in %v", found)
	}
}

// TestAServerWithoutItsSecretsIsNotStarted: with a damaged file of secrets the desk
// opens, says what is wrong in every place, and changes nothing of the file.
func TestAServerWithoutItsSecretsIsNotStarted(t *testing.T) {
	dir := t.TempDir()
	d := start(t, dir)
	mark := filepath.Join(t.TempDir(), "started")
	d.says("PUT", "/v1/servers", fmt.Sprintf(`{"servers":[{"id":"local","command":"/usr/bin/touch","args":[%q],"env":{"TOKEN":%q}}]}`, mark,
		envSecret))
	token := d.agent("agent")
	d.kill()
	path := filepath.Join(dir, "secrets.json")
	damaged := []byte(`{"format":1,"secrets":{"sekisho-secret:`)
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	d = start(t, dir)
	var list struct {
		Servers []struct{ State, Trouble string }
		Secrets permission.SecretsNotice
	}
	d.operate("GET", "/v1/servers", "", &list)
	if s := list.Servers[0]; s.State != "failed" || !strings.Contains(s.Trouble, "TOKEN") ||
		!strings.Contains(list.Secrets.Trouble, "damaged") || list.Secrets.Where != path {
		t.Errorf("%+v", list)
	}
	if !strings.Contains(d.stderr.String(), "damaged") {
		t.Errorf("the log:\n%s", d.stderr)
	}
	if got := d.tries("local"); got.OK || !strings.Contains(got.Error, "damaged") {
		t.Errorf("tried: %+v", got)
	}
	if answer := d.mcp(token, "/mcp/local",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`); !strings.Contains(answer, "damaged") {
		t.Errorf("the agent hears %s", answer)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the server was started without its secret")
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, damaged) {
		t.Errorf("the file is now %s, %v", now, err)
	}
}

// mcp posts one message of MCP and gives the answer.
func (d *daemon) mcp(token, path, message string) string {
	d.Helper()
	req, err := http.NewRequest(http.MethodPost, d.URL+path, strings.NewReader(message))
	if err != nil {
		d.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.Fatal(err)
	}
	return text(d.T, resp)
}

func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
