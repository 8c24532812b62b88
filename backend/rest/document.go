package rest

import (
	"context"
	"errors"
	"fmt"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h *ruleRows) addDocument(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /v1/policy", ID: "exportRules", Who: restwire.Operators,
		Summary: "Give all rules as one document"}, h.exportRules)
	restwire.Register(a, restwire.Row{Route: "POST /v1/policy/diff", ID: "diffRules", Who: restwire.Operators,
		Summary: "Say what an import would change",
		About:   "Nothing is saved. allows are the rules to accept: each new allow rule, be it switched off or over; each that may reach further than it did; and each guard whose end may let something pass. An edit that surely allows no more is none of them."}, h.diffRules)
	restwire.Register(a, restwire.Row{Route: "POST /v1/policy/import", ID: "importRules", Who: restwire.Operators,
		Summary: "Take the rules of a document in, all or none",
		About:   "Each rule of the diff's allows must be named in accept, else 422. ifVersion, a policyVersion that was seen, guards against lost updates."}, h.importRules)
}

type policyOut struct{ Body permission.RuleDocument }

func (h *ruleRows) exportRules(ctx context.Context, _ *struct{}) (*policyOut, error) {
	doc, err := h.review.ExportRules(ctx)
	doc.Rules = list(doc.Rules)
	return &policyOut{doc}, err
}

// policyForm is a document as it is written. Its rules have ids: by them an import
// knows which rule is meant, and a person which is accepted.
type policyForm struct {
	Format  string                    `json:"format" enum:"sekisho.rules"`
	Version int                       `json:"version" minimum:"1"`
	Rules   []restwire.Part[ruleForm] `json:"rules" nullable:"false"`
}

func (f *policyForm) document() (permission.RuleDocument, error) {
	doc := permission.RuleDocument{Format: f.Format, Version: f.Version}
	if f.Version > permission.RuleFormatVersion {
		return doc, permission.Invalid("document.version", permission.FieldVersion,
			fmt.Sprintf("this desk reads version %d", permission.RuleFormatVersion))
	}
	rules, err := rulesOf(f.Rules)
	var e *permission.Error
	if errors.As(err, &e) {
		return doc, e.At("document." + e.Field)
	}
	for i, r := range rules {
		if r.ID == "" {
			return doc, permission.Invalid(fmt.Sprintf("document.rules[%d].id", i), permission.FieldRequired,
				"required: a rule of a document has an id")
		}
	}
	doc.Rules = rules
	return doc, err
}

type diffIn struct {
	Body struct {
		Document policyForm `json:"document"`
		Mode     string     `json:"mode,omitempty" enum:"merge,replace" doc:"what becomes of rules that the document does not have: merge keeps them; merge when left out"`
	}
}

type importIn struct {
	Body struct {
		Document  policyForm `json:"document"`
		Mode      string     `json:"mode,omitempty" enum:"merge,replace" doc:"as for the diff"`
		IfVersion int64      `json:"ifVersion,omitempty" minimum:"0" doc:"412 if the rules are of another policyVersion; left out, any will do"`
		Accept    []string   `json:"accept,omitempty" nullable:"false" doc:"ids of rules that may newly allow something"`
	}
}

type diffOut struct {
	Body struct {
		Diff permission.RuleDiff `json:"diff"`
	}
}

func diffAnswer(d permission.RuleDiff, err error) (*diffOut, error) {
	d.Added, d.Changed, d.Removed, d.Allows = list(d.Added), list(d.Changed), list(d.Removed), list(d.Allows)
	out := &diffOut{}
	out.Body.Diff = d
	return out, err
}

func (h *ruleRows) diffRules(ctx context.Context, in *diffIn) (*diffOut, error) {
	doc, err := in.Body.Document.document()
	if err != nil {
		return nil, err
	}
	return diffAnswer(h.review.DiffRules(ctx, doc, modeOf(in.Body.Mode)))
}

func (h *ruleRows) importRules(ctx context.Context, in *importIn) (*diffOut, error) {
	doc, err := in.Body.Document.document()
	if err != nil {
		return nil, err
	}
	accept := make([]permission.RuleID, 0, len(in.Body.Accept))
	for _, id := range in.Body.Accept {
		accept = append(accept, permission.RuleID(id))
	}
	return diffAnswer(h.review.ImportRules(ctx, doc, modeOf(in.Body.Mode), in.Body.IfVersion, accept))
}

func modeOf(said string) permission.ImportMode {
	if said == "" {
		return permission.ImportMerge
	}
	return permission.ImportMode(said)
}
