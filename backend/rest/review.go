package rest

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"sekisho/backend/permission"
)

func (h *Handler) addReview() {
	register(h, row{method: http.MethodPost, path: "/v1/rules/preview", id: "previewRules", who: operators(),
		summary: "Say which past calls these rules would decide otherwise",
		about:   "The rules stand in the place of all, as with PUT /v1/rules. Nothing is saved. changed lists the newest 1,000; changedTotal counts all."}, h.previewRules)
	register(h, row{method: http.MethodPost, path: "/v1/rules/lint", id: "lintRules", who: operators(),
		summary: "Say what is odd about these rules",
		about:   "The rules stand in the place of all, as with PUT /v1/rules. Nothing is saved. A rule without an id is named by its place in the list, as rules[3]."}, h.lintRules)
	register(h, row{method: http.MethodGet, path: "/v1/suggestions", id: "listSuggestions", who: operators(),
		summary: "Suggest rules out of a person's repeated equal answers"}, h.listSuggestions)
}

type rulesIn struct {
	Body struct {
		Rules []document[ruleForm] `json:"rules" nullable:"false"`
	}
}

type previewOut struct{ Body permission.Preview }

func (h *Handler) previewRules(ctx context.Context, in *rulesIn) (*previewOut, error) {
	rules, _, err := h.draft(in.Body.Rules)
	if err != nil {
		return nil, err
	}
	p, err := h.desk.Preview(ctx, rules)
	p.Changed = list(p.Changed)
	return &previewOut{p}, err
}

type findingsOut struct {
	Body struct {
		Findings []permission.Finding `json:"findings"`
	}
}

func (h *Handler) lintRules(ctx context.Context, in *rulesIn) (*findingsOut, error) {
	rules, places, err := h.draft(in.Body.Rules)
	if err != nil {
		return nil, err
	}
	findings, err := h.desk.Lint(ctx, rules)
	out := &findingsOut{}
	out.Body.Findings = places.name(findings)
	return out, err
}

// draft reads a list of rules that is looked at and not saved. A rule without an
// id gets one as the desk would give, for the desk knows none without; places
// tells which.
func (h *Handler) draft(given []document[ruleForm]) ([]permission.Rule, places, error) {
	rules, err := rulesOf(given)
	if err != nil {
		return nil, places{}, err
	}
	taken := make(map[permission.RuleID]bool, len(rules))
	for i, r := range rules {
		if r.ID != "" && taken[r.ID] {
			return nil, places{}, permission.Invalid(fmt.Sprintf("rules[%d].id", i), "two rules have this id")
		}
		taken[r.ID] = true
	}
	now, at := permission.TimeOf(h.opts.Now()), places{}
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
	place := fmt.Sprintf("rules[%d]", i)
	if p.of == nil {
		p.of = map[permission.RuleID]permission.RuleID{}
	}
	p.of[id], p.pairs = permission.RuleID(place), append(p.pairs, string(id), place)
	return id
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

func (h *Handler) listSuggestions(ctx context.Context, _ *struct{}) (*suggestionsOut, error) {
	suggestions, err := h.desk.Suggestions(ctx)
	out := &suggestionsOut{}
	out.Body.Suggestions = list(suggestions)
	for i := range out.Body.Suggestions {
		s := &out.Body.Suggestions[i]
		s.Tools = list(s.Tools)
	}
	return out, err
}
