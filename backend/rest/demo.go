package rest

import (
	"context"
	"log/slog"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Demonstrator asks for a harmless call and, once it is approved, executes it. Demo
// is fresh when the call is new and nobody plays it yet; PlayDemo ends with the call,
// or with ctx.
type Demonstrator interface {
	Demo(ctx context.Context) (call permission.Call, fresh bool, err error)
	PlayDemo(ctx context.Context, id permission.CallID) error
}

// demoRows are those of the demonstration.
type demoRows struct {
	demo Demonstrator
	work *work
	log  *slog.Logger
}

func (h *demoRows) addDemo(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "POST /v1/demo", ID: "demo", Who: restwire.Operators,
		Summary: "Have the desk itself ask for a harmless call",
		About: "Its agent is the desk's own, sekisho-demo, which nobody has a token of. It waits for a person, whatever the rules allow; when approved, the desk claims it and completes it with the greeting that its input has. " +
			"Nothing else runs. While one waits, the answer is that one."}, h.ask)
}

func (h *demoRows) ask(ctx context.Context, _ *struct{}) (*callOut, error) {
	call, fresh, err := h.demo.Demo(ctx)
	if err == nil && fresh {
		h.play(call.ID)
	}
	return callAnswer(call, err)
}

// play has the desk execute a demonstration once it is approved. Close waits for it:
// it ends at once where nothing is being executed.
func (h *demoRows) play(id permission.CallID) {
	if !h.work.begin() {
		return
	}
	play := h.demo.PlayDemo
	go func() {
		defer h.work.playing.Done()
		ctx, cancel := h.work.waiting(context.Background(), longest)
		defer cancel()
		if err := play(ctx, id); err != nil {
			h.log.Error("play the demonstration", "err", err)
		}
	}()
}
