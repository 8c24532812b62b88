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

	"sekisho/backend/permission"
)

func (h *Handler) addRules() {
	register(h, row{method: http.MethodGet, path: "/v1/rules", id: "listRules", who: operators(),
		summary: "List the rules in the order of judgement"}, h.listRules)
	register(h, row{method: http.MethodPost, path: "/v1/rules", id: "createRule", who: operators(), status: http.StatusCreated,
		summary: "Add a rule", about: "pendingMatches counts the waiting calls that the rule would decide. They keep waiting, unless it denies."}, h.createRule)
	register(h, row{method: http.MethodPut, path: "/v1/rules", id: "replaceRules", who: operators(),
		summary: "Put these rules in the place of all", about: "If-Match with the quoted policyVersion guards against lost updates."}, h.replaceRules)
	register(h, row{method: http.MethodPost, path: "/v1/rules/move", id: "moveRule", who: operators(),
		summary: "Put a rule right before another in the order of judgement",
		about:   "All other rules keep their order, and as few priorities change as can be. A policyVersion that was seen guards against lost updates."}, h.moveRule)
	register(h, row{method: http.MethodGet, path: "/v1/rules/{id}", id: "getRule", who: operators(),
		summary: "Show a rule"}, h.getRule)
	register(h, row{method: http.MethodPatch, path: "/v1/rules/{id}", id: "updateRule", who: operators(),
		summary: "Change the given fields of a rule", about: "If-Match with the quoted updatedAt guards against lost updates."}, h.updateRule)
	register(h, row{method: http.MethodDelete, path: "/v1/rules/{id}", id: "deleteRule", who: operators(), status: http.StatusOK,
		summary: "Delete a rule", about: "Answers the rule as it was."}, h.deleteRule)
}

// ruleForm is a rule as a caller may write it: what CONTRACT section 2 lists,
// all of it optional. A rule that was read can be written back as it is.
type ruleForm struct {
	ID          string        `json:"id,omitempty" doc:"letters, digits, dots, dashes and underscores, at most 64; it does not change"`
	ServerID    *string       `json:"serverId,omitempty" nullable:"true" doc:"null is any"`
	ToolName    *string       `json:"toolName,omitempty" nullable:"true" doc:"null is any"`
	ToolPattern *string       `json:"toolPattern,omitempty" nullable:"true" doc:"* is any run of characters; not used when toolName is set"`
	AutoApprove bool          `json:"autoApprove,omitempty"`
	Effect      string        `json:"effect,omitempty" enum:"allow,ask,deny"`
	Priority    int64         `json:"priority,omitempty" doc:"higher goes first"`
	Condition   *string       `json:"condition,omitempty" nullable:"true" doc:"CEL over input, serverId, toolName, sessionId, agent and cwd; null is none"`
	Enabled     bool          `json:"enabled,omitempty" doc:"true when left out of a new rule"`
	Note        string        `json:"note,omitempty" doc:"the reason of a deny"`
	ExpiresAt   *string       `json:"expiresAt,omitempty" nullable:"true" format:"date-time"`
	Examples    []exampleForm `json:"examples,omitempty" doc:"calls, and what the rules must decide of them"`

	CreatedAt *string `json:"createdAt,omitempty" nullable:"true" readOnly:"true"`
	UpdatedAt *string `json:"updatedAt,omitempty" nullable:"true" readOnly:"true"`
	Hits      int64   `json:"hits,omitempty" readOnly:"true"`
	LastHitAt *string `json:"lastHitAt,omitempty" nullable:"true" readOnly:"true"`
}

// exampleForm is a call as evaluate takes it, with the decision that it must have.
type exampleForm struct {
	ServerID  *string         `json:"serverId,omitempty" nullable:"true"`
	ToolName  string          `json:"toolName"`
	Input     json.RawMessage `json:"input,omitempty" doc:"any JSON, at most 16 KiB; left out, it is {}"`
	SessionID string          `json:"sessionId,omitempty"`
	AgentID   string          `json:"agentId,omitempty"`
	AgentName string          `json:"agentName,omitempty"`
	Cwd       *string         `json:"cwd,omitempty" nullable:"true"`
	Decision  string          `json:"decision" enum:"allow,ask,deny"`
}

// lay writes the fields that a document has over a form, and nothing into what
// the form points to.
func lay(d document[ruleForm], over *permission.RuleForm) error {
	f := *over
	f.ServerID, f.ToolName, f.ToolPattern, f.Condition = copied(f.ServerID), copied(f.ToolName), copied(f.ToolPattern), copied(f.Condition)
	f.Examples = slices.Clone(f.Examples)
	var said struct {
		ExpiresAt *string `json:"expiresAt"`
	}
	if err := json.Unmarshal(d.raw, &said); err == nil && said.ExpiresAt != nil {
		if err := new(permission.Time).UnmarshalText([]byte(*said.ExpiresAt)); err != nil {
			return permission.Invalid("expiresAt", err.Error())
		}
	}
	if err := json.Unmarshal(d.raw, &f); err != nil {
		return permission.Invalid("", "the rule is not readable")
	}
	*over = f
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
		PendingMatches int             `json:"pendingMatches" doc:"waiting calls that the rule decides now"`
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

func (h *Handler) listRules(ctx context.Context, _ *struct{}) (*rulesOut, error) {
	return rulesAnswer(h.desk.Rules(ctx))
}

func (h *Handler) createRule(ctx context.Context, in *struct{ Body document[ruleForm] }) (*ruleOut, error) {
	form := permission.NewRuleForm()
	if err := lay(in.Body, &form); err != nil {
		return nil, err
	}
	return ruleAnswer(h.desk.CreateRule(ctx, form))
}

type replaceRulesIn struct {
	IfMatch string `header:"If-Match" doc:"the ETag of the list: policyVersion in quotes"`
	Body    struct {
		Rules []document[ruleForm] `json:"rules" nullable:"false"`
	}
}

func (h *Handler) replaceRules(ctx context.Context, in *replaceRulesIn) (*rulesOut, error) {
	version, err := seenVersion(in.IfMatch)
	if err != nil {
		return nil, err
	}
	rules, err := rulesOf(in.Body.Rules)
	if err != nil {
		return nil, err
	}
	return rulesAnswer(h.desk.ReplaceRules(ctx, version, rules))
}

type moveRuleIn struct {
	Body struct {
		RuleID        string  `json:"ruleId"`
		Before        *string `json:"before" nullable:"true" doc:"the rule that it shall stand right before; null is last of all"`
		PolicyVersion int64   `json:"policyVersion,omitempty" minimum:"0" doc:"412 if the rules are of another; left out, any will do"`
	}
}

func (h *Handler) moveRule(ctx context.Context, in *moveRuleIn) (*rulesOut, error) {
	b := &in.Body
	return rulesAnswer(h.desk.MoveRule(ctx, permission.RuleID(b.RuleID), (*permission.RuleID)(b.Before), b.PolicyVersion))
}

// rulesOf reads a list of rules.
func rulesOf(given []document[ruleForm]) ([]permission.Rule, error) {
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

// ruleOf reads one rule of a list, with the times that it brings. A rule without
// an id is checked under a stand-in and named by the desk.
func ruleOf(d document[ruleForm]) (permission.Rule, error) {
	form := permission.NewRuleForm()
	var kept struct {
		CreatedAt, UpdatedAt, LastHitAt permission.Time
		Hits                            int64
	}
	if err := lay(d, &form); err != nil {
		return permission.Rule{}, err
	}
	if err := json.Unmarshal(d.raw, &kept); err != nil {
		return permission.Rule{}, permission.Invalid("createdAt", "its times are not RFC 3339")
	}
	base := permission.Rule{ID: "unnamed", CreatedAt: kept.CreatedAt, UpdatedAt: kept.UpdatedAt, Hits: kept.Hits, LastHitAt: kept.LastHitAt}
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
	return permission.Invalid(strings.TrimSuffix(fmt.Sprintf("%s[%d].%s", name, i, e.Field), "."), e.Message)
}

// seenVersion is the policyVersion of an If-Match header, or 0 when any will do.
func seenVersion(ifMatch string) (int64, error) {
	if ifMatch == "" || ifMatch == "*" {
		return 0, nil
	}
	text, quoted := strings.CutPrefix(ifMatch, `"`)
	text, closed := strings.CutSuffix(text, `"`)
	version, err := strconv.ParseInt(text, 10, 64)
	if err != nil || version < 1 || !quoted || !closed {
		return 0, &permission.Error{Code: permission.CodeLostUpdate, Message: "If-Match is not an ETag of the rules"}
	}
	return version, nil
}

// seen is the updatedAt of an If-Match header, or 0 when any will do.
func seen(ifMatch string) (permission.Time, error) {
	if ifMatch == "" || ifMatch == "*" {
		return 0, nil
	}
	var t permission.Time
	if err := t.UnmarshalJSON([]byte(ifMatch)); err != nil || t.IsZero() {
		return 0, &permission.Error{Code: permission.CodeLostUpdate, Message: "If-Match is not the ETag of any rule"}
	}
	return t, nil
}

type getRuleIn struct {
	ID string `path:"id"`
}

func (h *Handler) getRule(ctx context.Context, in *getRuleIn) (*ruleOut, error) {
	r, err := h.desk.Rule(ctx, permission.RuleID(in.ID))
	if err != nil {
		return nil, err
	}
	n, err := h.desk.PendingMatches(ctx, r.ID)
	return ruleAnswer(r, n, err)
}

type updateRuleIn struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match" doc:"the ETag that was seen"`
	Body    document[ruleForm]
}

func (h *Handler) updateRule(ctx context.Context, in *updateRuleIn) (*ruleOut, error) {
	at, err := seen(in.IfMatch)
	if err != nil {
		return nil, err
	}
	return ruleAnswer(h.desk.UpdateRule(ctx, permission.RuleID(in.ID), at, func(f *permission.RuleForm) error { return lay(in.Body, f) }))
}

type deleteRuleIn struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match" doc:"the ETag that was seen"`
}

func (h *Handler) deleteRule(ctx context.Context, in *deleteRuleIn) (*ruleOut, error) {
	at, err := seen(in.IfMatch)
	if err != nil {
		return nil, err
	}
	return ruleAnswer(h.desk.DeleteRule(ctx, permission.RuleID(in.ID), at))
}
