package era

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"sekisho/backend/mcpwire"
	"sekisho/backend/rawjson"
	"sekisho/backend/upstream"
)

// codeNoResource is what servers of the eras with sessions say of a resource that they do not
// have. The other era says that a parameter is wrong.
const codeNoResource = -32002

// sessionServer is a server of the eras with sessions as clients of 2026-07-28 use it, in the one
// session that the bridge began with it.
type sessionServer struct {
	*link
	said    initialized
	header  http.Header // of every message
	can     abilities
	listens listeners

	mu      sync.Mutex
	flights map[string]*flight // by the key of their id at the server
	level   string             // of the log messages that the server sends; "" is as it likes
}

func newSessionServer(l *link, said initialized) *sessionServer {
	f := &sessionServer{link: l, said: said, header: http.Header{mcpwire.VersionHeader: {said.Version}}, flights: map[string]*flight{}}
	_ = json.Unmarshal(said.Capabilities, &f.can) // what cannot be read it cannot do
	f.listens = listeners{of: map[string]*listener{}, subscribed: map[string]int{}}
	if r := upstream.RemoteOf(l.far); r != nil {
		r.Renewed = f.remind
	}
	return f
}

// flight is a request of a client at the server, over all its rounds.
type flight struct {
	request
	client
	key   string // of its id at the server, and of the token of its progress there
	id    []byte // that id
	about string // the request, whatever round it is of

	// Guarded by sessionServer.
	front     string // the name of the client's request that waits; "" while none does
	own, tell []byte // the id of that request, and the token of its progress
	missed    []byte // the newest progress that came while no request waited; nil is none
	rounds
}

// send takes a message of a client.
func (f *sessionServer) send(ctx context.Context, p upstream.Message, m mcpwire.Message) error {
	if m.Kind != mcpwire.Request {
		return nil // there is nothing that it could be about
	}
	who, bad := clientOf(m)
	if bad != nil {
		f.answer(p.Key, mcpwire.ErrorAnswer(m.ID, bad))
		return nil
	}
	req, bad := requestOf(m)
	switch {
	case bad != nil:
	case m.Method == mcpwire.Discover:
		f.answer(p.Key, mcpwire.ResultAnswer(m.ID, f.discovered()))
		return nil
	case m.Method == mcpwire.Listen:
		return f.listen(ctx, p.Key, m)
	case req.tasks():
		bad = notBridged(m.Method, "tasks", "the server speaks an earlier version of MCP, whose tasks are others")
	case req.responses != nil || req.state != nil:
		return f.resume(ctx, p.Key, m.ID, req)
	default:
		return f.forward(ctx, p, m, req, who)
	}
	f.answer(p.Key, mcpwire.ErrorAnswer(m.ID, bad))
	return nil
}

// discovered is what the server said to initialize, in the words of server/discover.
func (f *sessionServer) discovered() []byte {
	about, instructions := f.said.ServerInfo, f.said.Instructions
	if !isObject(about) {
		about = nil
	}
	if _, ok := mcpwire.Text(instructions); !ok {
		instructions = nil
	}
	return Discovered(capabilitiesOf(f.said.Capabilities), about, instructions)
}

// forward sends a request to the server. Its session has given it a name that is a number,
// which the server gets to see.
func (f *sessionServer) forward(ctx context.Context, p upstream.Message, m mcpwire.Message, req request, who client) error {
	fl := &flight{request: req, client: who, key: p.Key, id: []byte(p.Key[1:]), about: req.about(), front: p.Key, own: m.ID, tell: req.token}
	f.wantLogs(ctx, who.level)
	meta := req.meta
	if req.token != nil {
		meta = append(meta, member("progressToken", fl.id))
	}
	f.mu.Lock()
	f.flights[fl.key] = fl
	f.mu.Unlock()
	p.Raw, p.Header = req.message(fl.id, rawjson.Object(meta)), f.header
	err := f.far.Send(ctx, p)
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.forget(fl)
	}
	return err
}

// forget ends a flight. The caller holds the lock.
func (f *sessionServer) forget(fl *flight) {
	delete(f.flights, fl.key)
	fl.late.stop()
}

// hear takes a message of the server.
func (f *sessionServer) hear(m mcpwire.Message, from upstream.Origin) {
	switch {
	case m.Kind == mcpwire.Response:
		f.settled(m.Key, outcome{result: m.Result, fault: m.Fault})
	case m.Kind == mcpwire.Request:
		f.asks(m, from)
	case m.Method == mcpwire.ProgressNote:
		f.progress(m)
	case m.Method == mcpwire.LogNote:
		f.logged(m, from)
	case m.Method == mcpwire.CancelledNote:
		f.withdrawn(m)
	default:
		f.listens.tell(f.link, m)
	}
}

// gone takes note that the server will not answer a request.
func (f *sessionServer) gone(l upstream.Loss) { f.settled(l.Request, outcome{lost: &l}) }

// outcome is what came of a request at the server.
type outcome struct {
	result, fault []byte
	lost          *upstream.Loss
}

// settled brings an outcome to the client, or keeps it for the one that comes back.
func (f *sessionServer) settled(key string, o outcome) {
	f.mu.Lock()
	fl := f.flights[key]
	if fl == nil {
		f.mu.Unlock()
		return
	}
	if fl.front == "" {
		fl.early = &o
		f.mu.Unlock()
		return
	}
	f.forget(fl)
	f.mu.Unlock()
	f.deliver(fl, o)
}

// deliver gives the client that waits for a flight its outcome, in the words of its era.
func (f *sessionServer) deliver(fl *flight, o outcome) {
	switch {
	case o.lost != nil:
		f.to.Lost(upstream.Loss{Request: fl.front, Why: o.lost.Why, Refused: o.lost.Refused})
	case o.fault != nil:
		f.answer(fl.front, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, fl.own, faultOf(fl.method, o.fault)))
	default:
		f.answer(fl.front, mcpwire.ResultAnswer(fl.own, Complete(fl.method, o.result)))
	}
}

// Complete says of a result of an earlier era what a result of 2026-07-28 says of itself.
func Complete(method string, result []byte) []byte {
	if !isObject(result) {
		return result
	}
	lists := func(l mcpwire.Listing) bool { return l.Method == method }
	if method == mcpwire.ReadResource || slices.ContainsFunc(mcpwire.Listings[:], lists) {
		return without(result, []string{"resultType", "ttlMs", "cacheScope"}, `"resultType":"complete","ttlMs":0,"cacheScope":"private"`)
	}
	return without(result, []string{"resultType"}, `"resultType":"complete"`)
}

// faultOf is an error of an earlier era with the code that it has in 2026-07-28.
func faultOf(method string, fault []byte) []byte {
	if method == mcpwire.ReadResource && mcpwire.CodeOf(fault) == codeNoResource {
		return respelled(fault, map[string][]byte{"code": fmt.Append(nil, mcpwire.CodeParams)})
	}
	return fault
}

// progress brings the progress of a request to its client, under the token that it has there. What
// comes between two rounds is kept for the next: the newest alone, since it is above those before.
func (f *sessionServer) progress(m mcpwire.Message) {
	p, ok := mcpwire.ReadProgress(m)
	f.mu.Lock()
	fl := f.flights[p.Key]
	if !ok || fl == nil {
		f.mu.Unlock()
		return
	}
	fl.missed = m.Raw
	front, raw := f.caughtUp(fl)
	f.mu.Unlock()
	if raw != nil {
		f.answer(front, raw)
	}
}

// caughtUp gives the progress that the client of a waiting request is not told of yet, and that
// request; nil is none. The caller holds the lock.
func (f *sessionServer) caughtUp(fl *flight) (front string, raw []byte) {
	if fl.front == "" {
		return "", nil
	}
	raw, fl.missed = fl.missed, nil
	if raw == nil || fl.tell == nil {
		return "", nil
	}
	return fl.front, respelled(raw, map[string][]byte{"params.progressToken": fl.tell})
}

// logged brings a log message to the client that it is for: the one on whose request's stream it
// came, or the newest that wants such messages. A client gets none that it did not ask for.
func (f *sessionServer) logged(m mcpwire.Message, from upstream.Origin) {
	raw, _ := mcpwire.Member(m.Params, "level")
	level, _ := mcpwire.Text(raw)
	wants := func(fl *flight) bool {
		return fl != nil && fl.front != "" && fl.level != "" && rank(level) >= rank(fl.level)
	}
	f.mu.Lock()
	fl := f.flights[from.Request]
	if fl == nil {
		fl = f.newest(wants)
	}
	if !wants(fl) {
		f.mu.Unlock()
		return
	}
	front := fl.front
	f.mu.Unlock()
	f.answer(front, m.Raw)
}

// newest is the newest flight of some; nil where there is none. The caller holds the lock.
func (f *sessionServer) newest(which func(*flight) bool) (found *flight) {
	for _, fl := range f.flights {
		if which(fl) && (found == nil || len(fl.id) > len(found.id) || len(fl.id) == len(found.id) && string(fl.id) > string(found.id)) {
			found = fl
		}
	}
	return found
}

// rank is how grave a log message is; one of no known level is as grave as can be.
func rank(level string) int {
	if at := slices.Index(mcpwire.LogLevels[:], level); at >= 0 {
		return at
	}
	return len(mcpwire.LogLevels)
}

// wantLogs tells the server to send the log messages that a client wants. It is not told to send
// fewer again: what nobody wants ends here.
func (f *sessionServer) wantLogs(ctx context.Context, level string) {
	f.mu.Lock()
	was := f.level
	if level == "" || !isObject(f.can.Logging) || was != "" && rank(was) <= rank(level) {
		f.mu.Unlock()
		return
	}
	f.level = level
	f.mu.Unlock()
	if f.setLevel(ctx, level) != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.level = was // the next client that wants some tries again
	}
}

func (f *sessionServer) setLevel(ctx context.Context, level string) error {
	got, err := f.ask(ctx, noteWithin, mcpwire.SetLevel, fmt.Appendf(nil, `{"level":%q}`, level), f.header)
	if err == nil {
		err = got.err(mcpwire.SetLevel)
	}
	return err
}

// remind tells a server over HTTP that has forgotten its session what is wanted of it.
func (f *sessionServer) remind(ctx context.Context) {
	f.mu.Lock()
	level := f.level
	f.mu.Unlock()
	if level != "" {
		_ = f.setLevel(ctx, level) // a server that refuses sends what it likes
	}
	f.resubscribe(ctx)
}

// origin gives the client's request that a message on a request's stream belongs to.
func (f *sessionServer) origin(from upstream.Origin) upstream.Origin {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl := f.flights[from.Request]; fl != nil && fl.front != "" {
		from.Request = fl.front
	}
	return from
}

func (f *sessionServer) waits(request string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flights[request] != nil
}

// drop cancels what nobody waits for: a request at the server, or the news of a listener.
func (f *sessionServer) drop(request string) {
	f.unlisten(request)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fl := range f.flights {
		if fl.front == request {
			f.abandon(fl, "nobody waits for the answer")
			return
		}
	}
}

// abandon cancels a request at the server, with what the server asks for it. The caller holds the
// lock.
func (f *sessionServer) abandon(fl *flight, why string) {
	f.forget(fl)
	for _, q := range fl.asked {
		f.reply(q.id, mcpwire.ErrorAnswer(q.id, mcpwire.Errorf(mcpwire.CodeInternal, "%s", why)))
	}
	const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":%s}}`
	f.note(upstream.Message{Raw: fmt.Appendf(nil, cancelled, fl.id, mcpwire.Quote(why)), Kind: mcpwire.Notification,
		Method: mcpwire.CancelledNote, Header: f.header})
	go upstream.Drop(f.far, fl.key)
}

// reply answers a request of the server.
func (f *sessionServer) reply(id, raw []byte) {
	key, _ := mcpwire.IDKey(id)
	f.note(upstream.Message{Raw: raw, Kind: mcpwire.Response, Key: key, Header: f.header})
}
