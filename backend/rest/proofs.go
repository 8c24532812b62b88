package rest

import (
	"context"

	"sekisho/backend/restwire"
)

// ClientTrial is a server of a client's file that was started as the client starts it.
type ClientTrial struct {
	Key      string  `json:"key"`
	ServerID string  `json:"serverId"`
	Tools    int     `json:"tools"`
	Seconds  float64 `json:"seconds" doc:"from its start until its tools were known"`
	Error    string  `json:"error" doc:"why it is of no use, in English or in the server's words, without secrets; else empty"`
}

// ClientProof is a server that starts directly, and the same one behind the desk.
type ClientProof struct {
	ClientTrial
	State   string   `json:"state" enum:"same,different,lost" doc:"same: it has the same tools behind the desk; different: it has others; lost: it does not start there, and error says why"`
	Missing []string `json:"missing" doc:"names of tools that it has directly alone"`
	Added   []string `json:"added" doc:"names of tools that it has behind the desk alone"`
	Changed []string `json:"changed" doc:"names of tools that are defined otherwise behind the desk"`
}

func (h *connectionRows) addProofs(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "POST /v1/connections/{id}/try", ID: "tryClient", Who: restwire.Operators,
		Summary: "Start the tool servers of a client's file as the client does, before they are moved",
		About: "Each is asked for its tools and ended again; what is switched off is not started. The body is that of connecting: 409 stale as there. " +
			"Four start at a time, each in a minute at most."}, h.tryClient)
	restwire.Register(a, restwire.Row{Route: "POST /v1/connections/{id}/prove", ID: "proveClient", Who: restwire.Operators,
		Summary: "Compare the tools of a connected file's servers with those before",
		About: "Each server that started when the file was tried is started by the line that the client has for it now, which leads through the desk. " +
			"404 when the file was not tried and connected since this desk was started. Four start at a time, each in a minute at most."}, h.proveClient)
}

type tryOut struct {
	Body struct {
		Servers []ClientTrial `json:"servers"`
	} `nameHint:"ClientTrials"`
}

func (h *connectionRows) tryClient(ctx context.Context, in *connectIn) (*tryOut, error) {
	found, err := h.clients.Try(ctx, in.ID, in.Body.Shown, in.choice())
	out := &tryOut{}
	out.Body.Servers = list(found)
	return out, err
}

type proveOut struct {
	Body struct {
		Servers []ClientProof `json:"servers"`
	} `nameHint:"ClientProofs"`
}

func (h *connectionRows) proveClient(ctx context.Context, in *checkIn) (*proveOut, error) {
	found, err := h.clients.Prove(ctx, in.ID)
	out := &proveOut{}
	out.Body.Servers = list(found)
	for i := range out.Body.Servers {
		p := &out.Body.Servers[i]
		p.Missing, p.Added, p.Changed = list(p.Missing), list(p.Added), list(p.Changed)
	}
	return out, err
}
