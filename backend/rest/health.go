package rest

import (
	"context"
	"net/http"
)

func (h *Handler) addHealth() {
	register(h, row{method: http.MethodGet, path: "/healthz", id: "health", summary: "Say that the desk is up",
		about: "The status is 200 whenever the desk answers. ok is false, and trouble says why, when it answers but something is wrong as a whole, for instance its disk is full: everything asks then."}, h.health)
}

type healthOut struct {
	Body struct {
		OK      bool   `json:"ok"`
		Version string `json:"version"`
		Trouble string `json:"trouble,omitempty"`
	}
}

func (h *Handler) health(context.Context, *struct{}) (*healthOut, error) {
	out := &healthOut{}
	out.Body.Version, out.Body.Trouble = h.opts.Version, h.opts.Trouble()
	out.Body.OK = out.Body.Trouble == ""
	return out, nil
}
