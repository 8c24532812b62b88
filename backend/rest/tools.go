package rest

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
	"sekisho/backend/show"
)

func (h *Handler) addTools() {
	register(h, row{method: http.MethodGet, path: "/v1/servers/{id}/tools/{name}", id: "getTool", who: operators(),
		summary: "Say what changed of a tool since it was first allowed",
		about: "A tool is pinned when a rule or a grant first allows it: its definition (name, title, description, schemas, annotations) and how its server is started or reached. " +
			"While either is another, no rule and no grant allows the tool. Differences are between indented texts, with sorted keys; what did not change is null. " +
			"back says that the definition is again the allowed one, after another that nobody has accepted."}, h.getTool)
	register(h, row{method: http.MethodPost, path: "/v1/servers/{id}/tools/{name}/accept", id: "acceptTool", who: operators(),
		summary: "Take a changed tool as seen", about: "From now on rules and grants may allow it as it is now. The body is what the tool was shown with (shown): 409 stale where they are no longer what is there. " +
			"The body may be left out. A tool that did not change stays as it is."}, h.acceptTool)
}

type toolPath struct {
	ID   string `path:"id"`
	Name string `path:"name"`
}

type acceptToolIn struct {
	ID   string `path:"id"`
	Name string `path:"name"`
	Body *struct {
		Definition string `json:"definition,omitempty"`
		Launch     string `json:"launch,omitempty"`
	} `nameHint:"AcceptTool"`
}

type toolOut struct {
	Body struct {
		Tool permission.ToolLook `json:"tool"`
	}
}

func toolAnswer(kept permission.KeptTool, err error) (*toolOut, error) {
	if err != nil {
		return nil, err
	}
	out := &toolOut{}
	out.Body.Tool = show.Tool(kept)
	return out, nil
}

func (h *Handler) getTool(ctx context.Context, in *toolPath) (*toolOut, error) {
	return toolAnswer(h.desk.Tool(ctx, in.ID, in.Name))
}

func (h *Handler) acceptTool(ctx context.Context, in *acceptToolIn) (*toolOut, error) {
	var shown permission.SeenTool
	if in.Body != nil {
		shown = permission.SeenTool{Definition: in.Body.Definition, Launch: in.Body.Launch}
	}
	return toolAnswer(h.desk.AcceptTool(ctx, in.ID, in.Name, shown))
}
