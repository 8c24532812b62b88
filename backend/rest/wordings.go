package rest

import (
	"context"
	"fmt"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func addWordings(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "POST /v1/rules/wordings", ID: "wordRules", Who: restwire.Operators,
		Summary: "Say conditions in clauses, and make conditions of clauses",
		About: "Each of asked has a condition, or the clauses that one is made of. A condition is said in clauses only where it is made of them " +
			"in the very same tokens; any other is advanced. Nothing is saved."}, wordRules)
}

type wordingsIn struct {
	Body struct {
		Asked []struct {
			Condition *string             `json:"condition,omitempty"`
			Clauses   []permission.Clause `json:"clauses,omitempty" nullable:"false" maxItems:"100"`
		} `json:"asked" nullable:"false" maxItems:"1000"`
	}
}

type wordingsOut struct {
	Body struct {
		Wordings []permission.Wording `json:"wordings" doc:"in the order of asked"`
	}
}

func wordRules(_ context.Context, in *wordingsIn) (*wordingsOut, error) {
	out := &wordingsOut{}
	out.Body.Wordings = []permission.Wording{}
	for i, asked := range in.Body.Asked {
		condition := orEmpty(asked.Condition)
		if (asked.Condition == nil) == (asked.Clauses == nil) {
			return nil, permission.Invalid(fmt.Sprintf("asked[%d]", i), permission.FieldRequired, "required: a condition or clauses, not both")
		}
		if asked.Condition == nil {
			var err error
			if condition, err = advice.ConditionOf(asked.Clauses); err != nil {
				return nil, inList("asked", i, err)
			}
		}
		out.Body.Wordings = append(out.Body.Wordings, advice.WordingOf(condition))
	}
	return out, nil
}
