package joined

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/upstream"
)

// share makes a member of the session that serves all requests of the agent to a server in the
// era without sessions: the same as at the server's own endpoint.
func (a *members) share(ctx context.Context, server permission.Server, _ *namedURIs) (*peer, error) {
	s, bad := a.host.Shared(a.client.Agent, server, *a.asks.Load())
	if bad != nil {
		return nil, bad
	}
	p := &peer{s: s, whole: a, logger: a.opts.Logger}
	result, err := p.ask(ctx, mcpwire.Discover, []byte("{}"))
	var said struct{ Capabilities json.RawMessage }
	if err == nil && json.Unmarshal(result, &said) != nil {
		err = errors.New("the server's answer to server/discover is not one of MCP")
	}
	if err != nil {
		p.end()
		return nil, err
	}
	agreed := &agreement{can: abilityOf(said.Capabilities)}
	p.agreed.Store(agreed)
	a.met.learn(&server, agreed.can)
	return p, nil
}

// stateless is a request of the desk's own, or that it repeats, in the era without sessions. What
// is its own it asks in the name of the client that was there first: a server of an earlier era
// is told once what its client can.
func (a *members) stateless(method string, params []byte) (http.Header, []byte) {
	if meta, _ := mcpwire.Member(params, "_meta"); meta == nil {
		rest := strings.TrimPrefix(string(params), "{")
		if rest != "}" {
			rest = "," + rest
		}
		params = fmt.Appendf(nil, `{"_meta":%s%s`, *a.asks.Load(), rest)
	}
	return mcpwire.StatelessHeader(mcpwire.Message{Method: method, Params: params}), params
}

// head gives a request that is moved to a member the headers that it has there. Those of its
// parameters are held against what they repeat: a client that has no headers says so by a nil one.
func (p *peer) head(moved *mcpwire.Message, said http.Header) *mcpwire.Error {
	if said != nil {
		if bad := p.s.Headers.Fault(said, *moved); bad != nil {
			return bad
		}
	}
	moved.Header = mcpwire.StatelessHeader(*moved)
	for name, values := range said {
		if strings.HasPrefix(name, upstream.ParamHeader) {
			moved.Header[name] = values
		}
	}
	moved.Header = p.s.Headers.With(moved.Header, *moved)
	return nil
}
