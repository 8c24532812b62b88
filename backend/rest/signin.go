package rest

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
)

// SignIns signs the desk in to servers over HTTP that ask for it.
type SignIns interface {
	// Begin answers where a person has to go in their browser.
	Begin(ctx context.Context, s permission.Server) (permission.SignIn, error)
	SignIn(s permission.Server) permission.SignIn
	// SignOut forgets a server's tokens.
	SignOut(serverID string) error
}

func (h *Handler) addSignIns() {
	const path = "/v1/servers/{id}/sign-in"
	register(h, row{method: http.MethodPost, path: path, id: "signIn", who: operators(),
		summary: "Begin to sign in to a server over HTTP that asks for it",
		about: "The answer's url is to be opened in a browser on the machine of the desk: the way back is a port of that machine, open for 5 minutes. " +
			"The authorization server has to let programs register themselves and to do PKCE with S256. Tokens are kept with the secrets and sent to this server's URL alone."}, h.signIn)
	register(h, row{method: http.MethodGet, path: path, id: "getSignIn", who: operators(),
		summary: "Say how far the sign-in to a server is"}, h.getSignIn)
	register(h, row{method: http.MethodDelete, path: path, id: "signOut", who: operators(),
		summary: "Forget the tokens of a server"}, h.signOut)
}

type serverPath struct {
	ID string `path:"id"`
}

type signInOut struct {
	Body struct {
		SignIn permission.SignIn `json:"signIn"`
	}
}

func (h *Handler) listed(ctx context.Context, id string) (permission.Server, error) {
	servers, err := h.desk.Servers(ctx)
	for _, s := range servers {
		if s.ID == id {
			return s, err
		}
	}
	if err == nil {
		err = permission.NotFound("server")
	}
	return permission.Server{}, err
}

func (h *Handler) signIn(ctx context.Context, in *serverPath) (*signInOut, error) {
	server, err := h.listed(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if h.opts.SignIns == nil {
		return nil, &permission.Error{Code: permission.CodeUnavailable, Message: "this desk signs in to no server"}
	}
	out := &signInOut{}
	out.Body.SignIn, err = h.opts.SignIns.Begin(ctx, server)
	return out, err
}

func (h *Handler) getSignIn(ctx context.Context, in *serverPath) (*signInOut, error) {
	server, err := h.listed(ctx, in.ID)
	out := &signInOut{}
	out.Body.SignIn = h.signedIn(server)
	return out, err
}

// signedIn says how far the sign-in to a server is.
func (h *Handler) signedIn(server permission.Server) permission.SignIn {
	if h.opts.SignIns == nil || server.Transport != permission.TransportHTTP {
		return permission.SignIn{State: permission.SignedOut}
	}
	return h.opts.SignIns.SignIn(server)
}

func (h *Handler) signOut(ctx context.Context, in *serverPath) (*signInOut, error) {
	server, err := h.listed(ctx, in.ID)
	if err == nil && h.opts.SignIns != nil {
		err = h.opts.SignIns.SignOut(server.ID)
	}
	out := &signInOut{}
	out.Body.SignIn = h.signedIn(server)
	return out, err
}
