package rest

import (
	"context"
	"errors"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h *serverRows) addServerTest(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "POST /v1/servers/test", ID: "testServer", Who: restwire.Operators,
		Summary: "Try a server as it is written here: start it, ask for its tools, end it",
		About:   "Nothing is saved. It takes 20 seconds at most. A masked value stands for the secret that is kept under the same server and name. stderr is the last that the server wrote there, at most 4 KiB."}, h.testServer)
}

type testServerIn struct {
	Body struct {
		Server serverForm `json:"server"`
	}
}

type testServerOut struct {
	Body struct {
		OK      bool                     `json:"ok"`
		Tools   []string                 `json:"tools" doc:"names, at most 1,000"`
		Flagged []permission.FlaggedTool `json:"flaggedTools" doc:"tools in whose names, titles, descriptions or schemas characters hide or pass for others; at most 100"`
		Error   string                   `json:"error" doc:"why it is not ok, in words; else empty"`
		Stderr  string                   `json:"stderr"`
	}
}

func (h *serverRows) testServer(ctx context.Context, in *testServerIn) (*testServerOut, error) {
	s, err := h.servers.Unmasked(ctx, in.Body.Server.server())
	if err != nil {
		return nil, inServer(err)
	}
	out := &testServerOut{}
	tools, words, err := h.test(ctx, s)
	names := make([]string, 0, len(tools))
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	out.Body.OK, out.Body.Tools, out.Body.Flagged, out.Body.Stderr = err == nil, names, list(h.tools.ToolFlags(tools)), words
	if err != nil {
		out.Body.Error = err.Error()
	}
	return out, nil
}

// inServer names the field of a body's server that an error is about.
func inServer(err error) error {
	var e *permission.Error
	if errors.As(err, &e) && e.Field != "" {
		return e.At("server." + e.Field)
	}
	return err
}
