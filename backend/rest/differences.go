package rest

import (
	"context"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h *settingRows) addDifferences(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /v1/differences", ID: "listDifferences", Who: restwire.Operators,
		Summary: "List what is not as the journal says that it was left",
		About: "When the desk starts it holds rules, grants, settings, servers, agents and tools against the journal. " +
			"While a row reads otherwise everything asks, and a server whose row does is not started."}, h.listDifferences)
	restwire.Register(a, restwire.Row{Route: "POST /v1/differences/settle", ID: "settleDifferences", Who: restwire.Operators,
		Summary: "Take one version of what differs",
		About: "journal puts the table as the journal says, table tells the journal that what stands holds. All that are named are settled, or none: 409 stale when one is another by now. " +
			"Of an agent's token the journal has a hash alone: an agent whose token reads otherwise is removed by journal. The answer lists what is left."}, h.settleDifferences)
}

type differencesOut struct {
	Body struct {
		Differences []permission.Difference `json:"differences"`
	}
}

func (h *settingRows) listDifferences(ctx context.Context, _ *struct{}) (*differencesOut, error) {
	left, err := h.settings.Differences(ctx)
	out := &differencesOut{}
	out.Body.Differences = list(left)
	return out, err
}

type settleIn struct {
	Body struct {
		IDs  []string `json:"ids" doc:"of the differences, as they were shown" maxItems:"1000000"`
		Take string   `json:"take" enum:"journal,table"`
	}
}

func (h *settingRows) settleDifferences(ctx context.Context, in *settleIn) (*differencesOut, error) {
	left, err := h.settings.Settle(ctx, in.Body.IDs, permission.Version(in.Body.Take))
	out := &differencesOut{}
	out.Body.Differences = list(left)
	return out, err
}
