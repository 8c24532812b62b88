package desk

import (
	"context"

	"sekisho/backend/permission"
)

// Grants lists the answers that still reach further than their call.
func (d *Policy) Grants(ctx context.Context) ([]permission.Grant, error) {
	return d.store.Grants(ctx, d.state.Now())
}

// EndGrant takes a grant back. What it approved and nobody has claimed is revoked.
func (d *Policy) EndGrant(ctx context.Context, id permission.GrantID) error {
	at, none := d.state.Now(), permission.Time(0)
	why := permission.Explanation{Code: permission.ReasonGrantEnded, Reason: "the grant that approved this call was taken back"}
	_, err := d.store.EndGrant(ctx, id, permission.Transition{
		At: at, From: []permission.Status{permission.Approved}, Live: true, To: permission.Revoked, ExpiresAt: &none,
		Decision: &permission.Decision{By: permission.ByPerson, Explanation: why, Scope: permission.ScopeOnce, GrantID: &id, DecidedAt: at},
		Entry: permission.Entry{Kind: permission.CallDecided, Actor: permission.ActorPerson,
			Data: permission.Data(map[string]any{"status": permission.Revoked, "reason": why.Reason})},
	})
	return told("end grant", err)
}
