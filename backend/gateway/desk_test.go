package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// memory is a desk in memory with the semantics of the real one. Tools named in
// allow or deny are decided at once; all others wait for decide. Readings are allowed where
// they are not named in deny.
type memory struct {
	mu       sync.Mutex
	servers  map[string]permission.Server
	allow    map[string]bool
	deny     map[string]string
	closed   map[string]bool
	seen     map[string]string // tools by their names, as they were listed
	calls    []*permission.Call
	changed  chan struct{} // closed at each change
	asking   func()        // happens during Ask
	refuse   error         // of Ask
	claimed  error         // of Claim
	recall   bool          // the next Claim finds that the call waits again
	granted  bool          // what is allowed is so by a grant: it is claimed in a second step
	broken   error         // of Finish
	patience map[string]time.Duration
}

func newMemory() *memory {
	return &memory{servers: map[string]permission.Server{}, allow: map[string]bool{}, deny: map[string]string{}, seen: map[string]string{},
		changed: make(chan struct{})}
}

// touch is called with the lock held after a change of c.
func (d *memory) touch(c *permission.Call) permission.Call {
	c.Rev++
	close(d.changed)
	d.changed = make(chan struct{})
	return *c
}

func (d *memory) find(id permission.CallID) *permission.Call {
	for _, c := range d.calls {
		if c.ID == id {
			return c
		}
	}
	return &permission.Call{}
}

func (d *memory) Server(_ context.Context, id string) (permission.Server, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.servers[id]
	if !ok {
		return s, permission.NotFound("server")
	}
	return s, nil
}

func (d *memory) Evaluate(_ context.Context, q permission.Query) (permission.Verdict, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := permission.Verdict{Decision: permission.Ask}
	if _, denied := d.deny[q.ToolName]; denied {
		v.Decision = permission.Deny
	} else if d.allow[q.ToolName] || !permission.AboutTool(q.Method) {
		v.Decision = permission.Allow
	}
	return v, nil
}

func (d *memory) Ask(ctx context.Context, agent permission.Agent, r permission.Request) (permission.Call, bool, error) {
	if d.asking != nil {
		d.asking()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuse != nil || ctx.Err() != nil {
		return permission.Call{}, false, errors.Join(d.refuse, ctx.Err())
	}
	if err := rawjson.Check(r.Input, rawjson.MaxInputDepth); err != nil {
		return permission.Call{}, false, &permission.Error{Code: permission.CodeMalformed, Message: err.Error(), Field: "input"}
	}
	hash, err := rawjson.Hash(r.ServerID, r.ToolName, r.Input)
	if err != nil {
		return permission.Call{}, false, err
	}
	open := []permission.Status{permission.Pending, permission.Approved, permission.Declined}
	for _, c := range d.calls {
		if c.AgentID == agent.ID && c.InputHash == hash && c.CallerGone && slices.Contains(open, c.Status) {
			c.CallerGone = false
			return d.touch(c), false, nil
		}
	}
	c := &permission.Call{ID: permission.CallID(fmt.Sprintf("call-%d", len(d.calls)+1)), RunID: r.RunID, ToolCallID: r.ToolCallID,
		Caller: permission.Caller{SessionID: r.SessionID, AgentID: agent.ID}, ServerID: r.ServerID, Method: r.Method,
		ToolName: r.ToolName, Input: slices.Clone(r.Input), InputHash: hash,
		Envelope: slices.Clone(r.Envelope), EnvelopeHash: envelopeHash(r.Envelope), Status: permission.Pending, Held: r.Held,
		PatienceUntil: r.Patience, ResumeSchema: r.ResumeSchema, ResumeRequired: r.ResumeRequired}
	if d.allow[r.ToolName] || !permission.AboutTool(r.Method) {
		c.Status = permission.Approved
		if r.Claim != nil && !d.granted {
			claim := permission.ClaimID("claim of " + c.ID)
			c.Status, c.ClaimID, c.ClaimKey = permission.Claimed, &claim, r.Claim.Key
		}
	}
	if why, ok := d.deny[r.ToolName]; ok {
		c.Status, c.Decision = permission.Denied, &permission.Decision{By: permission.ByRule, Explanation: permission.Said(why)}
	}
	d.calls = append(d.calls, c)
	return d.touch(c), true, nil
}

func (d *memory) OnHold() bool { return false }

func (d *memory) Standing(permission.AgentID, permission.SessionID) permission.Standing {
	return permission.Standing{}
}

// Usable lets every tool be used but those that are closed.
func (d *memory) Usable(_ permission.Agent, _, tool string) bool { return !d.closed[tool] }

func (d *memory) Wait(ctx context.Context, who permission.Party, id permission.CallID, rev int64) (permission.Call, error) {
	for {
		d.mu.Lock()
		c, changed := *d.find(id), d.changed
		d.mu.Unlock()
		switch {
		case !who.Sees(c.AgentID):
			return c, permission.NotFound("call")
		case c.Status != permission.Pending, rev != 0 && c.Rev != rev, ctx.Err() != nil:
			return c, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

func (d *memory) Leave(ctx context.Context, agent permission.Agent, id permission.CallID) (permission.Call, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.find(id)
	open := []permission.Status{permission.Pending, permission.Approved, permission.Declined}
	if ctx.Err() != nil || c.AgentID != agent.ID || c.CallerGone || !slices.Contains(open, c.Status) {
		return *c, ctx.Err()
	}
	c.CallerGone = true
	return d.touch(c), nil
}

func (d *memory) Claim(ctx context.Context, agent permission.Agent, id permission.CallID,
	r permission.ClaimRequest) (permission.Call, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.find(id)
	if d.claimed != nil {
		return *c, d.claimed
	}
	if d.recall {
		d.recall, c.Status, c.Decision = false, permission.Pending, nil
		again := d.touch(c)
		return again, &permission.Error{Code: permission.CodeNotApproved, Message: "the rules no longer allow this call", Call: &again}
	}
	if ctx.Err() != nil || c.AgentID != agent.ID || c.CallerGone || c.Status != permission.Approved || c.InputHash != r.InputHash ||
		r.Claimant == "" || r.Key == "" {
		return *c, &permission.Error{Code: permission.CodeNotApproved, Message: "the call is " + string(c.Status), Call: c}
	}
	claim := permission.ClaimID("claim of " + c.ID)
	c.Status, c.ClaimID, c.ClaimKey = permission.Claimed, &claim, r.Key
	return d.touch(c), nil
}

func (d *memory) Finish(ctx context.Context, agent permission.Agent, id permission.CallID,
	out permission.Outcome) (permission.Call, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.find(id)
	if d.broken != nil || ctx.Err() != nil {
		return *c, errors.Join(d.broken, ctx.Err())
	}
	if c.AgentID != agent.ID || c.Status != permission.Claimed || out.ClaimID != *c.ClaimID || !json.Valid(out.Output) {
		return *c, &permission.Error{Code: permission.CodeResultConflict}
	}
	c.Status, c.Result = permission.Failed, out.Output
	if out.OK {
		c.Status = permission.Completed
	}
	return d.touch(c), nil
}

func (d *memory) Doubt(ctx context.Context, agent permission.Agent, id permission.CallID,
	claim permission.ClaimID) (permission.Call, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.find(id)
	if d.broken != nil || ctx.Err() != nil {
		return *c, errors.Join(d.broken, ctx.Err())
	}
	if c.AgentID != agent.ID || c.Status != permission.Claimed || claim != *c.ClaimID {
		return *c, &permission.Error{Code: permission.CodeResultConflict}
	}
	c.Status = permission.InDoubt
	return d.touch(c), nil
}

func (d *memory) Answerable(context.Context, permission.CallID) error { return d.broken }

func (d *memory) ClientPatience(name string) (time.Duration, bool) {
	set, ok := d.patience[name]
	return set, ok
}

func (d *memory) LeaveSession(context.Context, permission.AgentID, permission.SessionID) error {
	return nil
}

// decide is the person.
func (d *memory) decide(id permission.CallID, to permission.Status, reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.find(id)
	c.Status = to
	c.Decision = &permission.Decision{By: permission.ByPerson, Approved: to == permission.Approved, Explanation: permission.Said(reason)}
	d.touch(c)
}

// answer is the person who says yes with data; "" is none.
func (d *memory) answer(id permission.CallID, data string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.find(id)
	if c.Status = permission.Approved; data != "" {
		c.ResumeData = json.RawMessage(data)
	}
	d.touch(c)
}

// edit is the person who writes another input.
func (d *memory) edit(id permission.CallID, input string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.find(id)
	c.Original = &permission.Edit{Input: c.Input, InputHash: c.InputHash}
	c.Input = json.RawMessage(input)
	c.InputHash, _ = rawjson.Hash(c.ServerID, c.ToolName, c.Input)
	c.Status = permission.Approved
	d.touch(c)
}

// await waits until some call fulfils the condition, and gives it.
func (d *memory) await(t *testing.T, what string, is func(permission.Call) bool) permission.Call {
	t.Helper()
	limit := time.After(10 * time.Second)
	for {
		d.mu.Lock()
		changed := d.changed
		for _, c := range d.calls {
			if is(*c) {
				d.mu.Unlock()
				return *c
			}
		}
		d.mu.Unlock()
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("no call %s: %s", what, d)
		}
	}
}

func (d *memory) awaitStatus(t *testing.T, s permission.Status) permission.Call {
	t.Helper()
	return d.await(t, "is "+string(s), func(c permission.Call) bool { return c.Status == s })
}

func (d *memory) awaitGone(t *testing.T) permission.Call {
	t.Helper()
	return d.await(t, "was left", func(c permission.Call) bool { return c.CallerGone })
}

func (d *memory) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := ""
	for _, c := range d.calls {
		s += fmt.Sprintf("[%s %s %s gone=%v] ", c.ID, c.ToolName, c.Status, c.CallerGone)
	}
	return s
}

// envelopeHash is that of a call; nil is none.
func envelopeHash(envelope []byte) *string {
	if envelope == nil {
		return nil
	}
	hash, err := rawjson.EnvelopeHash(envelope)
	if err != nil {
		panic(err)
	}
	return &hash
}
