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

// search asks several members for what one of them may have.
type search struct {
	host    Host
	members *members
	subs    *subscriptions
	judge   *judge
	locator *locator
	within  time.Duration
}

// judged looks for a resource among the servers at which the rules and settings let it be
// read. Where none of these has it, one is left in t: the first of those at which it asks or
// is denied, which is judged as any reading. answer is nil then.
func (s *search) judged(ctx context.Context, m mcpwire.Message, t target) (left target, answer []byte) {
	open, shut := t, t
	open.to, shut.to, open.likely = nil, nil, 0
	for i, to := range t.to {
		if s.judge.lets(ctx, m, to) {
			open.to = append(open.to, to)
			if i < t.likely {
				open.likely++
			}
			continue
		}
		shut.to = append(shut.to, to)
	}
	found := false
	if len(open.to) > 0 {
		answer, found = s.all(ctx, m, open)
	}
	if !found && len(shut.to) > 0 {
		shut.to = shut.to[:1]
		return shut, nil
	}
	return open, answer
}

// all asks the members of whom one may have it, in the time that members are waited for
// together, and gives the answer for the client: the one success, else the last refusal. found
// says whether a member had it.
func (s *search) all(ctx context.Context, m mcpwire.Message, t target) (answer []byte, found bool) {
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	var in session.Inbound
	if m.Method == mcpwire.Subscribe || m.Method == mcpwire.Unsubscribe {
		in = s.askInTurn(ctx, m, t)
	} else {
		in = s.askAtOnce(ctx, m, t)
	}
	if at, ok := mcpwire.Find(in.Raw, 0, "id"); ok {
		return mcpwire.Respell(in.Raw, map[mcpwire.Span][]byte{at: m.ID}), in.OK
	}
	return mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "none of the servers that may have %.200q answered", t.name)), false
}

// askAtOnce is for what changes nothing. The likely ones are asked before the others get to
// see the URI, which may hold a secret, as long as half of the time lasts; of several that
// have it the first is taken, by their order and not by their speed.
func (s *search) askAtOnce(ctx context.Context, m mcpwire.Message, t target) session.Inbound {
	head, stop := context.WithTimeout(ctx, s.within/2)
	defer stop()
	all := s.attempts(ctx, m, t, t.to[:t.likely])
	a := first(head, all)
	if a == nil || !a.in.OK {
		all = append(all, s.attempts(ctx, m, t, t.to[t.likely:])...)
		a = first(ctx, all)
	}
	switch {
	case a == nil:
		return session.Inbound{}
	case a.in.OK:
		s.locator.found(t.name, a.to)
	}
	return a.in
}

// attempts begins to ask several members.
func (s *search) attempts(ctx context.Context, m mcpwire.Message, t target, to []pair) (all []*attempt) {
	for _, p := range to {
		a := &attempt{to: p, done: make(chan struct{})}
		all = append(all, a)
		go func() {
			defer close(a.done)
			a.in = s.inquire(ctx, m, t, p)
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
func (s *search) askInTurn(ctx context.Context, m mcpwire.Message, t target) (last session.Inbound) {
	deadline, _ := ctx.Deadline()
	for i, p := range t.to {
		share, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(t.to)-i))
		in := s.inquire(share, m, t, p)
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
func (s *search) inquire(ctx context.Context, m mcpwire.Message, t target, to pair) session.Inbound {
	moved, p, bad := t.address(ctx, m, to, s.members)
	if bad != nil {
		return session.Inbound{}
	}
	settled := s.subs.noting(m.Method, t.name, to)
	var in session.Inbound
	var err error
	if permission.Judged(m.Method) {
		in, err = s.passing(ctx, p, moved)
	} else {
		in, err = p.answer(ctx, m.Method, moved.Params)
	}
	settled(err == nil && in.OK)
	return in
}

// passing lets one of several members answer a reading that may pass at once.
func (s *search) passing(ctx context.Context, p *peer, m mcpwire.Message) (session.Inbound, error) {
	read, bad := mcpwire.ReadAct(m)
	if bad != nil {
		return session.Inbound{}, bad
	}
	return s.host.Pass(ctx, p.s, m, read, func(raw []byte) (session.Inbound, error) {
		approved, bad := mcpwire.FromClient(raw)
		if bad != nil {
			return session.Inbound{}, bad
		}
		return p.answer(ctx, m.Method, approved.Params)
	})
}
