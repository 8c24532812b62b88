package rest

import (
	"context"

	"sekisho/backend/permission"
)

// Judge says what would happen to a call, and to how many that wait a rule
// happens; it keeps nothing.
type Judge interface {
	Evaluate(ctx context.Context, q permission.Query) (permission.Verdict, error)
	PendingMatches(ctx context.Context, id permission.RuleID) (int, error)
}
