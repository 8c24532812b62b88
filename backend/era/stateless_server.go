package era

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/mcpwire"
	"sekisho/backend/rawjson"
	"sekisho/backend/upstream"
)

// Bounds of a call that a server of 2026-07-28 completes in several rounds.
const (
	maxTurns   = 20 // rounds of one call
	maxInputs  = 100
	firstPause = 100 * time.Millisecond // before a round in which nothing was asked: the server is busy
	lastPause  = 5 * time.Second
)

// statelessServer is a server of 2026-07-28 as the client of a session uses it.
type statelessServer struct {
	*link
	about  discovered
	can    abilities
	params upstream.ParamHeaders
	news   news

	mu      sync.Mutex
	who     client
	calls   map[string]*call // by the key of the request at the server
	waiting map[string]*want // what the client is asked for, by the key of the id
	between map[*call]bool   // calls of which the next round is to be sent
	serial  int              // of the last question
}

// call is a request of the client at the server, over all its rounds.
type call struct {
	request
	front, key string // the name of the client's request, and of that at the server now
	own, id    []byte // their ids
	turn       int
	state      []byte            // what the server gave to come back with; nil is nothing
	inputs     map[string][]byte // the client's answers, by the server's name of the question
	open       int               // questions without an answer
}

// want is a question that the client has got.
type want struct {
	of   *call
	name string
	id   []byte
	kind string // its method
}

func newStatelessServer(l *link, m mcpwire.Message, about discovered) *statelessServer {
	f := &statelessServer{link: l, about: about, calls: map[string]*call{}, waiting: map[string]*want{}, between: map[*call]bool{},
		who: client{info: ourselves(), capabilities: []byte("{}")}}
	_ = json.Unmarshal(about.Capabilities, &f.can) // what cannot be read it cannot do
	if raw, _ := mcpwire.Member(m.Params, "clientInfo"); isObject(raw) {
		f.who.info = slices.Clone(raw)
	}
	if raw, _ := mcpwire.Member(m.Params, "capabilities"); isObject(raw) {
		f.who.capabilities = slices.Clone(without(raw, []string{"tasks"}, ""))
	}
	f.news = news{server: f, streams: map[string]*stream{}, wanted: map[string]bool{}, again: firstAgain}
	return f
}

// send takes a message of the client.
func (f *statelessServer) send(ctx context.Context, p upstream.Message, m mcpwire.Message) error {
	switch {
	case m.Kind == mcpwire.Response:
		f.answered(m)
		return nil
	case m.Method == mcpwire.InitializedNote:
		f.news.begin()
		return nil
	case m.Method == mcpwire.CancelledNote:
		f.cancel(m)
		return nil
	case m.Kind == mcpwire.Notification:
		return nil // the other era has none
	}
	var result []byte
	var bad *mcpwire.Error
	switch m.Method {
	case mcpwire.Initialize:
		result, bad = f.welcome(m)
	case mcpwire.Ping:
		result = []byte("{}")
	case mcpwire.SetLevel:
		result, bad = f.setLevel(m)
	case mcpwire.Subscribe, mcpwire.Unsubscribe:
		result, bad = f.news.change(ctx, m)
	default:
		req, wrong := requestOf(m)
		if bad = wrong; bad == nil && req.tasks() {
			bad = notBridged(m.Method, "tasks", "the server speaks 2026-07-28, whose tasks are others")
		}
		if bad == nil {
			return f.forward(ctx, p, m, req)
		}
	}
	if bad != nil {
		f.answer(p.Key, mcpwire.ErrorAnswer(m.ID, bad))
		return nil
	}
	f.answer(p.Key, mcpwire.ResultAnswer(m.ID, result))
	return nil
}

// welcome is what the server said to server/discover, in the words of initialize.
func (f *statelessServer) welcome(m mcpwire.Message) ([]byte, *mcpwire.Error) {
	raw, bad := mcpwire.Member(m.Params, "protocolVersion")
	version, ok := mcpwire.Text(raw)
	if bad != nil || !ok {
		return nil, mcpwire.Errorf(mcpwire.CodeParams, "protocolVersion of %s is a string", mcpwire.Initialize)
	}
	info := f.about.Meta[mcpwire.MetaServer]
	if !isObject(info) {
		info = fmt.Appendf(nil, `{"name":%s,"version":"unknown"}`, mcpwire.Quote(f.server.ID))
	}
	said := fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"serverInfo":%s`, mcpwire.SessionVersion(version),
		capabilitiesOf(f.about.Capabilities), info)
	if _, ok := mcpwire.Text(f.about.Instructions); ok {
		said = fmt.Appendf(said, `,"instructions":%s`, f.about.Instructions)
	}
	return append(said, '}'), nil
}

// setLevel keeps which log messages the client wants: each later request says so.
func (f *statelessServer) setLevel(m mcpwire.Message) ([]byte, *mcpwire.Error) {
	raw, _ := mcpwire.Member(m.Params, "level")
	level, _ := mcpwire.Text(raw)
	switch {
	case !isObject(f.can.Logging):
		return nil, mcpwire.Errorf(mcpwire.CodeNoMethod, "the server sends no log messages: it has no %s", m.Method)
	case !slices.Contains(mcpwire.LogLevels[:], level):
		return nil, mcpwire.Errorf(mcpwire.CodeParams, "level of %s is none of MCP", m.Method)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.who.level = level
	return []byte("{}"), nil
}

// client is the client as a request that it does not make itself names it.
func (f *statelessServer) client() client {
	f.mu.Lock()
	defer f.mu.Unlock()
	return client{info: f.who.info, capabilities: f.who.capabilities}
}

// headers are those that a request of 2026-07-28 repeats its body in.
func (f *statelessServer) headers(raw []byte) http.Header {
	m, _ := mcpwire.FromClient(raw) // of our own writing
	return f.params.With(mcpwire.StatelessHeader(m), m)
}

// forward sends a request to the server.
func (f *statelessServer) forward(ctx context.Context, p upstream.Message, m mcpwire.Message, req request) error {
	c := &call{request: req, front: p.Key, key: p.Key, own: m.ID, id: m.ID}
	f.mu.Lock()
	f.calls[c.key] = c
	raw := f.written(c)
	f.mu.Unlock()
	err := f.far.Send(ctx, upstream.Message{Raw: raw, Kind: p.Kind, Key: c.key, Method: p.Method, Header: f.headers(raw)})
	if err != nil {
		f.take(c.key)
	}
	return err
}

// written is a call as the server is to get it now. The caller holds the lock.
func (f *statelessServer) written(c *call, more ...rawjson.Member) []byte {
	meta := c.meta
	if c.token != nil {
		meta = append(slices.Clone(meta), member("progressToken", c.token))
	}
	return c.message(c.id, f.who.meta(meta...), more...)
}

// take ends a call; nil where there is none with this key.
func (f *statelessServer) take(key string) *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.calls[key]
	delete(f.calls, key)
	return c
}

// call finds the call that a message of the server is about.
func (f *statelessServer) call(key string) *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[key]
}

// hear takes a message of the server.
func (f *statelessServer) hear(m mcpwire.Message, from upstream.Origin) {
	key := from.Request
	if key == "" && m.Kind == mcpwire.Response {
		key = m.Key
	}
	switch {
	case m.Kind == mcpwire.Request: // servers of this era have none
	case f.news.hear(m, key):
	case m.Kind == mcpwire.Response:
		f.responded(key, m, from)
	default:
		f.to.Heard(m.Raw, f.origin(from))
	}
}

// responded takes the answer to a request: what completes it, or what the server asks for first.
func (f *statelessServer) responded(key string, m mcpwire.Message, from upstream.Origin) {
	c := f.take(key)
	if c == nil {
		return
	}
	if unfinished(m.Result) {
		if bad := f.inquire(c, m.Result); bad != nil {
			f.answer(c.front, mcpwire.ErrorAnswer(c.own, bad))
		}
		return
	}
	if m.Method == "" && c.method == mcpwire.ListTools && m.Result != nil {
		cursor := slices.ContainsFunc(c.members, func(m rawjson.Member) bool { return m.Key == "cursor" })
		f.params.Learn(m.Result, cursor)
	}
	raw := m.Raw
	if c.turn > 0 {
		raw = respelled(raw, map[string][]byte{"id": c.own})
	}
	if from.Request != "" {
		from.Request = c.front
	}
	f.to.Heard(raw, from)
}

// gone takes note that the server will not answer a request.
func (f *statelessServer) gone(l upstream.Loss) {
	if f.news.broken(l.Request) {
		return
	}
	if c := f.take(l.Request); c != nil {
		l.Request = c.front
		f.to.Lost(l)
	}
}

// origin is where a message of the server was met, in the client's words.
func (f *statelessServer) origin(from upstream.Origin) upstream.Origin {
	if c := f.call(from.Request); c != nil {
		from.Request = c.front
	}
	return from
}

func (f *statelessServer) waits(request string) bool {
	return f.call(request) != nil || f.news.waits(request)
}

// cancel takes the client's cancellation of a request.
func (f *statelessServer) cancel(m mcpwire.Message) {
	target, _ := mcpwire.Member(m.Params, "requestId")
	key, ok := mcpwire.IDKey(target)
	f.mu.Lock()
	var found *call
	for c := range f.all() {
		if own, _ := mcpwire.IDKey(c.own); ok && own == key {
			found = c
		}
	}
	f.mu.Unlock()
	if found != nil {
		f.drop(found.front)
	}
}

// all are the calls at the server, those whose client is asked, and those between two rounds. The
// caller holds the lock.
func (f *statelessServer) all() map[*call]bool {
	all := maps.Clone(f.between)
	for _, c := range f.calls {
		all[c] = true
	}
	for _, w := range f.waiting {
		all[w.of] = true
	}
	return all
}

// drop ends a call: at the server, or with what the client is asked for.
func (f *statelessServer) drop(request string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.all() {
		if c.front != request {
			continue
		}
		f.abandon(c)
		delete(f.between, c)
		if f.calls[c.key] == c {
			delete(f.calls, c.key)
			f.hangUp(c.key, c.id)
		}
	}
}

// hangUp ends a request at the server: over HTTP by the end of its stream.
func (f *statelessServer) hangUp(key string, id []byte) {
	go func() {
		if upstream.Drop(f.far, key) {
			return
		}
		const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`
		f.note(upstream.Message{Raw: fmt.Appendf(nil, cancelled, id), Kind: mcpwire.Notification, Method: mcpwire.CancelledNote})
	}()
}

// abandon takes back what the client is asked for a call. The caller holds the lock.
func (f *statelessServer) abandon(c *call) {
	for key, w := range f.waiting {
		if w.of == c {
			delete(f.waiting, key)
		}
	}
}

// inquire asks the client for what the server wants before it completes a call.
func (f *statelessServer) inquire(c *call, result []byte) *mcpwire.Error {
	asked, state, bad := inputsOf(c, result)
	if bad != nil {
		return bad
	}
	f.mu.Lock()
	for _, q := range asked {
		method := wordOf(q.Value, "method")
		switch {
		case questions[method] == "":
			bad = mcpwire.Errorf(mcpwire.CodeInternal, "the server asks for %.80q before it completes the call, which cannot be bridged", method)
		case !f.who.can(method):
			bad = mcpwire.Errorf(mcpwire.CodeInternal,
				"the server asks for %s before it completes the call, and the client does not declare that it answers", method)
		}
	}
	if bad != nil {
		f.mu.Unlock()
		return bad
	}
	c.turn++
	c.state, c.inputs, c.open = state, map[string][]byte{}, len(asked)
	var say [][]byte
	for _, q := range asked {
		f.serial++
		id := fmt.Appendf(nil, `"sekisho-question-%d"`, f.serial)
		key, _ := mcpwire.IDKey(id)
		f.waiting[key] = &want{c, q.Key, id, wordOf(q.Value, "method")}
		say = append(say, without(q.Value, []string{"jsonrpc", "id"}, fmt.Sprintf(`"jsonrpc":"2.0","id":%s`, id)))
	}
	if len(asked) == 0 {
		f.between[c] = true
		time.AfterFunc(min(firstPause<<c.turn, lastPause), func() { f.again(c) })
	}
	f.mu.Unlock()
	for _, raw := range say {
		f.to.Heard(raw, upstream.Origin{Request: c.front})
	}
	return nil
}

// inputsOf reads what a server asks for before it completes a call, and what the next round is to
// bring back beside the answers.
func inputsOf(c *call, result []byte) (asked []rawjson.Member, state []byte, bad *mcpwire.Error) {
	wrong := mcpwire.Errorf(mcpwire.CodeInternal, "the server asks for input before it completes %s, and not in the form of MCP", c.method)
	members, err := rawjson.Members(result)
	got, bad := mcpwire.Pick(members, "inputRequests", "requestState")
	switch {
	case !mayAsk(c.method), err != nil, bad != nil, len(got) == 0:
		return nil, nil, wrong
	case c.turn >= maxTurns:
		return nil, nil, mcpwire.Errorf(mcpwire.CodeInternal, "the server asked for input %d times and did not complete the call", maxTurns)
	}
	if raw, there := got["requestState"]; there {
		if _, ok := mcpwire.Text(raw.Value); !ok {
			return nil, nil, wrong
		}
		state = slices.Clone(raw.Value)
	}
	if raw, there := got["inputRequests"]; there {
		if asked, err = rawjson.Members(raw.Value); err != nil || len(asked) > maxInputs {
			return nil, nil, wrong
		}
	}
	return asked, state, nil
}

// answered takes the client's answer to a question. With the last one the call goes on.
func (f *statelessServer) answered(m mcpwire.Message) {
	f.mu.Lock()
	w := f.waiting[m.Key]
	if w == nil {
		f.mu.Unlock()
		return
	}
	delete(f.waiting, m.Key)
	c, result := w.of, m.Result
	if m.Fault != nil && w.kind == "elicitation/create" {
		result = []byte(`{"action":"cancel"}`)
	}
	if result == nil { // the other era has no word for that
		f.abandon(c)
		f.mu.Unlock()
		f.answer(c.front, mcpwire.ErrorAnswer(c.own, mcpwire.Errorf(mcpwire.CodeInternal,
			"the client did not give what the server asked for by %s, and the call was not completed: %.300s", w.kind, m.Fault)))
		return
	}
	c.inputs[w.name] = slices.Clone(result)
	c.open--
	ready := c.open == 0
	if ready {
		f.between[c] = true
	}
	f.mu.Unlock()
	if ready {
		go f.again(c)
	}
}

// again sends the next round of a call that was not ended meanwhile.
func (f *statelessServer) again(c *call) {
	f.mu.Lock()
	if !f.between[c] {
		f.mu.Unlock()
		return
	}
	delete(f.between, c)
	c.id = mcpwire.Quote("sekisho-" + uuid.NewString())
	c.key, _ = mcpwire.IDKey(c.id)
	var more []rawjson.Member
	if len(c.inputs) > 0 {
		var inputs []rawjson.Member
		for name, value := range c.inputs {
			inputs = append(inputs, member(name, value))
		}
		more = append(more, member("inputResponses", rawjson.Object(inputs)))
	}
	if c.state != nil {
		more = append(more, member("requestState", c.state))
	}
	raw := f.written(c, more...)
	f.calls[c.key] = c
	f.mu.Unlock()
	err := f.far.Send(f.life, upstream.Message{Raw: raw, Kind: mcpwire.Request, Key: c.key, Method: c.method, Header: f.headers(raw)})
	if err != nil && f.take(c.key) != nil {
		f.to.Lost(upstream.Loss{Request: c.front, Why: fmt.Sprintf("the answer to the server's question did not reach it: %s", err)})
	}
}
