package joined

import (
	"context"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// attempt is a member that is asked for what it may not have.
type attempt struct {
	to   pair
	done chan struct{}   // closed when in is there
	in   session.Inbound // without raw where no answer came
}

// search asks the members of whom one may have it, in the time that members are waited for
// together, and gives the answer for the client: the one success, else the last refusal. found
// says whether a member had it.
func (j *connection) search(ctx context.Context, m mcpwire.Message, t target) (answer []byte, found bool) {
	ctx, cancel := context.WithTimeout(ctx, j.within())
	defer cancel()
	var in session.Inbound
	if m.Method == mcpwire.Subscribe || m.Method == mcpwire.Unsubscribe {
		in = j.askInTurn(ctx, m, t)
	} else {
		in = j.askAtOnce(ctx, m, t)
	}
	if at, ok := mcpwire.Find(in.Raw, 0, "id"); ok {
		return mcpwire.Respell(in.Raw, map[mcpwire.Span][]byte{at: m.ID}), in.OK
	}
	return mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "none of the servers that may have %.200q answered", t.name)), false
}

// askAtOnce is for what changes nothing. The likely ones are asked before the others get to
// see the URI, which may hold a secret, as long as half of the time lasts; of several that
// have it the first is taken, by their order and not by their speed.
func (j *connection) askAtOnce(ctx context.Context, m mcpwire.Message, t target) session.Inbound {
	head, stop := context.WithTimeout(ctx, j.within()/2)
	defer stop()
	all := j.attempts(ctx, m, t, t.to[:t.likely])
	a := first(head, all)
	if a == nil || !a.in.OK {
		all = append(all, j.attempts(ctx, m, t, t.to[t.likely:])...)
		a = first(ctx, all)
	}
	switch {
	case a == nil:
		return session.Inbound{}
	case a.in.OK:
		j.found(t.name, a.to)
	}
	return a.in
}

// attempts begins to ask several members.
func (j *connection) attempts(ctx context.Context, m mcpwire.Message, t target, to []pair) (all []*attempt) {
	for _, p := range to {
		a := &attempt{to: p, done: make(chan struct{})}
		all = append(all, a)
		go func() {
			defer close(a.done)
			a.in = j.inquire(ctx, m, t, p)
		}()
	}
	return all
}

// first waits for a success until ctx ends; without one it gives the last that answered, or
// nil.
func first(ctx context.Context, all []*attempt) (last *attempt) {
	for _, a := range all {
		select {
		case <-a.done:
		case <-ctx.Done():
		}
		select {
		case <-a.done:
		default:
			continue
		}
		if a.in.OK {
			return a
		}
		if a.in.Raw != nil {
			last = a
		}
	}
	return last
}

// askInTurn is for what is not to be done twice. Each has its share of the time that is
// left.
func (j *connection) askInTurn(ctx context.Context, m mcpwire.Message, t target) (last session.Inbound) {
	deadline, _ := ctx.Deadline()
	for i, p := range t.to {
		share, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(t.to)-i))
		in := j.inquire(share, m, t, p)
		cancel()
		if in.Raw != nil {
			last = in
		}
		if in.OK {
			break
		}
	}
	return last
}

// inquire asks one of several members. It has no raw where no answer came.
func (j *connection) inquire(ctx context.Context, m mcpwire.Message, t target, to pair) session.Inbound {
	moved, p, bad := j.address(ctx, m, t, to)
	if bad != nil {
		return session.Inbound{}
	}
	settled := j.noting(m.Method, t.name, to)
	var in session.Inbound
	var err error
	if permission.Judged(m.Method) {
		in, err = j.passing(ctx, p, moved)
	} else {
		in, err = j.answerOf(ctx, p, m.Method, moved.Params)
	}
	settled(err == nil && in.OK)
	return in
}
