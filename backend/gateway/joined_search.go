package gateway

import (
	"context"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// attempt is a member that is asked for what it may not have.
type attempt struct {
	to   pair
	done chan struct{} // closed when in is there
	in   inbound       // without raw where no answer came
}

// search asks the members of whom one may have it, in the time that members are waited for
// together, and gives the answer for the client: the one success, else the last refusal. found
// says whether a member had it.
func (j *joined) search(ctx context.Context, m mcpwire.Message, t target) (answer []byte, found bool) {
	ctx, cancel := context.WithTimeout(ctx, j.within())
	defer cancel()
	var in inbound
	if m.Method == mcpwire.Subscribe || m.Method == mcpwire.Unsubscribe {
		in = j.askInTurn(ctx, m, t)
	} else {
		in = j.askAtOnce(ctx, m, t)
	}
	if at, ok := mcpwire.Find(in.raw, 0, "id"); ok {
		return mcpwire.Respell(in.raw, map[mcpwire.Span][]byte{at: m.ID}), in.ok
	}
	return mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "none of the servers that may have %.200q answered", t.name)), false
}

// askAtOnce is for what changes nothing. The likely ones are asked before the others get to
// see the URI, which may hold a secret, as long as half of the time lasts; of several that
// have it the first is taken, by their order and not by their speed.
func (j *joined) askAtOnce(ctx context.Context, m mcpwire.Message, t target) inbound {
	head, stop := context.WithTimeout(ctx, j.within()/2)
	defer stop()
	all := j.attempts(ctx, m, t, t.to[:t.likely])
	a := first(head, all)
	if a == nil || !a.in.ok {
		all = append(all, j.attempts(ctx, m, t, t.to[t.likely:])...)
		a = first(ctx, all)
	}
	switch {
	case a == nil:
		return inbound{}
	case a.in.ok:
		j.found(t.name, a.to)
	}
	return a.in
}

// attempts begins to ask several members.
func (j *joined) attempts(ctx context.Context, m mcpwire.Message, t target, to []pair) (all []*attempt) {
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
		if a.in.ok {
			return a
		}
		if a.in.raw != nil {
			last = a
		}
	}
	return last
}

// askInTurn is for what is not to be done twice. Each has its share of the time that is
// left.
func (j *joined) askInTurn(ctx context.Context, m mcpwire.Message, t target) (last inbound) {
	deadline, _ := ctx.Deadline()
	for i, p := range t.to {
		share, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(t.to)-i))
		in := j.inquire(share, m, t, p)
		cancel()
		if in.raw != nil {
			last = in
		}
		if in.ok {
			break
		}
	}
	return last
}

// inquire asks one of several members. It has no raw where no answer came.
func (j *joined) inquire(ctx context.Context, m mcpwire.Message, t target, to pair) inbound {
	moved, p, bad := j.address(ctx, m, t, to)
	if bad != nil {
		return inbound{}
	}
	settled := j.noting(m.Method, t.name, to)
	var in inbound
	var err error
	if permission.Judged(m.Method) {
		in, err = j.passing(ctx, p, moved)
	} else {
		in, err = j.answerOf(ctx, p, m.Method, moved.Params)
	}
	settled(err == nil && in.ok)
	return in
}
