package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// library is a scripted server with resources and prompts.
type library struct {
	*far
	id    string
	pages map[string][]string // the entries of each page, by method
	has   string              // URIs that are in no list, and can be read all the same
	news  chan string         // what it says by itself
	mute  bool                // it answers nothing
}

// allOf is what a server says that can do everything.
const allOf = `{"protocolVersion":"2025-06-18","capabilities":{"prompts":{},"resources":{"subscribe":true},"completions":{}},"serverInfo":{"name":"library","version":"1"}}`

func newLibrary(t *testing.T, id string, pages map[string][]string) *library {
	l := &library{id: id, pages: pages, news: make(chan string, 100)}
	l.far = newFar(t, l.play)
	l.about, l.lists = allOf, true
	return l
}

func (l *library) entry() permission.Server {
	return permission.Server{ID: l.id, Transport: permission.TransportHTTP, URL: l.URL + "/mcp", Enabled: true}
}

func (l *library) play(w http.ResponseWriter, r farRequest) {
	if r.method == http.MethodGet {
		stream(w, ": hello\n\n")
		for {
			select {
			case m := <-l.news:
				stream(w, "data: "+m+"\n\n")
			case <-r.ctx.Done():
				return
			}
		}
	}
	if l.mute {
		<-r.ctx.Done()
		return
	}
	var asked struct {
		Params struct{ URI, Cursor string }
	}
	json.Unmarshal([]byte(r.body), &asked)
	uri, page := asked.Params.URI, 0
	fmt.Sscan(asked.Params.Cursor, &page)
	result := fmt.Sprintf(`{"of":%q}`, l.id)
	if pages, lists := l.pages[r.Method]; lists {
		next := ""
		if page+1 < len(pages) {
			next = fmt.Sprintf(`,"nextCursor":"%d"`, page+1)
		}
		member := map[string]string{"resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts",
			"tools/list": "tools"}[r.Method]
		result = fmt.Sprintf(`{%q:[%s]%s}`, member, pages[page], next)
	}
	w.Header().Set("Content-Type", "application/json")
	listed := strings.Contains(fmt.Sprint(l.pages["resources/list"]), `"`+uri+`"`) || strings.Contains(l.has, uri)
	if strings.HasPrefix(r.Method, "resources/") && uri != "" && !listed {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"not in %s"}}`, r.ID, l.id)
		return
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
}

// bodies are the requests of a method that it got.
func (l *library) bodies(method string) (all []string) {
	for _, r := range l.requests(func(r farRequest) bool { return r.Method == method }) {
		all = append(all, r.body)
	}
	return all
}

// libraries are two, of which the first comes first.
func libraries(t *testing.T, opts gateway.Options) (*house, *library, *library) {
	t.Helper()
	a := newLibrary(t, "a", map[string][]string{
		"resources/list": {`{"uri":"file:///both","x":1e2},{"uri" : "a:\/\/one","name":"1"},{"uri":"sekisho:b/file:///both"}`,
			`{"uri":"a://two"},{"uri":"a://two","again":1},{"uri":7},{"URI":"a://odd"}`},
		"resources/templates/list": {`{"uriTemplate":"db:///{table}","name":"t"},{"uriTemplate":"a:///{+path}"}`},
		"prompts/list": {`{"name":"hello","arguments":[{"name":"x"}],"y":[1.0]},{"name":"` + strings.Repeat("p", 80) + `"}`,
			`{"name":"h/i"}`},
	})
	b := newLibrary(t, "b", map[string][]string{
		"resources/list":           {`{"uri":"file:///both","of":"b"},{"uri":"b://one"}`},
		"resources/templates/list": {`{"uriTemplate":"db:///{table}"},{"uriTemplate":"db:///big/{table}"}`},
		"prompts/list":             {`{"name":"hello"}`},
	})
	h := joinedHouse(t, opts, a.entry(), b.entry())
	return h, a, b
}

func (c *joint) entries(method string) string {
	c.t.Helper()
	return c.ask(`{"jsonrpc":"2.0","id":1,"method":"` + method + `"}`)
}

func TestJoinedListsWhatThereIsBesideTools(t *testing.T) {
	h, _, _ := libraries(t, gateway.Options{})
	c := h.join("a")
	long := strings.Repeat("p", 61)
	for method, want := range map[string]string{
		"resources/list": `{"resources":[{"uri":"file:///both","x":1e2},{"uri" : "a:\/\/one","name":"1"},{"uri":"sekisho:a/sekisho:b/file:///both"},{"uri":"a://two"},` +
			`{"uri":"sekisho:b/file:///both","of":"b"},{"uri":"b://one"}]}`,
		"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"db:///{table}","name":"t"},{"uriTemplate":"a:///{+path}"},{"uriTemplate":"sekisho:b/db:///{table}"},{"uriTemplate":"db:///big/{table}"}]}`,
		"prompts/list": `{"prompts":[{"name":"a__hello","arguments":[{"name":"x"}],"y":[1.0]},{"name":"a__` + long[:52] +
			`_$"},{"name":"a__h_i_$"},{"name":"b__hello"}]}`,
	} {
		got := c.entries(method)
		for _, tail := range []string{long[:52] + "_", "h_i_"} {
			if at := strings.Index(got, tail); at >= 0 && strings.Contains(want, "$") {
				got = got[:at+len(tail)] + "$" + got[at+len(tail)+8:]
			}
		}
		if want = `{"jsonrpc":"2.0","id":1,"result":` + want + `}`; got != want {
			t.Errorf("%s\n got %s\nwant %s", method, got, want)
		}
	}
	if n := len(c.list()); n != 4 {
		t.Errorf("%d tools", n)
	}
	if code, _ := errorCode(t, c.ask(`{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":"1"}}`)); code != -32602 {
		t.Errorf("a cursor: %d", code)
	}
}

// TestJoinedListsDoNotWaitForOthers: of a server that does not start each list but the
// first knows, and one that does not answer keeps the others' things from nobody.
func TestJoinedListsDoNotWaitForOthers(t *testing.T) {
	h, _, _ := libraries(t, gateway.Options{Patience: 2 * time.Second})
	hangs, mute := shell("cat >/dev/null"), newLibrary(t, "mute", nil)
	hangs.ID, mute.mute = "hangs", true
	h.put(hangs)
	c := h.join("a")
	heard := c.listen()
	c.list()
	hear(t, heard, "the tools of the server hangs are left out")
	began := time.Now()
	if got := c.entries("prompts/list"); !strings.Contains(got, "b__hello") {
		t.Errorf("prompts: %s", got)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("the second list took %s", took)
	}
	hear(t, heard, "the prompts of the server hangs are left out")
	h.put(mute.entry())
	if got := c.entries("resources/list"); !strings.Contains(got, "b://one") {
		t.Errorf("resources: %s", got)
	}
	hear(t, heard, "the resources of the server mute are left out: it has not answered in 2s; they come when it does")
}

// sent makes a request of the client, and gives what each library got of it.
func sent(c *joint, method, params string, all ...*library) (answer, got string) {
	c.t.Helper()
	before := make([]int, len(all))
	for i, l := range all {
		before[i] = len(l.bodies(method))
	}
	answer = c.ask(`{"jsonrpc":"2.0", "id":"r","method":"` + method + `","params":` + params + `}`)
	for i, l := range all {
		for _, body := range l.bodies(method)[before[i]:] {
			_, params, _ := strings.Cut(body, `"params":`)
			got += l.id + ":" + strings.TrimSuffix(params, "}") + " "
		}
	}
	return answer, strings.TrimSpace(got)
}

func TestJoinedRequestsReachWhoHasIt(t *testing.T) {
	h, a, b := libraries(t, gateway.Options{})
	a.has, b.has = "db:///x a:///x/y", "db:///x db:///big/x c://everywhere"
	c := h.join("a")
	for _, tt := range []struct {
		what, method, params string
		got                  string // by whom, and with which params
		answer               string // of b, or an error
	}{
		{"a prompt", "prompts/get", `{ "name" : "b__hello","arguments":{"name":"b__hello"}}`,
			`b:{ "name" : "hello","arguments":{"name":"b__hello"}}`, `{"of":"b"}`},
		{"no such prompt", "prompts/get", `{"name":"hello"}`, ``, `"code":-32602`},
		{"a prompt in two spellings", "prompts/get", `{"name":"a__hello","Name":"b__hello"}`, ``, `"code":-32600`},
		{"a tool is no prompt", "prompts/get", `{"name":"one__echo"}`, ``, `"code":-32602`},
		{"a URI of one", "resources/read", `{"uri":"b:\/\/one","x":1.0}`, `b:{"uri":"b:\/\/one","x":1.0}`, `{"of":"b"}`},
		{"a URI of two", "resources/read", `{"uri":"file:///both"}`, `a:{"uri":"file:///both"}`, `{"of":"a"}`},
		{"the other one's", "resources/read", `{"uri" : "sekisho:b/file:///both"}`, `b:{"uri" : "file:///both"}`, `{"of":"b"}`},
		{"in capitals", "resources/read", `{"uri":"Sekisho:b/file:///both"}`, `b:{"uri":"file:///both"}`, `{"of":"b"}`},
		{"one that looks like the desk's", "resources/read", `{"uri":"sekisho:a/sekisho:b/file:///both"}`, `a:{"uri":"sekisho:b/file:///both"}`,
			`{"of":"a"}`},
		{"of a server that has none", "resources/read", `{"uri":"sekisho:one/file:///both"}`, ``, `"code":-32002`},
		{"of no server", "resources/read", `{"uri":"sekisho:"}`, ``, `"code":-32002`},
		{"made of a template", "resources/read", `{"uri":"a:///x/y"}`, `a:{"uri":"a:///x/y"}`, `{"of":"a"}`},
		{"made of two templates", "resources/read", `{"uri":"db:///x"}`, `a:{"uri":"db:///x"}`, `{"of":"a"}`},
		{"made of two templates, and not there", "resources/read", `{"uri":"db:///gone"}`, `a:{"uri":"db:///gone"}`,
			`"error":{"code":-32002,"message":"not in a"}`},
		{"made of the other one's", "resources/read", `{"uri":"sekisho:b/db:///x"}`, `b:{"uri":"db:///x"}`, `{"of":"b"}`},
		{"in no list", "resources/read", `{"uri":"c://everywhere"}`, `a:{"uri":"c://everywhere"} b:{"uri":"c://everywhere"}`, `{"of":"b"}`},
		{"where it was found", "resources/read", `{"uri":"c://everywhere","n":2}`, `b:{"uri":"c://everywhere","n":2}`, `{"of":"b"}`},
		{"nowhere", "resources/read", `{"uri":"c://nowhere"}`, `a:{"uri":"c://nowhere"} b:{"uri":"c://nowhere"}`,
			`"error":{"code":-32002,"message":"not in b"}`},
		{"no URI", "resources/read", `{}`, ``, `"code":-32602`},
		{"a long one", "resources/read", `{"uri":"c://` + strings.Repeat("x", 8<<10) + `"}`, ``, `"code":-32602`},
		{"a long one", "resources/subscribe", `{"uri":"c://` + strings.Repeat("x", 8<<10) + `"}`, ``, `"code":-32602`},
		{"a prompt's argument", "completion/complete", `{"ref":{"type":"ref/prompt","name":"b__hello"},"argument":{"name":"x"}}`,
			`b:{"ref":{"type":"ref/prompt","name":"hello"},"argument":{"name":"x"}}`, `{"of":"b"}`},
		{"a template's", "completion/complete", `{"ref":{"uri":"db:///{table}","type":"ref/resource"}}`,
			`a:{"ref":{"uri":"db:///{table}","type":"ref/resource"}}`, `{"of":"a"}`},
		{"the other one's template", "completion/complete", `{"ref":{"type":"ref/resource","uri":"sekisho:b/db:///{table}"}}`,
			`b:{"ref":{"type":"ref/resource","uri":"db:///{table}"}}`, `{"of":"b"}`},
		{"a resource's", "completion/complete", `{"ref":{"type":"ref/resource","uri":"b://one"}}`,
			`b:{"ref":{"type":"ref/resource","uri":"b://one"}}`, `{"of":"b"}`},
		{"of what is not known", "completion/complete", `{"ref":{"uri":"db:///{table}"}}`, ``, `"code":-32602`},
	} {
		answer, got := sent(c, tt.method, tt.params, a, b)
		if got != tt.got || !strings.Contains(answer, tt.answer) || !strings.Contains(answer, `"id":"r"`) {
			t.Errorf("%s: %s\n got %s\nwant %s", tt.what, answer, got, tt.got)
		}
	}
}

// TestJoinedTheClosestTemplateIsTaken: both are asked at once, and the one of the closest
// template is taken, also where the other one answers sooner.
func TestJoinedTheClosestTemplateIsTaken(t *testing.T) {
	h, a, b := libraries(t, gateway.Options{})
	a.has, b.has = "db:///big/x", "db:///big/x"
	answered, playA, playB := make(chan struct{}), a.far.play, b.far.play
	a.instead("resources/read", func(w http.ResponseWriter, r farRequest) {
		playA(w, r)
		close(answered)
	})
	b.instead("resources/read", func(w http.ResponseWriter, r farRequest) {
		select {
		case <-answered:
			playB(w, r)
		case <-r.ctx.Done():
		}
	})
	if answer, _ := sent(h.join("a"), "resources/read", `{"uri":"db:///big/x"}`); !strings.Contains(answer, `{"of":"b"}`) {
		t.Errorf("the closest template: %s", answer)
	}
}

func TestJoinedSaysWhatServersOffer(t *testing.T) {
	h, a, b := libraries(t, gateway.Options{})
	const all = `{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}`
	first := h.join("a")
	if first.can != all {
		t.Errorf("before a server was met: %s", first.can)
	}
	first.list()
	for _, tt := range []struct{ what, a, b, want string }{
		{"as they are", allOf, allOf, all},
		{"no subscriptions", strings.Replace(allOf, `"subscribe":true`, "", 1),
			strings.Replace(allOf, `"subscribe":true`, `"subscribe":false`, 1), strings.Replace(all, `,"subscribe":true`, "", 1)},
		{"one alone", fixtureInit, strings.Replace(allOf, `"resources":{"subscribe":true},`, "", 1),
			`{"completions":{},"logging":{},"prompts":{"listChanged":true},"tools":{"listChanged":true}}`},
		{"tools alone", fixtureInit, fixtureInit, `{"logging":{},"tools":{"listChanged":true}}`},
		{"odd ones", strings.Replace(allOf, `"prompts":{}`, `"prompts":7`, 1),
			strings.Replace(allOf, `"capabilities":`, `"capabilities":null,"x":`, 1),
			strings.Replace(all, `"prompts":{"listChanged":true},`, "", 1)},
	} {
		a.about, b.about = tt.a, tt.b
		for i, l := range []*library{a, b} { // their entries are others, and so may they be
			moved := l.entry()
			moved.Headers = map[string]string{"X": tt.what + fmt.Sprint(i)}
			h.put(moved)
		}
		if c := h.join("a"); c.can != all {
			t.Errorf("%s, before they were met: %s", tt.what, c.can)
		}
		first.list()
		if c := h.join("a"); c.can != tt.want {
			t.Errorf("%s: %s", tt.what, c.can)
		}
	}
	a.mu.Lock()
	a.refuses = http.StatusInternalServerError
	a.mu.Unlock()
	h.put(a.entry())
	first.list()
	if c := h.join("a"); c.can != all {
		t.Errorf("after one could not be asked: %s", c.can)
	}
	h.desk.mu.Lock()
	for id, s := range h.desk.servers {
		s.Enabled = id == "one"
		h.desk.servers[id] = s
	}
	h.desk.mu.Unlock()
	b.about = allOf
	if c := h.join("a"); c.can != `{"logging":{},"tools":{"listChanged":true}}` {
		t.Errorf("one server: %s", c.can)
	}
}

func TestJoinedOtherServersAreOtherLists(t *testing.T) {
	h, a, _ := libraries(t, gateway.Options{})
	c := h.join("a")
	heard := c.listen()
	c.entries("prompts/list")
	c.entries("resources/list")
	c.entries("resources/templates/list")
	h.desk.mu.Lock()
	delete(h.desk.servers, "b")
	h.desk.mu.Unlock()
	servers, _ := h.desk.Servers(t.Context())
	h.gate.Reinstall(servers)
	if m := next(t, heard); m != `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}` {
		t.Errorf("first: %s", m)
	}
	if m := next(t, heard); m != `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}` {
		t.Errorf("then: %s", m)
	}
	a.news <- updatedBoth
	if m := next(t, heard); m != updatedBoth {
		t.Errorf("once more: %s", m)
	}
	if got := c.entries("prompts/list"); strings.Contains(got, "b__") {
		t.Errorf("prompts: %s", got)
	}
}

// TestJoinedSDKResourcesAndPrompts: the SDK's client with two of the SDK's servers that
// have the same.
func TestJoinedSDKResourcesAndPrompts(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) { joinLibraries(t, version) })
	}
}

func joinLibraries(t *testing.T, version string) {
	h := joinedHouse(t, gateway.Options{})
	for _, id := range []string{"s1", "s2"} {
		h.put(permission.Server{ID: id, Transport: permission.TransportStdio, Command: os.Args[0],
			Env: map[string]string{sdkEnv: id, "GORACE": "atexit_sleep_ms=0"}})
	}
	h.desk.allow["greet"] = true
	news := make(chan string, 100)
	agent := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { news <- r.Params.URI },
	})
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	session, err := agent.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: h.http.URL + "/mcp",
		HTTPClient: &http.Client{Transport: bearer("a")}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var seen []string
	for r, err := range session.Resources(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: r.URI})
		if err != nil || read.Contents[0].URI != "sdk:///book" {
			t.Fatalf("%s: %+v, %v", r.URI, read, err)
		}
		if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: r.URI}); err != nil {
			t.Errorf("%s: %v", r.URI, err)
		}
		seen = append(seen, r.URI, read.Contents[0].Text)
	}
	for p, err := range session.Prompts(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		got, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.Name})
		if err != nil {
			t.Fatal(err)
		}
		words, err := session.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: p.Name},
			Argument: mcp.CompleteParamsArgument{Name: "x"}})
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, p.Name, got.Description, words.Completion.Values[0])
	}
	for r, err := range session.ResourceTemplates(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: strings.Replace(r.URITemplate, "{n}", "7", 1)})
		if err != nil || read.Contents[0].URI != "sdk:///page/7" {
			t.Fatalf("%s: %+v, %v", r.URITemplate, read, err)
		}
		seen = append(seen, r.URITemplate, read.Contents[0].Text)
	}
	want := "sdk:///book|of s1|sekisho:s2/sdk:///book|of s2|s1__verse|of s1|verse|s2__verse|of s2|verse|sdk:///page/{n}|of s1|sekisho:s2/sdk:///page/{n}|of s2"
	if got := strings.Join(seen, "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, tt := range [][2]string{{"s2__greet", "sekisho:s2/sdk:///book"}, {"s1__greet", "sdk:///book"}} {
		if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tt[0], Arguments: greeting{"you"}}); err != nil {
			t.Fatal(err)
		}
		select {
		case uri := <-news:
			if uri != tt[1] {
				t.Errorf("%s brought news of %s", tt[0], uri)
			}
		case <-ctx.Done():
			t.Fatal("no news came")
		}
	}
}
