package rest

import (
	"context"
	"net/http"
)

func (h *Handler) addHealth() {
	register(h, row{method: http.MethodGet, path: "/healthz", id: "health", summary: "Say that the desk is up"}, h.health)
}

type healthOut struct {
	Body struct {
		OK      bool   `json:"ok"`
		Version string `json:"version"`
	}
}

func (h *Handler) health(context.Context, *struct{}) (*healthOut, error) {
	out := &healthOut{}
	out.Body.OK, out.Body.Version = true, h.opts.Version
	return out, nil
}
