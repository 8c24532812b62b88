package rest

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
)

func (h *settingRows) addGrants(a *api) {
	register(a, row{method: http.MethodGet, path: "/v1/grants", id: "listGrants", who: operators(),
		summary: "List the answers of wider scope that hold now"}, h.listGrants)
	register(a, row{method: http.MethodDelete, path: "/v1/grants/{id}", id: "endGrant", who: operators(),
		summary: "End a grant", about: "Calls that it approved and nobody has claimed are revoked."}, h.endGrant)
	register(a, row{method: http.MethodPost, path: "/v1/hold", id: "hold", who: operators(),
		summary: "Hold everything, or stop holding", about: "While on, nothing is allowed without asking."}, h.hold)
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

type grantPath struct {
	ID string `path:"id"`
}

func (h *settingRows) endGrant(ctx context.Context, in *grantPath) (*struct{}, error) {
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
