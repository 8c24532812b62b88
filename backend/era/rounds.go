package era

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/mcpwire"
	"sekisho/backend/rawjson"
	"sekisho/backend/upstream"
)

// Bounds of calls that wait at their server for what it asked.
const (
	heldWithin = 10 * time.Minute // for the client to come back with an answer
	maxHeld    = 100              // calls at one server that wait so
	maxRounds  = 50               // questions of one call
)

// rounds are what a flight has of a server that asks while it works: in 2026-07-28 the client's
// request ends with the question, and the next one brings the answer. The server's call goes on
// in between, and is made once.
type rounds struct {
	asked  []question // of the server, in their order; the first is the one that the client has got
	ticket string     // the requestState by which the client comes back; "" while it waits
	n      int        // questions that it has got
	late   alarm      // ends a flight whose client does not come back
	early  *outcome   // of a call that ended though its question was not answered
}

// alarm is a timer that may not be set.
type alarm struct{ *time.Timer }

func (a alarm) stop() {
	if a.Timer != nil {
		a.Stop()
	}
}

// question is a request of the server to its client.
type question struct {
	id     []byte
	key    string
	method string
	params []byte // nil is none
}

// questionName is what the client knows the one question of a round by.
const questionName = "question"

// asks takes a request of the server.
func (f *sessionServer) asks(m mcpwire.Message, from upstream.Origin) {
	switch {
	case m.Method == mcpwire.Ping:
		f.reply(m.ID, mcpwire.ResultAnswer(m.ID, []byte("{}")))
		return
	case questions[m.Method] == "":
		f.reply(m.ID, mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeNoMethod,
			"%.80q cannot be bridged between versions of MCP: the client speaks 2026-07-28, which has no such request of a server", m.Method)))
		return
	}
	q := question{slices.Clone(m.ID), m.Key, m.Method, slices.Clone(m.Params)}
	f.mu.Lock()
	fl, bad := f.asker(q, from)
	if bad == nil && fl.n+len(fl.asked) >= maxRounds {
		bad = mcpwire.Errorf(mcpwire.CodeInternal, "a call asks its client at most %d times", maxRounds)
	}
	if bad != nil {
		f.mu.Unlock()
		f.reply(q.id, mcpwire.ErrorAnswer(q.id, bad))
		return
	}
	fl.asked = append(fl.asked, q)
	raw, front := f.round(fl)
	f.mu.Unlock()
	if raw != nil {
		f.answer(front, raw)
	}
}

// asker finds the request that a question of the server is about. A process does not say so: where
// several might have caused it, nobody is asked, lest one client answers for another. The
// caller holds the lock.
func (f *sessionServer) asker(q question, from upstream.Origin) (found *flight, bad *mcpwire.Error) {
	if found = f.flights[from.Request]; found == nil {
		for _, fl := range f.flights {
			switch {
			case !mayAsk(fl.method):
			case found != nil:
				return nil, mcpwire.Errorf(mcpwire.CodeInternal,
					"%s cannot be bridged now: several calls are under way, and it does not say which of them it is about", q.method)
			default:
				found = fl
			}
		}
	}
	switch {
	case found == nil || !mayAsk(found.method):
		return nil, mcpwire.Errorf(mcpwire.CodeInternal,
			"%s cannot be bridged: clients of 2026-07-28 are asked only while a call, a prompt or a resource of theirs is under way", q.method)
	case !found.can(q.method):
		return nil, mcpwire.Errorf(mcpwire.CodeNoMethod, "the client does not declare that it answers %s", q.method)
	}
	return found, nil
}

// round ends the client's request with the server's next question; nil where there is none, or
// nobody to be asked. The caller holds the lock.
func (f *sessionServer) round(fl *flight) (raw []byte, front string) {
	if fl.front == "" || len(fl.asked) == 0 {
		return nil, ""
	}
	f.thin()
	q := fl.asked[0]
	fl.n++
	fl.ticket = "sekisho-" + uuid.NewString()
	params := ""
	if q.params != nil {
		params = fmt.Sprintf(`,"params":%s`, q.params)
	}
	const required = `{"resultType":"input_required","inputRequests":{%q:{"method":%q%s}},"requestState":%q}`
	raw = mcpwire.ResultAnswer(fl.own, fmt.Appendf(nil, required, questionName, q.method, params, fl.ticket))
	front, fl.front = fl.front, ""
	fl.late = alarm{time.AfterFunc(heldWithin, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.flights[fl.key] == fl && fl.front == "" {
			f.abandon(fl, fmt.Sprintf("the client did not come back with an answer within %s", heldWithin))
		}
	})}
	return raw, front
}

// thin ends one of very many calls whose clients do not come back. The caller holds the lock.
func (f *sessionServer) thin() {
	held := 0
	var oldest *flight
	for _, fl := range f.flights {
		if fl.front != "" {
			continue
		}
		if held++; oldest == nil || len(fl.id) < len(oldest.id) || len(fl.id) == len(oldest.id) && string(fl.id) < string(oldest.id) {
			oldest = fl
		}
	}
	if held >= maxHeld {
		f.abandon(oldest, fmt.Sprintf("more than %d calls wait for answers of their clients", maxHeld))
	}
}

// withdrawn takes note that the server takes a question back.
func (f *sessionServer) withdrawn(m mcpwire.Message) {
	target, _ := mcpwire.Member(m.Params, "requestId")
	key, _ := mcpwire.IDKey(target)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fl := range f.flights {
		for i := range fl.asked {
			if fl.asked[i].key == key {
				fl.asked[i].id = nil // whoever answers it comes back all the same
				return
			}
		}
	}
}

// resume goes on with the call that a client's further round is of. What the round asks for
// must be what was asked for before: nothing of it is sent but the answer to the server's
// question.
func (f *sessionServer) resume(ctx context.Context, request string, id []byte, req request) error {
	f.mu.Lock()
	fl, response, bad := f.resumed(req)
	if bad != nil {
		f.mu.Unlock()
		f.answer(request, mcpwire.ErrorAnswer(id, bad))
		return nil
	}
	fl.late.stop()
	state, q := fl.ticket, fl.asked[0]
	fl.ticket = "" // it goes on once
	fl.front, fl.own, fl.tell = request, slices.Clone(id), req.token
	if response == nil && q.id != nil && fl.early == nil { // what is missing is asked for again
		raw, front := f.round(fl)
		f.mu.Unlock()
		f.answer(front, raw)
		return nil
	}
	fl.asked = fl.asked[1:]
	front, progress := f.caughtUp(fl)
	early := fl.early
	if early != nil {
		f.forget(fl)
	}
	f.mu.Unlock()
	if progress != nil {
		f.answer(front, progress)
	}
	if early != nil {
		f.deliver(fl, *early)
		return nil
	}
	if q.id != nil {
		reply := upstream.Message{Raw: mcpwire.ResultAnswer(q.id, response), Kind: mcpwire.Response, Key: q.key, Header: f.header}
		if err := f.far.Send(ctx, reply); err != nil {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.flights[fl.key] == fl { // the same round may be tried again
				fl.asked, fl.ticket, fl.front = append([]question{q}, fl.asked...), state, ""
			}
			return err
		}
	}
	f.mu.Lock()
	var raw []byte
	if f.flights[fl.key] == fl {
		raw, front = f.round(fl)
	}
	f.mu.Unlock()
	if raw != nil {
		f.answer(front, raw)
	}
	return nil
}

// resumed finds the call that a further round is of, and the client's answer in it; nil is none.
// The caller holds the lock.
func (f *sessionServer) resumed(req request) (fl *flight, response []byte, bad *mcpwire.Error) {
	state, _ := mcpwire.Text(req.state)
	for _, o := range f.flights {
		if state != "" && o.ticket == state {
			fl = o
		}
	}
	switch {
	case fl == nil:
		return nil, nil, mcpwire.Errorf(mcpwire.CodeParams,
			"no call waits for this requestState: nothing was sent to the server; send the call again without inputResponses and requestState")
	case fl.about != req.about():
		return nil, nil, mcpwire.Errorf(mcpwire.CodeParams,
			"this requestState belongs to another call: nothing was sent to the server; repeat that call as it was")
	case req.responses == nil:
		return fl, nil, nil
	}
	members, err := rawjson.Members(req.responses)
	if err != nil {
		return nil, nil, mcpwire.Errorf(mcpwire.CodeParams, "inputResponses of %s is an object", req.method)
	}
	for _, m := range members {
		if m.Key == questionName && isObject(m.Value) {
			response = m.Value
		}
	}
	return fl, response, nil
}
