package rest

import (
	"context"

	"sekisho/backend/restwire"
)

// healthRows say how the desk is.
type healthRows struct {
	version  string
	trouble  func() string
	operator string
}

func (h *healthRows) addHealth(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /healthz", ID: "health", Summary: "Say that the desk is up",
		About: "The status is 200 whenever the desk answers. ok is false, and trouble says why, when it answers but something is wrong as a whole, for instance its disk is full: everything asks then."}, h.health)
}

type healthOut struct {
	Body struct {
		OK       bool   `json:"ok"`
		Version  string `json:"version"`
		Operator string `json:"operator" enum:"window,token,key" doc:"who decides: the window of this desk, which takes no credential, or whoever has the operator's token, or their key"`
		Trouble  string `json:"trouble,omitempty"`
	}
}

func (h *healthRows) health(context.Context, *struct{}) (*healthOut, error) {
	out := &healthOut{}
	out.Body.Version, out.Body.Trouble = h.version, h.trouble()
	out.Body.Operator = h.operator
	out.Body.OK = out.Body.Trouble == ""
	return out, nil
}
