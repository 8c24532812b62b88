package rest

import (
	"context"
	"fmt"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
	"sekisho/backend/show"
)

func (h *serverRows) addTools(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /v1/servers/{id}/tools/{name}", ID: "getTool", Who: restwire.Operators,
		Summary: "Say what changed of a tool since it was first allowed",
		About: "A tool is pinned when it is first allowed: by a rule that names it and its server, by an answer of scope class or session or a release that covers its call, else by the first call that a rule or a grant allows. " +
			"One that changes while a person is asked about it is pinned as it was before. What is pinned is its definition (name, title, description, schemas, annotations) and how its server is started or reached. " +
			"While either is another, no rule and no grant allows the tool. Where all pinned tools of a server are of another way to start or reach it, those that are not pinned ask too (changed is launch). " +
			"changed is unknown where the desk cannot tell: a list could not be kept, more tools are known than it watches, or a changed tool has this name in other letter case. " +
			"Differences are between indented texts, with sorted keys; what did not change is null. " +
			"back says that the definition is again the allowed one, after another that nobody has accepted."}, h.getTool)
	restwire.Register(a, restwire.Row{Route: "POST /v1/servers/{id}/tools/{name}/accept", ID: "acceptTool", Who: restwire.Operators,
		Summary: "Take a changed tool as seen",
		About: "From now on rules and grants may allow it as it is now. The body is what the tool was shown with (shown): 409 stale where that is no longer what is there. " +
			"What is left out of it may be anything. A tool that did not change stays as it is."}, h.acceptTool)
	restwire.Register(a, restwire.Row{Route: "PUT /v1/servers/{id}/tools/{name}/risk", ID: "setToolRisk", Who: restwire.Operators,
		Summary: "Give a tool a risk, or take that back",
		About: "It counts in place of the tool's name and its server's hint; what the input says still raises the risk of a call, and calls that wait keep theirs. " +
			"null takes it back. It is void once the tool's definition is another. 404: the desk knows nothing of the tool."}, h.setToolRisk)
	restwire.Register(a, restwire.Row{Route: "POST /v1/servers/{id}/tools/accept", ID: "acceptTools", Who: restwire.Operators,
		Summary: "Take several changed tools of a server as seen, all or none",
		About: "Each with all that it was shown with (shown): 409 stale, which names them, where some are others by now, and then none is taken. " +
			"A tool that did not change stays as it is."}, h.acceptTools)
}

type toolPath struct {
	ID   string `path:"id"`
	Name string `path:"name"`
}

type acceptToolIn struct {
	ID   string `path:"id"`
	Name string `path:"name"`
	Body *struct {
		Definition *string `json:"definition,omitempty"`
		Launch     *string `json:"launch,omitempty"`
		Back       *bool   `json:"back,omitempty"`
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

func (h *serverRows) getTool(ctx context.Context, in *toolPath) (*toolOut, error) {
	return toolAnswer(h.tools.Tool(ctx, in.ID, in.Name))
}

func (h *serverRows) acceptTool(ctx context.Context, in *acceptToolIn) (*toolOut, error) {
	var shown permission.SeenTool
	if in.Body != nil {
		shown = permission.SeenTool(*in.Body)
	}
	return toolAnswer(h.tools.AcceptTool(ctx, in.ID, in.Name, shown))
}

type setToolRiskIn struct {
	ID   string `path:"id"`
	Name string `path:"name"`
	Body struct {
		Risk *string `json:"risk" nullable:"true" enum:"low,medium,high"`
	} `nameHint:"SetToolRisk"`
}

func (h *serverRows) setToolRisk(ctx context.Context, in *setToolRiskIn) (*toolOut, error) {
	var level permission.Risk
	if in.Body.Risk != nil {
		level = permission.Risk(*in.Body.Risk)
	}
	return toolAnswer(h.tools.SetToolLevel(ctx, in.ID, in.Name, level))
}

type acceptToolsIn struct {
	ID   string `path:"id"`
	Body struct {
		Tools []seenTool `json:"tools" nullable:"false" minItems:"1" maxItems:"1000"`
	} `nameHint:"AcceptTools"`
}

type seenTool struct {
	Name       string `json:"name"`
	Definition string `json:"definition" doc:"as shown names it"`
	Launch     string `json:"launch" doc:"as shown names it"`
	Back       bool   `json:"back,omitempty" doc:"as shown has it; false when left out"`
}

type acceptToolsOut struct {
	Body struct {
		Accepted []string `json:"accepted" doc:"names of those that had changed"`
	}
}

func (h *serverRows) acceptTools(ctx context.Context, in *acceptToolsIn) (*acceptToolsOut, error) {
	shown := make(map[string]permission.ShownTool, len(in.Body.Tools))
	for i, t := range in.Body.Tools {
		if _, twice := shown[t.Name]; twice {
			return nil, permission.Invalid(fmt.Sprintf("tools[%d].name", i), permission.FieldDuplicate, "named twice")
		}
		shown[t.Name] = permission.ShownTool{Definition: t.Definition, Launch: t.Launch, Back: t.Back}
	}
	accepted, err := h.tools.AcceptTools(ctx, in.ID, shown)
	out := &acceptToolsOut{}
	out.Body.Accepted = list(accepted)
	return out, err
}
