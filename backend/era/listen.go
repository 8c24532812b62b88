package era

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"sekisho/backend/mcpwire"
)

// Wanted is the news that a subscriptions/listen asks for, or that a server agreed to.
type Wanted struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
}

// Takes reports whether a message is news that is wanted.
func (w *Wanted) Takes(m mcpwire.Message) bool {
	switch m.Method {
	case mcpwire.Listings[mcpwire.OfTools].Changed:
		return w.Tools
	case mcpwire.Listings[mcpwire.OfPrompts].Changed:
		return w.Prompts
	case mcpwire.Listings[mcpwire.OfResources].Changed:
		return w.Resources
	case mcpwire.UpdatedNote:
		raw, _ := mcpwire.Member(m.Params, "uri")
		uri, ok := mcpwire.Text(raw)
		return ok && slices.Contains(w.URIs, uri)
	}
	return false
}

// listeners are the requests of clients for news of a server. It is safe for use by many
// goroutines.
type listeners struct {
	turn       sync.Mutex // of whoever changes subscriptions
	mu         sync.Mutex
	of         map[string]*listener // by the name of the request
	subscribed map[string]int       // how many listen to a resource that the server was asked about
}

// listener is one of them.
type listener struct {
	id []byte
	Wanted
}

// tell brings news to those that want it, each with the id of its request.
func (l *listeners) tell(to *link, m mcpwire.Message) {
	said := map[string][]byte{}
	l.mu.Lock()
	for request, one := range l.of {
		if one.Takes(m) {
			said[request] = Tagged(m, one.id)
		}
	}
	l.mu.Unlock()
	for request, raw := range said {
		to.answer(request, raw)
	}
}

// Tagged is a notification that says which request asked for it.
func Tagged(m mcpwire.Message, id []byte) []byte {
	meta, _ := mcpwire.Member(m.Params, "_meta")
	if !isObject(meta) {
		meta = []byte("{}")
	}
	meta = without(meta, []string{mcpwire.MetaSubscription}, fmt.Sprintf(`%q:%s`, mcpwire.MetaSubscription, id))
	params := m.Params
	if !isObject(params) {
		params = []byte("{}")
	}
	params = without(params, []string{"_meta"}, fmt.Sprintf(`"_meta":%s`, meta))
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%s,"params":%s}`, mcpwire.Quote(m.Method), params)
}

// listen opens a stream of news, of which the desk has judged each resource.
func (f *sessionServer) listen(ctx context.Context, request string, m mcpwire.Message) error {
	raw, bad := mcpwire.Member(m.Params, "notifications")
	var want Wanted
	if bad != nil || !isObject(raw) || json.Unmarshal(raw, &want) != nil {
		f.answer(request, mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeParams,
			"notifications of %s is an object that says which are wanted", mcpwire.Listen)))
		return nil
	}
	one := &listener{id: slices.Clone(m.ID)}
	one.Tools, one.Prompts = want.Tools && f.can.Tools.ListChanged, want.Prompts && f.can.Prompts.ListChanged
	one.Resources = want.Resources && f.can.Resources.ListChanged
	f.listens.turn.Lock()
	defer f.listens.turn.Unlock()
	for _, uri := range slices.Compact(slices.Sorted(slices.Values(want.URIs))) {
		if f.can.Resources.Subscribe && f.subscribe(ctx, uri) {
			one.URIs = append(one.URIs, uri)
		}
	}
	agreed, err := json.Marshal(one.Wanted)
	if err != nil {
		return fmt.Errorf("say what news there will be: %w", err)
	}
	f.answer(request, Tagged(mcpwire.Message{Method: mcpwire.ListeningNote,
		Params: fmt.Appendf(nil, `{"notifications":%s}`, agreed)}, one.id))
	f.listens.mu.Lock()
	defer f.listens.mu.Unlock()
	f.listens.of[request] = one
	return nil
}

// subscribe counts one more that listens to a resource; false where the server does not take
// the subscription. The caller has the turn.
func (f *sessionServer) subscribe(ctx context.Context, uri string) bool {
	f.listens.mu.Lock()
	first := f.listens.subscribed[uri] == 0
	f.listens.mu.Unlock()
	if first && !f.subscription(ctx, mcpwire.Subscribe, uri) {
		return false
	}
	f.listens.mu.Lock()
	defer f.listens.mu.Unlock()
	f.listens.subscribed[uri]++
	return true
}

// subscription asks the server to begin or to end its news of a resource.
func (f *sessionServer) subscription(ctx context.Context, method, uri string) bool {
	got, err := f.ask(ctx, noteWithin, method, fmt.Appendf(nil, `{"uri":%s}`, mcpwire.Quote(uri)), f.header)
	return err == nil && got.result != nil
}

// unlisten ends a stream of news, and what the server was asked for its sake.
func (f *sessionServer) unlisten(request string) {
	f.listens.mu.Lock()
	one := f.listens.of[request]
	delete(f.listens.of, request)
	f.listens.mu.Unlock()
	if one == nil || len(one.URIs) == 0 {
		return
	}
	go func() {
		f.listens.turn.Lock()
		defer f.listens.turn.Unlock()
		for _, uri := range one.URIs {
			f.listens.mu.Lock()
			f.listens.subscribed[uri]--
			last := f.listens.subscribed[uri] == 0
			if last {
				delete(f.listens.subscribed, uri)
			}
			f.listens.mu.Unlock()
			if last {
				f.subscription(f.life, mcpwire.Unsubscribe, uri)
			}
		}
	}()
}

// resubscribe asks a server that has forgotten its session for all news again.
func (f *sessionServer) resubscribe(ctx context.Context) {
	f.listens.turn.Lock()
	defer f.listens.turn.Unlock()
	f.listens.mu.Lock()
	uris := slices.Collect(maps.Keys(f.listens.subscribed))
	f.listens.mu.Unlock()
	for _, uri := range uris {
		f.subscription(ctx, mcpwire.Subscribe, uri)
	}
}
