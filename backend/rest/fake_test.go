package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/proof"
)

// Tokens that the fake desk and its operator know.
const (
	tokenA  = "ska_A"
	tokenB  = "ska_B"
	tokenOp = "operator-token"
)

var rawInput = json.RawMessage(`{ "b":9007199254740993, "a":5.0, "html":"<&>" }`)

// fakeDesk answers every method with what a test put into it, and counts them.
type fakeDesk struct {
	mu      sync.Mutex
	counts  map[string]int
	fail    error // of every method but Authenticate
	agents  map[string]permission.Agent
	calls   map[permission.CallID]permission.Call
	created bool
	repeat  bool
	settled []permission.CallID
	known   []permission.Agent // what Agents gives
	gone    []permission.AgentID
	lookups int // of tokens
	book    []permission.Rule
	rule    permission.Rule
	rules   []permission.Rule
	servers []permission.Server
	events  []permission.Event
	after   int64    // what Events was asked for last
	refused []string // tries at rows for persons
	subs    map[chan permission.Event]bool
	buffer  int

	grants      []permission.Grant
	settings    permission.Settings
	findings    []permission.Finding
	preview     permission.Preview
	suggestions []permission.Suggestion
	widened     permission.Choices
	diff        permission.RuleDiff
	verdict     func(permission.Query) permission.Verdict

	query    permission.Query
	extended time.Duration
	resolved permission.Resolution
	released permission.RuleID
	ended    string // the run or session, and who ended it
	held     *bool
	doc      permission.RuleDocument
	mode     permission.ImportMode
	version  int64
	draft    permission.Draft
	before   *permission.RuleID
	accept   []permission.RuleID
	request  permission.Request
	claim    permission.ClaimRequest
	outcome  permission.Outcome
	answer   permission.Answer
	filter   permission.CallFilter
	form     permission.RuleForm
	ifMatch  permission.Time
	slow     time.Duration      // how long Ask takes
	slowFor  permission.AgentID // and for whom; "" is everyone
	missed   func()             // called before a subscription begins
	doubled  func()             // and after
	waiting  chan struct{}      // Wait sends when it begins
	wake     chan struct{}      // and ends when this is closed
}

func newFake() *fakeDesk {
	a, b := permission.Agent{ID: "agent-a", Name: "A"}, permission.Agent{ID: "agent-b", Name: "B"}
	f := &fakeDesk{
		counts: map[string]int{}, agents: map[string]permission.Agent{tokenA: a, tokenB: b}, calls: map[permission.CallID]permission.Call{},
		subs: map[chan permission.Event]bool{}, buffer: 256, waiting: make(chan struct{}, 8), wake: make(chan struct{}),
	}
	f.settings = permission.DefaultSettings()
	envelopeHash := "sha256:01"
	f.calls["call-a"] = permission.Call{ID: "call-a", Rev: 3, ShownRev: 3, Caller: permission.Caller{AgentID: a.ID, AgentName: a.Name},
		Method: permission.CallTool, Status: permission.Pending,
		Input: rawInput, InputHash: "sha256:00", Envelope: json.RawMessage(`{"task":{}}`), EnvelopeHash: &envelopeHash,
		Risk: permission.RiskMedium}
	f.calls["call-b"] = permission.Call{ID: "call-b", Rev: 1, ShownRev: 1, Caller: permission.Caller{AgentID: b.ID, AgentName: b.Name},
		Method: permission.CallTool,
		Status: permission.Pending,
		Risk:   permission.RiskLow,
		Input:  json.RawMessage(`{}`)}
	f.servers = []permission.Server{{ID: "far", Transport: permission.TransportHTTP, URL: "https://far.example/mcp", Enabled: true}}
	server := "filesystem"
	f.rule = permission.Rule{ID: "r1", ServerID: &server, Effect: permission.Deny, Priority: 7, UpdatedAt: 1_700_000_000_123,
		CreatedAt: 1_700_000_000_000, Enabled: true, Note: "no <b>", Examples: []permission.Example{}}
	return f
}

func (f *fakeDesk) did(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[what]++
	return f.fail
}

// touched counts the calls of all methods but Authenticate.
func (f *fakeDesk) touched() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, c := range f.counts {
		n += c
	}
	return n
}

func (f *fakeDesk) Prove(_ context.Context, key, nonce, address string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lookups++
	for token := range f.agents {
		if hash := proof.HashOf(token); hash.Key() == key {
			return hash.Of(nonce, address), nil
		}
	}
	return "", permission.NotFound("token")
}

func (f *fakeDesk) Authenticate(_ context.Context, token string) (permission.Agent, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lookups++
	a, ok := f.agents[token]
	if !ok {
		return a, permission.NotFound("agent")
	}
	return a, nil
}

func (f *fakeDesk) Evaluate(_ context.Context, q permission.Query) (permission.Verdict, error) {
	err := f.did("Evaluate")
	f.query = q
	if f.verdict != nil {
		return f.verdict(q), err
	}
	return permission.Verdict{Decision: permission.Ask, Explanation: permission.Said("no rule"), Risk: permission.RiskMedium}, err
}

func (f *fakeDesk) Sessions(_ context.Context, connected []permission.Session) ([]permission.Session, error) {
	own := permission.Session{ID: "t", AgentID: "agent-a", State: permission.SessionReview, Pending: 1, CreatedAt: 1, LastSeenAt: 2}
	return append([]permission.Session{own}, connected...), f.did("Sessions")
}

func (f *fakeDesk) NewCanary(_ context.Context, a permission.Agent) (permission.Canary, error) {
	return permission.Canary{Nonce: "nonce of " + string(a.ID)}, f.did("NewCanary")
}

func (f *fakeDesk) PendingMatches(context.Context, permission.RuleID) (int, error) {
	return 4, f.did("PendingMatches")
}

func (f *fakeDesk) Ask(ctx context.Context, a permission.Agent, r permission.Request) (permission.Call, bool, error) {
	f.mu.Lock()
	f.request = r
	f.mu.Unlock()
	if f.slow > 0 && (f.slowFor == "" || f.slowFor == a.ID) {
		select {
		case <-time.After(f.slow):
		case <-ctx.Done():
			return permission.Call{}, false, ctx.Err()
		}
	}
	c := permission.Call{ID: "new", Caller: permission.Caller{AgentID: a.ID}, Method: permission.CallTool,
		Status: permission.Pending, Risk: permission.RiskMedium, Input: r.Input}
	return c, f.created, f.did("Ask")
}

func (f *fakeDesk) Cancel(ctx context.Context, a permission.Agent, id permission.CallID, _ string) (permission.Call, error) {
	return f.own("Cancel", a, id)
}

func (f *fakeDesk) Claim(_ context.Context, a permission.Agent, id permission.CallID, r permission.ClaimRequest) (permission.Call, error) {
	f.claim = r
	return f.own("Claim", a, id)
}

func (f *fakeDesk) Finish(_ context.Context, a permission.Agent, id permission.CallID, o permission.Outcome) (permission.Call, error) {
	f.outcome = o
	return f.own("Finish", a, id)
}

func (f *fakeDesk) own(what string, a permission.Agent, id permission.CallID) (permission.Call, error) {
	return f.seen(what, permission.Party{Agent: &a}, id)
}

func (f *fakeDesk) seen(what string, who permission.Party, id permission.CallID) (permission.Call, error) {
	if err := f.did(what); err != nil {
		return permission.Call{}, err
	}
	c, ok := f.calls[id]
	if !ok || !who.Sees(c.AgentID) {
		return permission.Call{}, permission.NotFound("call")
	}
	return c, nil
}

func (f *fakeDesk) Call(_ context.Context, who permission.Party, id permission.CallID) (permission.Call, error) {
	return f.seen("Call", who, id)
}

func (f *fakeDesk) Wait(ctx context.Context, who permission.Party, id permission.CallID, rev int64) (permission.Call, error) {
	c, err := f.seen("Wait", who, id)
	if err != nil || c.Status != permission.Pending || (rev != 0 && rev != c.Rev) {
		return c, err
	}
	f.waiting <- struct{}{}
	select {
	case <-f.wake:
		c.Status, c.Rev = permission.Approved, c.Rev+1
	case <-ctx.Done():
		f.waiting <- struct{}{}
	}
	return c, nil
}

func (f *fakeDesk) List(_ context.Context, who permission.Party, filter permission.CallFilter) ([]permission.Call, int64, int64, error) {
	if !who.IsOperator() {
		filter.Agent = who.Agent.ID
	}
	f.filter = filter
	var out []permission.Call
	for _, c := range f.calls {
		if who.Sees(c.AgentID) {
			out = append(out, c)
		}
	}
	return out, 0, 42, f.did("Calls")
}

func (f *fakeDesk) Decide(_ context.Context, id permission.CallID,
	a permission.Answer) (permission.Call, []permission.CallID, bool, error) {
	f.answer = a
	c, err := f.seen("Decide", permission.Operator(), id)
	return c, f.settled, f.repeat, err
}

func (f *fakeDesk) Rules(context.Context) ([]permission.Rule, int64, error) {
	return f.listed(), 9, f.did("Rules")
}

// listed are the rules of the desk: those that a test put there, else one.
func (f *fakeDesk) listed() []permission.Rule {
	if f.book != nil {
		return f.book
	}
	return []permission.Rule{f.rule}
}

func (f *fakeDesk) Rule(_ context.Context, id permission.RuleID) (permission.Rule, error) {
	if id != f.rule.ID {
		return permission.Rule{}, permission.NotFound("rule")
	}
	return f.rule, f.did("Rule")
}

func (f *fakeDesk) ReplaceRules(_ context.Context, ifVersion int64, rules []permission.Rule) ([]permission.Rule, int64, error) {
	if ifVersion != 0 && ifVersion != 9 {
		return nil, 0, &permission.Error{Code: permission.CodeLostUpdate, Message: "the rules were changed meanwhile"}
	}
	f.rules = rules
	return rules, 10, f.did("ReplaceRules")
}

func (f *fakeDesk) CreateRule(_ context.Context, form permission.RuleForm) (permission.Rule, int, error) {
	f.form = form
	id := permission.RuleID("made")
	if form.ID != nil {
		id = *form.ID
	}
	r, err := form.Apply(permission.Rule{ID: id, UpdatedAt: 5})
	if err != nil {
		return r, 0, err
	}
	return r, 2, f.did("CreateRule")
}

func (f *fakeDesk) UpdateRule(_ context.Context, id permission.RuleID, ifMatch permission.Time,
	change func(*permission.RuleForm) error) (permission.Rule, int, error) {
	f.ifMatch = ifMatch
	if id != f.rule.ID {
		return permission.Rule{}, 0, permission.NotFound("rule")
	}
	if ifMatch != 0 && ifMatch != f.rule.UpdatedAt {
		return permission.Rule{}, 0, &permission.Error{Code: permission.CodeLostUpdate, Message: "the rule was changed meanwhile"}
	}
	form := f.rule.Form()
	if err := change(&form); err != nil {
		return f.rule, 0, err
	}
	f.form = form
	r, err := form.Apply(f.rule)
	if err != nil {
		return r, 0, err
	}
	return r, 1, f.did("UpdateRule")
}

func (f *fakeDesk) DeleteRule(_ context.Context, id permission.RuleID, ifMatch permission.Time) (permission.Rule, int, error) {
	f.ifMatch = ifMatch
	if id != f.rule.ID {
		return permission.Rule{}, 0, permission.NotFound("rule")
	}
	if ifMatch != 0 && ifMatch != f.rule.UpdatedAt {
		return f.rule, 0, &permission.Error{Code: permission.CodeLostUpdate, Message: "the rule was changed meanwhile"}
	}
	return f.rule, 0, f.did("DeleteRule")
}

func (f *fakeDesk) Servers(context.Context) ([]permission.Server, error) {
	return f.servers, f.did("Servers")
}

func (f *fakeDesk) Secrets() permission.SecretsNotice {
	return permission.SecretsNotice{Where: "/data/secrets.json"}
}

// ServerList and ReplaceServers are of a list whose version is "v9", whatever is done to
// it.
func (f *fakeDesk) ServerList(ctx context.Context) ([]permission.Server, string, error) {
	servers, err := f.Servers(ctx)
	return servers, "v9", err
}

func (f *fakeDesk) ReplaceServers(_ context.Context, ifVersion string, s []permission.Server) ([]permission.Server, string, error) {
	if ifVersion != "" && ifVersion != "v9" {
		return nil, "", &permission.Error{Code: permission.CodeLostUpdate, Message: "the servers were changed meanwhile"}
	}
	f.servers = s
	return s, "v9", f.did("ReplaceServers")
}

func (f *fakeDesk) CreateAgentOf(_ context.Context, name, _ string) (permission.Agent, string, error) {
	return permission.Agent{ID: "agent-c", Name: name}, "ska_C", f.did("CreateAgentOf")
}

func (f *fakeDesk) Agents(context.Context) ([]permission.Agent, error) {
	return f.known, f.did("Agents")
}

func (f *fakeDesk) DeleteAgent(_ context.Context, id permission.AgentID) error {
	if id == "unknown" {
		return permission.NotFound("agent")
	}
	return f.did("DeleteAgent")
}

func (f *fakeDesk) StopAgent(_ context.Context, id permission.AgentID) (permission.Stopped, error) {
	if id == "unknown" {
		return permission.Stopped{}, permission.NotFound("agent")
	}
	agent, err := f.stop(id, 9)
	return permission.Stopped{Agent: agent, Declined: 2, Revoked: 1, GrantsEnded: 3}, err
}

func (f *fakeDesk) ResumeAgent(_ context.Context, id permission.AgentID) (permission.Agent, error) {
	if id == "unknown" {
		return permission.Agent{}, permission.NotFound("agent")
	}
	return f.stop(id, 0)
}

// stop stops an agent until a time, or resumes it.
func (f *fakeDesk) stop(id permission.AgentID, until permission.Time) (permission.Agent, error) {
	err := f.did("StopAgent")
	f.mu.Lock()
	defer f.mu.Unlock()
	for token, a := range f.agents {
		if a.ID == id {
			a.StoppedUntil = until
			f.agents[token] = a
			return a, err
		}
	}
	return permission.Agent{ID: id, StoppedUntil: until}, err
}

func (f *fakeDesk) Entries(_ context.Context, after int64, limit int) ([]permission.Entry, int64, error) {
	return []permission.Entry{{Seq: after + 1, Kind: permission.CallCreated, Data: json.RawMessage(`{"a": 1.0}`)}}, after + int64(limit),
		f.did("Journal")
}

func (f *fakeDesk) Events(_ context.Context, after int64, limit int) ([]permission.Event, int64, error) {
	err := f.did("Events")
	f.mu.Lock()
	defer f.mu.Unlock()
	if after < math.MaxInt64 {
		f.after = after
	}
	var out []permission.Event
	last := int64(0)
	for _, e := range f.events {
		if e.Seq > after && len(out) < limit {
			out = append(out, e)
		}
		last = e.Seq
	}
	return out, last, err
}

func (f *fakeDesk) Subscribe() (<-chan permission.Event, func()) {
	if f.missed != nil {
		f.missed()
	}
	c := make(chan permission.Event, f.buffer)
	f.mu.Lock()
	f.subs[c] = true
	f.mu.Unlock()
	if f.doubled != nil {
		f.doubled()
	}
	return c, func() { f.drop(c) }
}

func (f *fakeDesk) drop(c chan permission.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs[c] {
		delete(f.subs, c)
		close(c)
	}
}

func (f *fakeDesk) subscribers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.subs)
}

// happen records events and tells those who listen, as a desk does: one whose
// buffer is full is dropped.
func (f *fakeDesk) happen(events ...permission.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, events...)
	for _, e := range events {
		for c := range f.subs {
			select {
			case c <- e:
			default:
				delete(f.subs, c)
				close(c)
			}
		}
	}
}

func (f *fakeDesk) NoteRefused(_ context.Context, agent permission.Agent, method, path string, count int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refused = append(f.refused, fmt.Sprint(agent.Name, " ", method, " ", path, " ", count))
	return nil
}

// tries are the refusals that were noted so far.
func (f *fakeDesk) tries() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.refused)
}

func (f *fakeDesk) Declined(context.Context) ([]permission.DeclinedTool, error) {
	return []permission.DeclinedTool{}, f.did("Declined")
}
