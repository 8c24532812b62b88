package rest

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
)

func (h *Handler) addDemo() {
	register(h, row{method: http.MethodPost, path: "/v1/demo", id: "demo", who: operators(),
		summary: "Have the desk itself ask for a harmless call",
		about: "Its agent is the desk's own, sekisho-demo, which nobody has a token of. It waits for a person, whatever the rules allow; when approved, the desk claims it and completes it with the greeting that its input has. " +
			"Nothing else runs. While one waits, the answer is that one."}, h.demo)
}

func (h *Handler) demo(ctx context.Context, _ *struct{}) (*callOut, error) {
	call, fresh, err := h.desk.Demo(ctx)
	if err == nil && fresh {
		h.play(call.ID)
	}
	return callAnswer(call, err)
}

// play has the desk execute a demonstration once it is approved. Close waits for it:
// it ends at once where nothing is being executed.
func (h *Handler) play(id permission.CallID) {
	if !h.begin() {
		return
	}
	play := h.desk.PlayDemo
	go func() {
		defer h.playing.Done()
		ctx, cancel := h.waiting(context.Background(), longest)
		defer cancel()
		if err := play(ctx, id); err != nil {
			h.opts.Logger.Error("play the demonstration", "err", err)
		}
	}()
}
