package desk

import (
	"context"
	"time"

	"sekisho/backend/permission"
)

// When a person has declined one tool in a session often enough: its next calls are shown
// together, so that nobody says yes for want of breath.
const (
	oftenDeclined  = 3
	declinedWithin = 10 * time.Minute
)

// Declined names the tools whose calls a person declined again and again in a session, by
// the desk's clock. A yes starts the count anew.
func (d *Desk) Declined(ctx context.Context) ([]permission.DeclinedTool, error) {
	return d.store.DeclinedTools(ctx, d.Now().Add(-declinedWithin), oftenDeclined)
}
