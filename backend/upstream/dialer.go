package upstream

import (
	"errors"
	"net"
	"net/http"
	"time"

	"sekisho/backend/permission"
)

// Dialer connects to servers.
type Dialer struct {
	client  *http.Client
	builtin map[string]Handler // by the server's id
	tools   Launcher
	clients Handler
}

// NewDialer makes a dialer that signs nothing.
func NewDialer() *Dialer { return &Dialer{client: newClient(), builtin: map[string]Handler{}} }

// Serve lets a handler be a server in the desk's own process. It is called before the first
// connection.
func (d *Dialer) Serve(serverID string, h Handler) { d.builtin[serverID] = h }

// Launcher gives the process of a workspace's tools as an entry that is started, or says why there is
// none.
type Launcher func(workspace permission.Server) (permission.Server, error)

// Launch lets workspaces be started. It is called before the first connection.
func (d *Dialer) Launch(by Launcher) { d.tools = by }

// ServeClients lets a handler be the server of workspaces whose tools clients run. It is called before the
// first connection.
func (d *Dialer) ServeClients(h Handler) { d.clients = h }

// SignWith gives requests to servers over HTTP the tokens of their sign-ins. It is called
// before the first connection.
func (d *Dialer) SignWith(s SignIns) { d.client.Transport = &signing{d.client.Transport, s} }

// Close lets go of connections that are in no use.
func (d *Dialer) Close() { d.client.CloseIdleConnections() }

// Connect makes the upstream of a session. A message of the server over limit bytes is
// dropped.
func (d *Dialer) Connect(server permission.Server, limit int, to Listener) (Server, error) {
	if server.Lacks != "" {
		return nil, errors.New(server.Lacks)
	}
	switch server.Transport {
	case permission.TransportHTTP:
		return dial(d.client, server, limit, to), nil
	case permission.TransportBuiltin:
		if h := d.builtin[server.ID]; h != nil {
			return serve(h, limit, to), nil
		}
		return nil, errors.New("it is none of the desk's own servers")
	case permission.TransportWorkspace:
		if !server.RunsHere() && d.clients != nil {
			return serve(d.clients, limit, to), nil
		}
		if d.tools == nil {
			return nil, errors.New("this desk starts no workspaces")
		}
		var err error
		if server, err = d.tools(server); err != nil {
			return nil, err
		}
	}
	return start(server, limit, to)
}

// newClient makes the one HTTP client of a gateway. It follows no redirect, since an
// entry's secrets are meant for the URL that the person wrote, and leaves bytes as
// they are.
func newClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: dialWithin}).DialContext,
			TLSHandshakeTimeout: dialWithin,
			ForceAttemptHTTP2:   true,
			DisableCompression:  true,
			MaxIdleConnsPerHost: 64,
			IdleConnTimeout:     90 * time.Second,
		},
	}
}
