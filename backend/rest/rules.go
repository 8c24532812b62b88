package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Rules shows the rules and changes them.
type Rules interface {
	Rules(ctx context.Context) (rules []permission.Rule, policyVersion int64, err error)
	Rule(ctx context.Context, id permission.RuleID) (permission.Rule, error)
	ReplaceRules(ctx context.Context, ifVersion int64, rules []permission.Rule) (stored []permission.Rule, policyVersion int64, err error)
	MoveRule(ctx context.Context, id permission.RuleID, before *permission.RuleID,
		ifVersion int64) (stored []permission.Rule, policyVersion int64, err error)
	CreateRule(ctx context.Context, form permission.RuleForm) (rule permission.Rule, pendingMatches int, err error)
	UpdateRule(ctx context.Context, id permission.RuleID, ifMatch permission.Time,
		change func(*permission.RuleForm) error) (rule permission.Rule, pendingMatches int, err error)
	DeleteRule(ctx context.Context, id permission.RuleID, ifMatch permission.Time) (rule permission.Rule, pendingMatches int, err error)
}

// ruleRows are those of rules, and of what is to be known of them before they are saved.
type ruleRows struct {
	rules  Rules
	review Review
	judge  Judge
	agents Agents
	now    func() time.Time
}

func (h *ruleRows) addRules(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /v1/rules", ID: "listRules", Who: restwire.Operators,
		Summary: "List the rules in the order of judgement"}, h.listRules)
	restwire.Register(a, restwire.Row{Route: "POST /v1/rules", ID: "createRule", Who: restwire.Operators, Status: http.StatusCreated,
		Summary: "Add a rule",
		About:   "pendingMatches counts the calls waiting that the rule decides. They keep waiting, unless it denies: then they are settled, and counted all the same."}, h.createRule)
	restwire.Register(a, restwire.Row{Route: "PUT /v1/rules", ID: "replaceRules", Who: restwire.Operators,
		Summary: "Put these rules in the place of all", About: "If-Match with the quoted policyVersion guards against lost updates."},
		h.replaceRules)
	restwire.Register(a, restwire.Row{Route: "POST /v1/rules/move", ID: "moveRule", Who: restwire.Operators,
		Summary: "Put a rule right before another in the order of judgement",
		About:   "All other rules keep their order, and as few priorities change as can be. A policyVersion that was seen guards against lost updates."}, h.moveRule)
	restwire.Register(a, restwire.Row{Route: "GET /v1/rules/{id}", ID: "getRule", Who: restwire.Operators,
		Summary: "Show a rule"}, h.getRule)
	restwire.Register(a, restwire.Row{Route: "PATCH /v1/rules/{id}", ID: "updateRule", Who: restwire.Operators,
		Summary: "Change the given fields of a rule",
		About:   "If-Match with the quoted updatedAt guards against lost updates. pendingMatches is as for a new rule."}, h.updateRule)
	restwire.Register(a, restwire.Row{Route: "DELETE /v1/rules/{id}", ID: "deleteRule", Who: restwire.Operators, Status: http.StatusOK,
		Summary: "Delete a rule",
		About:   "Answers the rule as it was. pendingMatches is 0: a rule that is gone decides nothing. A stored rule that is damaged, and so in no list, goes too: what is answered then is its id, and a note that says what was wrong."}, h.deleteRule)
}

// ruleForm is a rule as a caller may write it: what CONTRACT section 2 lists,
// all of it optional. A rule that was read can be written back as it is.
type ruleForm struct {
	ID          string        `json:"id,omitempty" doc:"letters, digits, dots, dashes and underscores, at most 64; it does not change"`
	ServerID    *string       `json:"serverId,omitempty" nullable:"true" doc:"null is any; at most 256 bytes, and not empty"`
	Method      *string       `json:"method,omitempty" nullable:"true" enum:"tools/call,resources/read,resources/subscribe,prompts/get" doc:"what of MCP the rule is about; null is every one of these in a deny rule, and tool calls alone in an ask or allow rule"`
	ToolName    *string       `json:"toolName,omitempty" nullable:"true" doc:"of resources/read and resources/subscribe the URI, of prompts/get the prompt's name; null is any; at most 256 bytes, and not empty"`
	ToolPattern *string       `json:"toolPattern,omitempty" nullable:"true" doc:"* is any run of characters; not used when toolName is set; null is any; at most 256 bytes, and not empty"`
	AutoApprove bool          `json:"autoApprove,omitempty" doc:"true is the effect allow; false is ask, and leaves deny as it is"`
	Effect      string        `json:"effect,omitempty" enum:"allow,ask,deny" doc:"left out, autoApprove says it; 422 if they disagree"`
	Priority    int64         `json:"priority,omitempty" doc:"higher goes first; a 32-bit number"`
	Condition   *string       `json:"condition,omitempty" nullable:"true" doc:"CEL over input, envelope, serverId, method, toolName, sessionId, agent and cwd; null is none; at most 4 KiB, and not empty"`
	Enabled     bool          `json:"enabled,omitempty" doc:"true when left out of a new rule"`
	Note        string        `json:"note,omitempty" doc:"the reason of a deny; at most 4 KiB"`
	ExpiresAt   *string       `json:"expiresAt,omitempty" nullable:"true" format:"date-time" doc:"when it ends; null is never"`
	Limit       *limitForm    `json:"limit,omitempty" nullable:"true" doc:"how many calls the rule allows in a sliding window, over all agents; beyond it the rule does not apply. Of an allow rule only; null is none"`
	Examples    []exampleForm `json:"examples,omitempty" doc:"calls, and what the rules must decide of them"`

	CreatedAt *string `json:"createdAt,omitempty" nullable:"true" format:"date-time" doc:"of a new rule, or of one in a list: it orders rules of equal priority and effect; null is now, or as it was; it does not change"`
	UpdatedAt *string `json:"updatedAt,omitempty" nullable:"true" format:"date-time" readOnly:"true" doc:"not taken"`
	Hits      int64   `json:"hits,omitempty" readOnly:"true" doc:"not taken"`
	LastHitAt *string `json:"lastHitAt,omitempty" nullable:"true" format:"date-time" readOnly:"true" doc:"not taken"`
}

// limitForm is how many calls are allowed in a sliding window of time, or null.
type limitForm struct{}

// Schema is an object of two numbers, or null, which huma cannot say of a type.
func (limitForm) Schema(huma.Registry) *huma.Schema {
	number := func(about string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: about}
	}
	s := &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: false, Required: []string{"calls", "seconds"},
		Properties: map[string]*huma.Schema{"calls": number("from 1 to 1000000; of the brake to 10000"),
			"seconds": number("from 1 to 2592000, which is 30 days; of the brake to 3600")}}
	s.PrecomputeMessages()
	return s
}

// exampleForm is a call as evaluate takes it, with the decision that it must have.
type exampleForm struct {
	ServerID  *string         `json:"serverId,omitempty" nullable:"true"`
	Method    string          `json:"method,omitempty" enum:"tools/call,resources/read,resources/subscribe,prompts/get" doc:"tools/call where it is left out"`
	ToolName  string          `json:"toolName"`
	Input     json.RawMessage `json:"input,omitempty" doc:"any JSON, at most 16 KiB; left out, it is {}"`
	SessionID string          `json:"sessionId,omitempty"`
	AgentID   string          `json:"agentId,omitempty"`
	AgentName string          `json:"agentName,omitempty"`
	Subagent  *string         `json:"agentSubagent,omitempty" nullable:"true"`
	Cwd       *string         `json:"cwd,omitempty" nullable:"true"`
	Decision  string          `json:"decision" enum:"allow,ask,deny"`
}

// lay writes the fields that a document has over a form, and nothing into what
// the form points to.
func lay(d restwire.Part[ruleForm], over *permission.RuleForm) error {
	f := *over
	f.ServerID, f.Method, f.ToolName, f.ToolPattern, f.Condition = copied(f.ServerID), copied(f.Method), copied(f.ToolName),
		copied(f.ToolPattern), copied(f.Condition)
	f.Limit, f.Examples = f.Limit.Copy(), slices.Clone(f.Examples)
	if err := checkTimes(d.Raw); err != nil {
		return err
	}
	var said struct{ Limit *permission.Limit } // on its own, so that a null in it is nothing, and not what the rule had
	if err := errors.Join(json.Unmarshal(d.Raw, &f), json.Unmarshal(d.Raw, &said)); err != nil {
		return permission.Invalid("", permission.FieldUnreadable, "the rule is not readable")
	}
	if said.Limit != nil {
		f.Limit = said.Limit
	}
	*over = f
	return nil
}

// checkTimes names the first time of a rule that is none, be it one that is not taken.
func checkTimes(rule json.RawMessage) error {
	var said struct{ CreatedAt, UpdatedAt, ExpiresAt, LastHitAt *string }
	if err := json.Unmarshal(rule, &said); err != nil {
		return permission.Invalid("", permission.FieldUnreadable, "the rule is not readable")
	}
	for _, f := range []struct {
		field string
		text  *string
	}{{"createdAt", said.CreatedAt}, {"updatedAt", said.UpdatedAt}, {"expiresAt", said.ExpiresAt}, {"lastHitAt", said.LastHitAt}} {
		if f.text == nil {
			continue
		}
		if err := new(permission.Time).UnmarshalText([]byte(*f.text)); err != nil {
			return permission.Invalid(f.field, permission.FieldUnreadable, err.Error())
		}
	}
	return nil
}

func copied(s *string) *string {
	if s == nil {
		return nil
	}
	c := *s
	return &c
}

type ruleOut struct {
	ETag string `header:"ETag" doc:"updatedAt in quotes, for If-Match"`
	Body struct {
		Rule           permission.Rule `json:"rule"`
		PendingMatches int             `json:"pendingMatches" doc:"calls waiting that the rule decides, those that an edit of it settled included"`
	}
}

func ruleAnswer(r permission.Rule, pendingMatches int, err error) (*ruleOut, error) {
	out := &ruleOut{ETag: `"` + r.UpdatedAt.String() + `"`}
	out.Body.Rule, out.Body.PendingMatches = r, pendingMatches
	return out, err
}

type rulesBody struct {
	Rules         []permission.Rule `json:"rules"`
	PolicyVersion int64             `json:"policyVersion"`
}

type rulesOut struct {
	ETag string `header:"ETag" doc:"policyVersion in quotes, for If-Match"`
	Body rulesBody
}

func rulesAnswer(rules []permission.Rule, version int64, err error) (*rulesOut, error) {
	return &rulesOut{ETag: `"` + strconv.FormatInt(version, 10) + `"`, Body: rulesBody{list(rules), version}}, err
}

func (h *ruleRows) listRules(ctx context.Context, _ *struct{}) (*rulesOut, error) {
	return rulesAnswer(h.rules.Rules(ctx))
}

func (h *ruleRows) createRule(ctx context.Context, in *struct{ Body restwire.Part[ruleForm] }) (*ruleOut, error) {
	form := permission.NewRuleForm()
	if err := lay(in.Body, &form); err != nil {
		return nil, err
	}
	return ruleAnswer(h.rules.CreateRule(ctx, form))
}

type replaceRulesIn struct {
	restwire.Precondition
	Body struct {
		Rules []restwire.Part[ruleForm] `json:"rules" nullable:"false"`
	}
}

func (h *ruleRows) replaceRules(ctx context.Context, in *replaceRulesIn) (*rulesOut, error) {
	version, err := h.seenVersion(ctx, &in.Precondition)
	if err != nil {
		return nil, err
	}
	rules, err := rulesOf(in.Body.Rules)
	if err != nil {
		return nil, err
	}
	return rulesAnswer(h.rules.ReplaceRules(ctx, version, rules))
}

type moveRuleIn struct {
	Body struct {
		RuleID        string  `json:"ruleId"`
		Before        *string `json:"before" nullable:"true" doc:"the rule that it shall stand right before; null is last of all"`
		PolicyVersion int64   `json:"policyVersion,omitempty" minimum:"0" doc:"412 if the rules are of another; left out, any will do"`
	}
}

func (h *ruleRows) moveRule(ctx context.Context, in *moveRuleIn) (*rulesOut, error) {
	b := &in.Body
	return rulesAnswer(h.rules.MoveRule(ctx, permission.RuleID(b.RuleID), (*permission.RuleID)(b.Before), b.PolicyVersion))
}

// rulesOf reads a list of rules.
func rulesOf(given []restwire.Part[ruleForm]) ([]permission.Rule, error) {
	rules := make([]permission.Rule, 0, len(given))
	for i, d := range given {
		r, err := ruleOf(d)
		if err != nil {
			return nil, inList("rules", i, err)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// ruleOf reads one rule of a list. A rule without an id is checked under a stand-in and
// named by the desk, which gives all rules their hits and the times that it keeps.
func ruleOf(d restwire.Part[ruleForm]) (permission.Rule, error) {
	form := permission.NewRuleForm()
	if err := lay(d, &form); err != nil {
		return permission.Rule{}, err
	}
	base := permission.Rule{ID: "unnamed"}
	if form.ID != nil {
		base.ID = *form.ID
	}
	r, err := form.Apply(base)
	if form.ID == nil {
		r.ID = ""
	}
	return r, err
}

// inList says at which place of a list the bad field is.
func inList(name string, i int, err error) error {
	var e *permission.Error
	if !errors.As(err, &e) {
		return err
	}
	return e.At(strings.TrimSuffix(fmt.Sprintf("%s[%d].%s", name, i, e.Field), "."))
}

// seenVersion is the policyVersion of an If-Match header, or 0 when any will do.
func (h *ruleRows) seenVersion(ctx context.Context, m *restwire.Precondition) (int64, error) {
	tag, err := m.Seen(func() (string, error) {
		_, version, err := h.rules.Rules(ctx)
		return strconv.FormatInt(version, 10), err
	})
	if err != nil || tag == "" {
		return 0, err
	}
	version, err := strconv.ParseInt(tag, 10, 64)
	if err != nil || version < 1 {
		return 0, restwire.LostUpdate("If-Match is not an ETag of the rules")
	}
	return version, nil
}

// seenRule is the updatedAt of an If-Match header, or 0 when any will do.
func (h *ruleRows) seenRule(ctx context.Context, m *restwire.Precondition, id permission.RuleID) (at permission.Time, err error) {
	tag, err := m.Seen(func() (string, error) {
		r, err := h.rules.Rule(ctx, id)
		return r.UpdatedAt.String(), err
	})
	if err != nil || tag == "" {
		return 0, err
	}
	if at.UnmarshalText([]byte(tag)) != nil {
		return 0, restwire.LostUpdate("If-Match is not the ETag of any rule")
	}
	return at, nil
}

func (h *ruleRows) getRule(ctx context.Context, in *byID) (*ruleOut, error) {
	r, err := h.rules.Rule(ctx, permission.RuleID(in.ID))
	if err != nil {
		return nil, err
	}
	n, err := h.judge.PendingMatches(ctx, r.ID)
	return ruleAnswer(r, n, err)
}

type updateRuleIn struct {
	ID string `path:"id"`
	restwire.Precondition
	Body restwire.Part[ruleForm]
}

func (h *ruleRows) updateRule(ctx context.Context, in *updateRuleIn) (*ruleOut, error) {
	at, err := h.seenRule(ctx, &in.Precondition, permission.RuleID(in.ID))
	if err != nil {
		return nil, err
	}
	return ruleAnswer(h.rules.UpdateRule(ctx, permission.RuleID(in.ID), at, func(f *permission.RuleForm) error { return lay(in.Body, f) }))
}

type deleteRuleIn struct {
	ID string `path:"id"`
	restwire.Precondition
}

func (h *ruleRows) deleteRule(ctx context.Context, in *deleteRuleIn) (*ruleOut, error) {
	at, err := h.seenRule(ctx, &in.Precondition, permission.RuleID(in.ID))
	if err != nil {
		return nil, err
	}
	return ruleAnswer(h.rules.DeleteRule(ctx, permission.RuleID(in.ID), at))
}

// Review says what is to be known of rules before they are saved, proposes rules, and
// takes them out of the desk and into it as one document.
type Review interface {
	Lint(ctx context.Context, d permission.Draft) ([]permission.Finding, error)
	Preview(ctx context.Context, d permission.Draft) (permission.Preview, error)
	Suggestions(ctx context.Context) ([]permission.Suggestion, error)
	Widen(ctx context.Context, id permission.CallID) (permission.Choices, error)
	WidenGrant(ctx context.Context, id permission.GrantID) (permission.Choices, error)
	Reach(ctx context.Context, q permission.ReachQuery) (permission.Reach, error)
	ExportRules(ctx context.Context) (permission.RuleDocument, error)
	DiffRules(ctx context.Context, doc permission.RuleDocument, mode permission.ImportMode) (permission.RuleDiff, error)
	ImportRules(ctx context.Context, doc permission.RuleDocument, mode permission.ImportMode, ifVersion int64,
		accept []permission.RuleID) (permission.RuleDiff, error)
}
