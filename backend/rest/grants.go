package rest

import (
	"context"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h *settingRows) addGrants(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /v1/grants", ID: "listGrants", Who: restwire.Operators,
		Summary: "List the answers of wider scope that hold now"}, h.listGrants)
	restwire.Register(a, restwire.Row{Route: "DELETE /v1/grants/{id}", ID: "endGrant", Who: restwire.Operators,
		Summary: "End a grant", About: "Calls that it approved and nobody has claimed are revoked."}, h.endGrant)
	restwire.Register(a, restwire.Row{Route: "POST /v1/hold", ID: "hold", Who: restwire.Operators,
		Summary: "Hold everything, or stop holding", About: "While on, nothing is allowed without asking."}, h.hold)
}

type grantsOut struct {
	Body struct {
		Grants []permission.Grant `json:"grants"`
	}
}

func (h *settingRows) listGrants(ctx context.Context, _ *struct{}) (*grantsOut, error) {
	grants, err := h.settings.Grants(ctx)
	out := &grantsOut{}
	out.Body.Grants = list(grants)
	return out, err
}

func (h *settingRows) endGrant(ctx context.Context, in *byID) (*struct{}, error) {
	return nil, h.settings.EndGrant(ctx, permission.GrantID(in.ID))
}

type holdBody struct {
	On bool `json:"on"`
}

type holdIn struct{ Body holdBody }

type holdOut struct{ Body holdBody }

func (h *settingRows) hold(ctx context.Context, in *holdIn) (*holdOut, error) {
	return &holdOut{in.Body}, h.settings.Hold(ctx, in.Body.On)
}
