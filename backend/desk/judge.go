package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/broker"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
	"sekisho/backend/resume"
	"sekisho/backend/risk"
)

// Evaluate judges without keeping anything: what the rules say, hold included.
// Grants and denial memory are answers, not rules, and are not asked.
func (d *Calls) Evaluate(ctx context.Context, q permission.Query) (permission.Verdict, error) {
	input, hash, err := d.checkInput(q.ServerID, q.ToolName, q.Input)
	if err != nil {
		return permission.Verdict{}, err
	}
	env, err := d.checkEnvelope(q.Envelope)
	if err != nil {
		return permission.Verdict{}, err
	}
	issue := env.issue()
	if q.Continues {
		issue = ""
	}
	if q.Asker != nil {
		if q.SessionID, err = d.sessionOf(q.Asker, q.SessionID, ""); err != nil {
			return permission.Verdict{}, err
		}
	}
	rules, at := d.policy.inForce().PastHold(q.PastHold), d.Now()
	level, reasons := d.catalogue.risk(q.ServerID, q.Method, q.ToolName, input, q.Cwd, issue)
	asked := policy.Call{
		ServerID: q.ServerID, Method: q.Method, ToolName: q.ToolName, Input: input, Envelope: env.raw, Round: issue,
		Caller: q.Caller, Cwd: q.Cwd, Risk: level, Reasons: reasons,
	}
	if brake := d.policy.counts.Braked(&permission.Call{Caller: q.Caller, InputHash: hash}, at); brake != nil {
		asked.Count = &policy.Count{Brake: brake}
	}
	var decision policy.Decision
	var trace []permission.TraceStep
	if before := d.unruled(&asked, at); before != nil {
		decision = *before
	} else if q.Brief {
		decision = rules.Decide(asked, at)
	} else {
		decision, trace = rules.Trace(asked, at)
		decision = d.catalogue.walked(ctx, &asked, decision)
	}
	return permission.Verdict{
		Decision: decision.Effect, Explanation: decision.Explanation, Rule: decision.Rule, Risk: level, RiskReasons: reasons,
		InputHash: hash, EnvelopeHash: env.hash, PolicyVersion: rules.Version(), Trace: trace,
		Parts: append([]permission.PartVerdict{}, decision.Parts...), Conditional: decision.Conditional,
	}, nil
}

// judge turns a request into a call with its verdict, ready to keep, and gives the call
// that it is another round of; nil is none.
func (d *Calls) judge(ctx context.Context, agent permission.Agent,
	r permission.Request) (sus permission.Suspension, before *permission.Call, err error) {
	c, env, err := d.newCall(agent, r)
	if err != nil {
		return sus, nil, err
	}
	if before, err = d.earlier(ctx, &c, r.Continues); err != nil {
		return sus, nil, err
	}
	if before == nil {
		c.Round = env.issue()
	}
	c.Risk, c.RiskReasons = d.catalogue.risk(c.ServerID, c.Method, c.ToolName, c.Input, c.Cwd, c.Round)
	if c.Round == "" && r.Again {
		c.Round = permission.UnknownRepeat
	}
	rules, settings := d.policy.inForce(), d.policy.settings.Load()
	asked := subject(&c)
	if brake := d.policy.counts.Braked(&c, c.CreatedAt); brake != nil {
		asked.Count = &policy.Count{Brake: brake}
	}
	decision := d.catalogue.walked(ctx, &asked, d.decide(rules, asked, c.CreatedAt))
	c.Why = because(&c, decision, d.catalogue.changed(&c))
	switch {
	case r.Stateless:
		c.OnlyOnce = permission.OnceCaller
	case env.bound():
		c.OnlyOnce = permission.OnceEnvelope
	}
	settle(&c, decision, patience(settings.Deadline(c.Risk), r.Timeout))
	if c.Status == permission.Pending {
		c.Asking = *d.asking(&c, decision)
		c.Sight = *d.catalogue.sightOf(&c)
	}
	return permission.Suspension{
		Call: c, PolicyVersion: rules.Version(), MaxPending: int(settings.Limits.PendingPerAgent), Entries: arrival(&c),
		Hold: d.policy.held(), Claim: r.Claim, Places: decision.Places, Joins: r.Joins, Unnamed: r.ToolCallID == "",
	}, before, nil
}

// asking is how a call asks by a decision about it. What its caller brings, or cannot bring,
// stays a reason to answer it once only.
func (d *Calls) asking(c *permission.Call, decision policy.Decision) *permission.Asking {
	class, once := policy.ClassOf(new(subject(c)), risk.Parts(d.catalogue.riskCall(c.ServerID, c.ToolName, c.Input, c.Cwd)))
	if j, _ := d.catalogue.inWorkspace(c.ServerID, c.Method, c.ToolName, c.Input); j.Once && once == "" {
		once = permission.OnceCode
	}
	a := permission.Asking{Class: class, OnlyOnce: once, Questions: append([]string{}, decision.Asked...)}
	switch {
	case c.Risk == permission.RiskHigh:
		a.OnlyOnce = permission.OnceHigh
	case once != "":
	case c.ResumeSchema != nil:
		a.OnlyOnce = permission.OnceData
	case c.OnlyOnce == permission.OnceCaller || c.OnlyOnce == permission.OnceEnvelope:
		a.OnlyOnce = c.OnlyOnce
	case decision.Alone || d.catalogue.withheld(c).Reason != "":
		a.OnlyOnce = permission.OnceAlone
	}
	return &a
}

// risk judges how careful to be with a call, by what its server has said of the tool too,
// and by what is wrong with its round. Of a resource or a prompt nothing is known but its
// name, which a server chooses.
func (d *Catalogue) risk(server *string, method, tool string, input json.RawMessage, cwd *string,
	issue permission.RoundIssue) (permission.Risk, []permission.RiskReason) {
	level, reasons := permission.RiskMedium, []permission.RiskReason{risk.Reason(permission.RiskUnknownTool, "", nil)}
	if j, s := d.inWorkspace(server, method, tool, input); s != nil {
		level, reasons = j.Level, j.Reasons
	} else if permission.AboutTool(method) {
		level, reasons = risk.Judge(d.riskCall(server, tool, input, cwd))
	}
	if issue != "" {
		if level != permission.RiskHigh {
			reasons = nil
		}
		why := risk.Reason(permission.RiskRound, permission.Param("kind", string(issue)), nil)
		why.Text = policy.RoundReason(issue)
		return permission.RiskHigh, append(reasons, why)
	}
	return level, reasons
}

// riskCall is a call of a tool as its risk is judged.
func (d *Catalogue) riskCall(server *string, tool string, input json.RawMessage, cwd *string) risk.Call {
	c := risk.Call{Tool: tool, Input: input}
	if server != nil {
		b := d.tools.Load()
		c.Server, c.Hint, c.Level = *server, b.Destructive(*server, tool), b.Level(*server, tool)
	}
	if cwd != nil {
		c.Cwd = *cwd
	}
	return c
}

// newCall is the call as its caller states it, with its hashes.
func (d *Calls) newCall(agent permission.Agent, r permission.Request) (c permission.Call, env envelope, err error) {
	notChecked, err := resume.CheckRequest(&r)
	if err != nil {
		return c, env, err
	}
	input, hash, err := d.checkInput(r.ServerID, r.ToolName, r.Input)
	if err != nil {
		return c, env, err
	}
	if env, err = d.checkEnvelope(r.Envelope); err != nil {
		return c, env, err
	}
	asked, err := rawjson.AskedHash(beside(r.Method), hash, env.raw)
	if err != nil {
		return c, env, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return c, env, fmt.Errorf("name call: %w", err)
	}
	if r.SessionID, err = d.sessionOf(&agent, r.SessionID, r.RunID); err != nil {
		return c, env, err
	}
	if r.ToolCallID == "" {
		if r.ToolCallID, err = unnamed(r.SessionID, r.ToolName, input); err != nil {
			return c, env, err
		}
	}
	c = permission.Call{
		ID: permission.CallID(id.String()), Rev: 1, ShownRev: 1, RunID: r.RunID, ToolCallID: r.ToolCallID,
		Caller:   permission.Caller{SessionID: r.SessionID, AgentID: agent.ID, AgentName: agent.Name, Subagent: r.Subagent},
		ServerID: r.ServerID, Method: cmp.Or(r.Method, permission.CallTool), ToolName: r.ToolName,
		Input: input, InputHash: hash, Envelope: env.raw, EnvelopeHash: env.hash, Asked: asked,
		Description: r.Description, Cwd: r.Cwd, CreatedAt: d.Now(), PatienceUntil: r.Patience, Timeout: r.Timeout, Held: r.Held,
		ResumeSchema: r.ResumeSchema, ResumeRequired: r.ResumeRequired, InputFixed: r.InputFixed,
		Why: permission.Why{NotChecked: notChecked},
	}
	return c, env, nil
}

// sessionOf is the session of a request: that whose token its agent came with, else the one that it
// names, else its run. In one that the desk made nobody asks without its token.
func (d *Calls) sessionOf(agent *permission.Agent, said permission.SessionID, run permission.RunID) (permission.SessionID, error) {
	own := cmp.Or(agent.Session, said, permission.SessionID(run))
	_, made := d.opts.Standings.Made(agent.ID, own)
	if made && agent.Session == "" || agent.Session != "" && said != "" && said != agent.Session {
		return "", permission.Invalid("sessionId", permission.FieldSessionToken, "this session is that of another token")
	}
	return own, nil
}

// unnamed is the ToolCallID of a call whose caller has none, without its number.
func unnamed(session permission.SessionID, tool string, input json.RawMessage) (string, error) {
	hash, err := rawjson.Hash(new(string(session)), tool, input)
	if err != nil {
		return "", fmt.Errorf("name call: %w", err)
	}
	const digits = 32
	return permission.UnnamedPrefix + strings.TrimPrefix(hash, "sha256:")[:digits], nil
}

// beside is a method where it is another than that of tool calls, and else "".
func beside(method string) string {
	if method == permission.CallTool {
		return ""
	}
	return method
}

// settle writes the verdict into the call: what the machine allows or denies is
// decided here, the rest waits, for ever when wait is 0.
func settle(c *permission.Call, decision policy.Decision, wait time.Duration) {
	c.Status = permission.Pending
	c.ExpiresAt = deadline(c.CreatedAt, wait)
	if decision.Effect == permission.Ask {
		return
	}
	c.Status, c.ExpiresAt = permission.Denied, 0
	c.Decision = ruled(decision, c.CreatedAt)
	switch {
	case decision.Effect == permission.Allow:
		c.Status, c.ExpiresAt = permission.Approved, c.CreatedAt.Add(broker.ClaimWithin)
	case c.ByStop():
		c.Status = permission.Declined
	}
}

// ruled is the decision of a rule, of the guard that denies what no rule could be
// held against, or of the person who stopped the agent.
func ruled(decision policy.Decision, at permission.Time) *permission.Decision {
	d := &permission.Decision{By: permission.ByGuard, Approved: decision.Effect == permission.Allow,
		Explanation: decision.Explanation, Scope: permission.ScopeOnce, DecidedAt: at}
	for _, p := range decision.Places {
		d.Places = append(d.Places, p.Rule)
	}
	switch {
	case decision.Rule != nil:
		d.By, d.RuleID = permission.ByRule, &decision.Rule.ID
	case decision.Code == permission.ReasonAgentStopped:
		d.By = permission.ByPerson
	}
	return d
}

// judgeOf is the journal's name for what decided.
func judgeOf(d *permission.Decision) string {
	if d.RuleID == nil {
		return permission.ActorDesk
	}
	return "rule:" + string(*d.RuleID)
}

func deadline(at permission.Time, wait time.Duration) permission.Time {
	if wait == 0 {
		return 0
	}
	return at.Add(wait)
}

// patience is how long a call waits for a person, 0 being for ever; a caller may
// only shorten it.
func patience(own, timeout time.Duration) time.Duration {
	if timeout == 0 || own != 0 && timeout > own {
		return own
	}
	return max(timeout, time.Millisecond)
}

// arrival is what the journal says of a new call.
func arrival(c *permission.Call) []permission.Entry { return continuation(c, "") }

// continuation is arrival of a call that continues another one; "" is none.
func continuation(c *permission.Call, continues permission.CallID) []permission.Entry {
	told := map[string]any{
		"agentName": c.AgentName, "serverId": c.ServerID, "toolName": c.ToolName, "inputHash": c.InputHash, "runId": c.RunID,
		"toolCallId": c.ToolCallID, "sessionId": c.SessionID, "why": c.Why, "risk": c.Risk, "riskReasons": c.RiskReasons, "status": c.Status,
	}
	if c.Subagent != nil {
		told["agentSubagent"] = c.Subagent
	}
	if c.Method != permission.CallTool {
		told["method"] = c.Method
	}
	if c.EnvelopeHash != nil {
		told["envelopeHash"], told["envelopeMembers"] = c.EnvelopeHash, envelopeNames(c.Envelope)
	}
	if continues != "" {
		told["continues"] = continues
	}
	created := permission.Entry{At: c.CreatedAt, Kind: permission.CallCreated, Actor: "agent:" + string(c.AgentID),
		Data: permission.Data(told)}
	if c.Decision == nil {
		return []permission.Entry{created}
	}
	said := map[string]any{"status": c.Status, "reason": c.Decision.Reason}
	if c.Decision.Places != nil {
		said["places"] = c.Decision.Places
	}
	if c.Decision.Remembered != nil {
		said["remembered"], said["count"] = c.Decision.Remembered, c.Decision.Count
	}
	return []permission.Entry{created,
		{At: c.CreatedAt, Kind: permission.CallDecided, Actor: judgeOf(c.Decision), Data: permission.Data(said)}}
}
