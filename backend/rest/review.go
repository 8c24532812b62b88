package rest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h *ruleRows) addReview(a *restwire.API) {
	const instead = "rules stand in the place of all, as with PUT /v1/rules; change is an edit of the rules as they are. Nothing is saved. "
	restwire.Register(a, restwire.Row{Route: "POST /v1/rules/preview", ID: "previewRules", Who: restwire.Operators,
		Summary: "Say which past calls these rules would decide otherwise",
		About: instead +
			"changed lists the newest 1,000; changedTotal counts all, and counts says how many go from which effect to which, as allow>ask. " +
			"matched counts the past calls that the first rule of change.put applies to by itself. " +
			"unjudged counts those that cannot be told of, and that no other count has: a condition would have to see an input that was wiped."},
		h.previewRules)
	restwire.Register(a, restwire.Row{Route: "POST /v1/rules/lint", ID: "lintRules", Who: restwire.Operators,
		Summary: "Say what is odd about these rules",
		About: instead +
			"With neither, it is about the rules as they are. A rule without an id is named by its place in the list, as rules[3] or new[0]."},
		h.lintRules)
	restwire.Register(a, restwire.Row{Route: "GET /v1/suggestions", ID: "listSuggestions", Who: restwire.Operators,
		Summary: "Suggest rules out of a person's repeated equal answers",
		About: "Nothing is saved. Each covers many calls with one rule: reading commands in a folder, programs with their verbs, the files of a folder, a host, " +
			"a tool. None matches a call of high risk, a line that cannot be taken apart or runs code, or what was declined."}, h.listSuggestions)
	restwire.Register(a, restwire.Row{Route: "POST /v1/rules/widen", ID: "widenCall", Who: restwire.Operators,
		Summary: "Suggest rules that would allow a call, from the narrowest to the widest",
		About: "Give callId, or grantId for the call whose answer became that grant. Nothing is saved. At most five, each can be saved as it is; " +
			"choices say in words what each reaches, and which decided calls of the newest 10,000 it would have matched. There are none for a call of high risk, " +
			"an opaque line or one that runs code, or where a deny rule is about the call."}, h.widenCall)
	restwire.Register(a, restwire.Row{Route: "POST /v1/rules/reach", ID: "reachRules", Who: restwire.Operators,
		Summary: "Say which rules may ever allow a kind of tool call",
		About: "What is left out may be anything. Where the answer is no, that is proved for all inputs; each example was judged by the rules. " +
			"The rules are taken as they act now; hold and changed tools count for nothing."}, h.reachRules)
	addWordings(a)
}

type reviewIn struct {
	Body struct {
		Rules  []restwire.Part[ruleForm] `json:"rules,omitempty" nullable:"false" doc:"all rules"`
		Change *changeForm               `json:"change,omitempty" doc:"an edit of the rules as they are"`
	}
}

// changeForm is an edit of the rules. A rule of Put is laid over the one that has its
// id, as PATCH does, and else a new one.
type changeForm struct {
	Put    []restwire.Part[ruleForm] `json:"put,omitempty" nullable:"false" doc:"rules to change, by their ids, and new ones"`
	Delete []string                  `json:"delete,omitempty" nullable:"false" doc:"ids of rules to delete"`
}

type previewOut struct{ Body permission.Preview }

func (h *ruleRows) previewRules(ctx context.Context, in *reviewIn) (*previewOut, error) {
	if in.Body.Rules == nil && in.Body.Change == nil {
		return nil, permission.Invalid("rules", permission.FieldRequired, "required: rules in the place of all, or a change of them")
	}
	draft, _, err := h.draftOf(in)
	if err != nil {
		return nil, err
	}
	p, err := h.review.Preview(ctx, draft)
	p.Changed = list(p.Changed)
	if p.Counts == nil {
		p.Counts = map[string]int{}
	}
	return &previewOut{p}, err
}

type findingsOut struct {
	Body struct {
		Findings []permission.Finding `json:"findings"`
	}
}

func (h *ruleRows) lintRules(ctx context.Context, in *reviewIn) (*findingsOut, error) {
	draft, places, err := h.draftOf(in)
	if err != nil {
		return nil, err
	}
	findings, err := h.review.Lint(ctx, draft)
	out := &findingsOut{}
	out.Body.Findings = places.name(findings)
	return out, err
}

// draftOf reads an edit that is looked at and not saved. A rule without an id gets one
// as the desk would give, for the desk knows none without; places tells which.
func (h *ruleRows) draftOf(in *reviewIn) (draft permission.Draft, at places, err error) {
	switch rules, change := in.Body.Rules, in.Body.Change; {
	case rules != nil && change != nil:
		return draft, at, permission.Invalid("change", permission.FieldRulesOrChange, "give rules or a change of them, not both")
	case rules != nil:
		draft.Rules, at, err = h.replacement(rules)
	case change != nil:
		return changeOf(change)
	}
	return draft, at, err
}

// changeOf reads an edit. The ids that it makes up have something random in them, since
// it does not know those of the rules that are there, and are in the order of the list.
func changeOf(change *changeForm) (draft permission.Draft, at places, err error) {
	for i, d := range change.Put {
		var form permission.RuleForm
		if err := lay(d, &form); err != nil {
			return draft, at, inList("change.put", i, err)
		}
		if form.ID == nil {
			random, err := uuid.NewRandom()
			if err != nil {
				return draft, at, fmt.Errorf("name a rule: %w", err)
			}
			id := permission.RuleID(fmt.Sprintf("new-%06d-%s", i, random))
			at.put(id, fmt.Sprintf("new[%d]", i))
			form.ID = &id
		}
		draft.Put = append(draft.Put, permission.DraftRule{ID: *form.ID, Lay: func(over *permission.RuleForm) error { return lay(d, over) }})
	}
	for _, id := range change.Delete {
		draft.Delete = append(draft.Delete, permission.RuleID(id))
	}
	return draft, at, nil
}

// replacement reads a list of all rules.
func (h *ruleRows) replacement(given []restwire.Part[ruleForm]) ([]permission.Rule, places, error) {
	rules, err := rulesOf(given)
	if err != nil {
		return nil, places{}, err
	}
	taken := make(map[permission.RuleID]bool, len(rules))
	for i, r := range rules {
		if r.ID != "" && taken[r.ID] {
			return nil, places{}, permission.Invalid(fmt.Sprintf("rules[%d].id", i), permission.FieldDuplicate, "two rules have this id")
		}
		taken[r.ID] = true
	}
	now, at := permission.TimeOf(h.now()), places{}
	for i := range rules {
		if rules[i].CreatedAt.IsZero() {
			rules[i].CreatedAt = now // a new rule comes after those that it is equal to
		}
		if rules[i].ID == "" {
			rules[i].ID = at.add(i, taken)
		}
	}
	return rules, at, nil
}

// places knows the rules of a list that have no id of their own.
type places struct {
	of    map[permission.RuleID]permission.RuleID
	pairs []string // for texts
}

// add makes up a valid id for the rule at place i, one that no other rule has.
func (p *places) add(i int, taken map[permission.RuleID]bool) permission.RuleID {
	id := permission.RuleID(fmt.Sprintf("unnamed-%06d", i))
	for taken[id] {
		id += "_"
	}
	taken[id] = true
	p.put(id, fmt.Sprintf("rules[%d]", i))
	return id
}

func (p *places) put(id permission.RuleID, place string) {
	if p.of == nil {
		p.of = map[permission.RuleID]permission.RuleID{}
	}
	p.of[id], p.pairs = permission.RuleID(place), append(p.pairs, string(id), place)
}

// name puts places in the stead of made-up ids.
func (p *places) name(findings []permission.Finding) []permission.Finding {
	out := make([]permission.Finding, 0, len(findings))
	texts := strings.NewReplacer(p.pairs...)
	for _, f := range findings {
		if place, ok := p.of[f.RuleID]; ok {
			f.RuleID = place
		}
		if f.By != nil {
			if place, ok := p.of[*f.By]; ok {
				f.By = &place
			}
		}
		f.Message = texts.Replace(f.Message)
		out = append(out, f)
	}
	return out
}

type suggestionsOut struct {
	Body struct {
		Suggestions []permission.Suggestion `json:"suggestions"`
	}
}

func (h *ruleRows) listSuggestions(ctx context.Context, _ *struct{}) (*suggestionsOut, error) {
	suggestions, err := h.review.Suggestions(ctx)
	out := &suggestionsOut{}
	out.Body.Suggestions = list(suggestions)
	for i := range out.Body.Suggestions {
		s := &out.Body.Suggestions[i]
		s.Tools = list(s.Tools)
	}
	return out, err
}

type widenIn struct {
	Body struct {
		CallID  string `json:"callId,omitempty"`
		GrantID string `json:"grantId,omitempty"`
	}
}

type choicesOut struct{ Body permission.Choices }

func (h *ruleRows) widenCall(ctx context.Context, in *widenIn) (*choicesOut, error) {
	call, grant := in.Body.CallID, in.Body.GrantID
	out := &choicesOut{}
	var err error
	switch {
	case (call == "") == (grant == ""):
		return nil, permission.Invalid("callId", permission.FieldRequired, "required: a callId or a grantId, not both")
	case call != "":
		out.Body, err = h.review.Widen(ctx, permission.CallID(call))
	default:
		out.Body, err = h.review.WidenGrant(ctx, permission.GrantID(grant))
	}
	out.Body.Rules, out.Body.Choices = list(out.Body.Rules), list(out.Body.Choices)
	return out, err
}

type reachIn struct {
	Body struct {
		AgentID  *string  `json:"agentId,omitempty" nullable:"true"`
		ServerID *string  `json:"serverId,omitempty" nullable:"true"`
		ToolName *string  `json:"toolName,omitempty" nullable:"true"`
		Names    []string `json:"names,omitempty" nullable:"false" maxItems:"8" doc:"programs and verbs that the call's line runs, as git push: all of them, and it may run more"`
		Risk     string   `json:"risk,omitempty" enum:"low,medium,high"`
	}
}

type reachOut struct{ Body permission.Reach }

func (h *ruleRows) reachRules(ctx context.Context, in *reachIn) (*reachOut, error) {
	b := &in.Body
	q := permission.ReachQuery{AgentID: permission.AgentID(orEmpty(b.AgentID)), ServerID: b.ServerID, ToolName: b.ToolName, Names: b.Names,
		Risk: permission.Risk(b.Risk)}
	if err := checkReach(q); err != nil {
		return nil, err
	}
	var err error
	if q.AgentID != "" {
		if q.AgentName, err = nameOf(ctx, h.agents, q.AgentID); err != nil {
			return nil, err
		}
	}
	found, err := h.review.Reach(ctx, q)
	return &reachOut{found}, err
}

func checkReach(q permission.ReachQuery) error {
	errs := []error{atMost("agentId", string(q.AgentID), maxID), named("serverId", q.ServerID), named("toolName", q.ToolName)}
	for i, name := range q.Names {
		field := fmt.Sprintf("names[%d]", i)
		if strings.TrimSpace(name) == "" {
			errs = append(errs, permission.Invalid(field, permission.FieldEmpty, "empty"))
		}
		errs = append(errs, atMost(field, name, permission.MaxNameBytes))
	}
	return errors.Join(errs...)
}

func named(field string, name *string) error {
	if name != nil && *name == "" {
		return permission.Invalid(field, permission.FieldEmpty, "empty: left out, it may be any")
	}
	return atMost(field, orEmpty(name), permission.MaxNameBytes)
}
