package joined

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"sekisho/backend/era"
	"sekisho/backend/mcpwire"
	"sekisho/backend/session"
)

// Bounds of what a client in the era without sessions is told by itself.
const (
	maxHeard    = 256 // messages that wait for one client
	getComment  = 15 * time.Second
	firstListen = time.Second // until a member whose stream ended is asked again; longer each time
	lastListen  = time.Minute
	maxListened = 100 // resources of one stream
)

// listeners are the clients of a shared session that listen. It is safe for use by many
// goroutines.
type listeners struct {
	mu sync.Mutex
	of map[*listener]bool
}

// listener is a subscriptions/listen of a client.
type listener struct {
	era.Wanted
	id   []byte
	said chan []byte
}

// tell brings what the desk says of its servers to those who listen.
func (l *listeners) tell(raw []byte) {
	m, bad := mcpwire.FromServer(raw)
	if bad != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for one := range l.of {
		one.hear(m)
	}
}

// hear takes news for the client. One that does not read misses some.
func (o *listener) hear(m mcpwire.Message) {
	if !o.Takes(m) {
		return
	}
	select {
	case o.said <- era.Tagged(m, o.id):
	default:
	}
}

// listen brings the client news of all servers until it leaves.
func (j *connection) listen(ctx context.Context, m mcpwire.Message, out *session.Stream) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	one := &listener{id: m.ID, said: make(chan []byte, maxHeard)}
	raw, bad := mcpwire.Member(m.Params, "notifications")
	if bad != nil || json.Unmarshal(raw, &one.Wanted) != nil || len(one.URIs) > maxListened {
		out.Refuse(m.ID, mcpwire.Errorf(mcpwire.CodeParams,
			"notifications of %s is an object that says which are wanted, of at most %d resources", mcpwire.Listen, maxListened))
		return
	}
	at, answer := j.listened(ctx, m, one)
	if answer != nil {
		out.Answer(answer)
		return
	}
	j.listeners.mu.Lock()
	j.listeners.of[one] = true
	j.listeners.mu.Unlock()
	defer func() {
		j.listeners.mu.Lock()
		defer j.listeners.mu.Unlock()
		delete(j.listeners.of, one)
	}()
	agreed, err := json.Marshal(j.agreed(ctx, one, at))
	if err != nil {
		return // lists of texts always marshal
	}
	out.Event(era.Tagged(mcpwire.Message{Method: mcpwire.ListeningNote, Params: fmt.Appendf(nil, `{"notifications":%s}`, agreed)}, m.ID))
	j.bring(ctx, one, out)
}

// agreed begins to listen to servers, and gives what they agree to bring. Those that are not there
// yet are waited for only where they have a resource that is wanted.
func (j *connection) agreed(ctx context.Context, one *listener, at map[string]map[string]string) era.Wanted {
	there := map[string]bool{}
	for _, p := range j.members.peers() {
		there[p.s.Server.ID] = true
	}
	agreed := one.Wanted
	agreed.URIs = nil
	var waited []chan []string
	for server, uris := range at {
		ready := make(chan []string, 1)
		go j.attend(ctx, one, server, uris, ready)
		if len(uris) > 0 || there[server] {
			waited = append(waited, ready)
		}
	}
	late := time.NewTimer(j.opts.within())
	defer late.Stop()
	for _, ready := range waited {
		select {
		case uris := <-ready:
			agreed.URIs = append(agreed.URIs, uris...)
		case <-late.C:
			return agreed
		case <-ctx.Done():
			return agreed
		}
	}
	return agreed
}

// bring writes what there is to say until the client or the session ends.
func (j *connection) bring(ctx context.Context, one *listener, out *session.Stream) {
	beat := time.NewTicker(getComment)
	defer beat.Stop()
	for err := error(nil); err == nil; {
		select {
		case raw := <-one.said:
			err = out.Event(raw)
		case <-beat.C:
			err = out.Comment("listening")
		case <-ctx.Done():
			return
		case <-j.members.ended:
			return
		}
	}
}

// listened finds the servers that are to be listened to, each with the client's names of its
// resources by its own. Where one of these may not be listened to, answer says so.
func (j *connection) listened(ctx context.Context, m mcpwire.Message, one *listener) (at map[string]map[string]string, answer []byte) {
	at = map[string]map[string]string{}
	stands, err := j.lists.stands(ctx)
	if err != nil {
		return nil, mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "%s", err))
	}
	for _, s := range stands {
		if one.Tools || one.Prompts || one.Resources {
			at[s.server.ID] = map[string]string{}
		}
	}
	var known []string
	for _, uri := range one.URIs {
		t, bad := j.locator.located(ctx, target{name: uri})
		if bad != nil || len(t.to) == 0 {
			continue // it is not acknowledged
		}
		to := t.to[0]
		p, err := j.members.peer(ctx, to.server)
		if err != nil || !p.terms().can.subscribe {
			continue
		}
		in, err := j.host.Pass(ctx, p.s, m, mcpwire.Act{Method: mcpwire.Subscribe, Name: to.name}, func([]byte) (session.Inbound, error) {
			return session.Inbound{OK: true, Value: []byte("{}")}, nil
		})
		switch {
		case err != nil:
			return nil, mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "%s", err))
		case !in.OK:
			return nil, in.Raw
		}
		if at[to.server] == nil {
			at[to.server] = map[string]string{}
		}
		at[to.server][to.name] = uri
		known = append(known, uri)
	}
	one.URIs = known
	return at, nil
}

// attend listens to a server as long as the client listens, with what the desk has judged.
// ready hears of the resources of which it first agrees to bring news.
func (j *connection) attend(ctx context.Context, one *listener, server string, uris map[string]string, ready chan<- []string) {
	want := era.Wanted{Tools: one.Tools, Prompts: one.Prompts, Resources: one.Resources}
	for uri := range uris {
		want.URIs = append(want.URIs, uri)
	}
	filter, err := json.Marshal(want)
	if err != nil {
		return // lists of texts always marshal
	}
	for pause := firstListen; ctx.Err() == nil; pause = min(2*pause, lastListen) {
		began := time.Now()
		if p, err := j.members.peer(ctx, server); err == nil {
			header, params := j.members.stateless(mcpwire.Listen, fmt.Appendf(nil, `{"notifications":%s}`, filter))
			// Why it ended does not matter: it is asked again.
			_, _ = p.s.Inquire(ctx, header, mcpwire.Listen, params, func(_ context.Context, _ *session.Exchange, in session.Inbound) {
				m := renamed(in.Raw, uris)
				if m.Method == mcpwire.ListeningNote {
					tellOnce(ready, agreedBy(m, uris))
				}
				one.hear(m)
			})
		}
		if time.Since(began) > lastListen {
			pause = firstListen
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// agreedBy are the client's names of the resources that a server agrees to bring news of.
func agreedBy(m mcpwire.Message, uris map[string]string) (known []string) {
	var said struct{ Notifications era.Wanted }
	_ = json.Unmarshal(m.Params, &said) // what cannot be read was not agreed to
	for _, uri := range said.Notifications.URIs {
		if name := uris[uri]; name != "" {
			known = append(known, name)
		}
	}
	return known
}

func tellOnce(ready chan<- []string, uris []string) {
	select {
	case ready <- uris:
	default: // it was told
	}
}

// renamed is what a server says of a resource by the name that the client knows it by.
func renamed(raw []byte, uris map[string]string) mcpwire.Message {
	m, bad := mcpwire.FromServer(raw)
	if bad != nil || m.Method != mcpwire.UpdatedNote {
		return m
	}
	at, ok := mcpwire.Find(m.Raw, 0, "params", "uri")
	if !ok {
		return m
	}
	uri, _ := mcpwire.Text(m.Raw[at.From:at.To])
	if known := uris[uri]; known != "" && known != uri {
		m, _ = mcpwire.FromServer(mcpwire.Respell(m.Raw, map[mcpwire.Span][]byte{at: mcpwire.Quote(known)}))
	}
	return m
}
