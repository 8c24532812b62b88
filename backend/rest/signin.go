package rest

import (
	"context"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h *serverRows) addSignIns(a *restwire.API) {
	const path = "/v1/servers/{id}/sign-in"
	restwire.Register(a, restwire.Row{Route: "POST " + path, ID: "signIn", Who: restwire.Operators,
		Summary: "Begin to sign in to a server over HTTP that asks for it",
		About: "The answer's url is to be opened in a browser on the machine of the desk: the way back is a port of that machine, open for 5 minutes. " +
			"The authorization server has to do PKCE with S256, and to let programs register themselves. Where it does not, client is what you got when you registered the desk there, " +
			"with the redirect http://127.0.0.1/callback, or http://127.0.0.1:PORT/callback and callbackPort. It is kept with the secrets for this server's URL and this authorization server, until one with an empty id forgets it, which it does though no sign-in can begin; a masked secret put back is kept. Tokens are kept with the secrets and sent to this server's URL alone. " +
			"It asks for the scopes of the sign-in that there is, and for those of its wants, too."}, h.signIn)
	restwire.Register(a, restwire.Row{Route: "GET " + path, ID: "getSignIn", Who: restwire.Operators,
		Summary: "Say how far the sign-in to a server is"}, h.getSignIn)
	restwire.Register(a, restwire.Row{Route: "DELETE " + path, ID: "signOut", Who: restwire.Operators,
		Summary: "Forget the tokens of a server",
		About:   "Then the authorization server is asked to take them back (RFC 7009), where it does so; the answer's error says if that failed, and its client, where there is one, stays for the next sign-in."}, h.signOut)
}

type signInOut struct {
	Body struct {
		SignIn permission.SignIn `json:"signIn"`
	}
}

func (h *serverRows) listed(ctx context.Context, id string) (permission.Server, error) {
	servers, err := h.servers.Servers(ctx)
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

type signInIn struct {
	ID   string `path:"id"`
	Body *struct {
		Client *permission.SignInClient `json:"client,omitempty"`
	} `nameHint:"SignInBegin"`
}

func (h *serverRows) signIn(ctx context.Context, in *signInIn) (*signInOut, error) {
	server, err := h.listed(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if h.signIns == nil {
		return nil, &permission.Error{Code: permission.CodeUnavailable, Message: "this desk signs in to no server"}
	}
	out := &signInOut{}
	var as *permission.SignInClient
	if in.Body != nil {
		as = in.Body.Client
	}
	begun, err := h.signIns.Begin(ctx, server, as)
	out.Body.SignIn = shownSignIn(begun)
	return out, err
}

func (h *serverRows) getSignIn(ctx context.Context, in *byID) (*signInOut, error) {
	server, err := h.listed(ctx, in.ID)
	out := &signInOut{}
	out.Body.SignIn = h.signedIn(server)
	return out, err
}

// signedIn says how far the sign-in to a server is.
func (h *serverRows) signedIn(server permission.Server) permission.SignIn {
	if h.signIns == nil || server.Transport != permission.TransportHTTP {
		return shownSignIn(permission.SignIn{State: permission.SignedOut})
	}
	return shownSignIn(h.signIns.SignIn(server))
}

func shownSignIn(s permission.SignIn) permission.SignIn {
	s.Wants = list(s.Wants)
	return s
}

func (h *serverRows) signOut(ctx context.Context, in *byID) (*signInOut, error) {
	server, err := h.listed(ctx, in.ID)
	out := &signInOut{}
	out.Body.SignIn = h.signedIn(server)
	if err == nil && h.signIns != nil {
		done, failed := h.signIns.SignOut(ctx, server.ID)
		out.Body.SignIn, err = shownSignIn(done), failed
	}
	return out, err
}
