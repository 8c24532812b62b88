package hook

import (
	"context"
	"sync"
	"time"

	"sekisho/backend/permission"
)

// passes are the calls that were left to the gateway, which asks about them, and the servers
// whose calls did not come there. It is safe for use by many goroutines.
type passes struct {
	mu     sync.Mutex
	under  map[pass]int           // calls on their way
	strays map[serverKey]struct{} // of these servers the hook asks
	ended  context.Context
	end    context.CancelFunc
	busy   sync.WaitGroup
}

type serverKey struct {
	agent  permission.AgentID
	server string
}

type pass struct {
	serverKey
	tool string
}

func (p *passes) open() {
	p.under, p.strays = map[pass]int{}, map[serverKey]struct{}{}
	p.ended, p.end = context.WithCancel(context.Background())
}

func (p *passes) close() {
	p.end()
	p.busy.Wait()
}

// passed reports whether a call is one that the gateway will ask about: its entry leads
// through this desk, and the agent is connected.
func (d *Door) passed(a *attempt) bool {
	if a.q.server == nil || a.q.follows {
		return false
	}
	server, tool, ok := a.known().leads(&a.q)
	if !ok || d.opts.Connected == nil || !d.opts.Connected(a.agent.ID, server) {
		return false
	}
	key := serverKey{a.agent.ID, server}
	p := &d.passes
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, stray := p.strays[key]; stray || p.ended.Err() != nil {
		return false
	}
	way := pass{key, tool}
	p.under[way]++
	p.busy.Go(func() { d.watch(a, way) })
	return true
}

// Arrived hears of a call that came to the gateway.
func (d *Door) Arrived(agent permission.AgentID, server, tool string) {
	p := &d.passes
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take(pass{serverKey{agent, server}, tool})
}

// take takes one call off those on their way; false is none left.
func (p *passes) take(way pass) bool {
	n := p.under[way]
	switch {
	case n == 0:
		return false
	case n == 1:
		delete(p.under, way)
	default:
		p.under[way]--
	}
	return true
}

// watch waits for a call to arrive, and has the hook ask about those of its server from then
// on where it does not.
func (d *Door) watch(a *attempt, way pass) {
	late := time.NewTimer(d.opts.Arrive)
	defer late.Stop()
	select {
	case <-late.C:
	case <-d.passes.ended.Done():
		return
	}
	d.passes.mu.Lock()
	lost := d.passes.take(way)
	if lost {
		d.passes.strays[way.serverKey] = struct{}{}
	}
	d.passes.mu.Unlock()
	if !lost {
		return
	}
	if err := d.desk.NeverArrived(context.Background(), a.agent, a.client, way.server, way.tool); err != nil {
		d.opts.Logger.Error("keep that a call did not arrive", "server", way.server, "error", err)
	}
}
