package gateway

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"sekisho/backend/permission"
)

// SignIns has the tokens of servers that a person signed in to. Both answer the value of
// an Authorization header, or "" when there is none.
type SignIns interface {
	// Authorization is for a request to exactly this URL.
	Authorization(ctx context.Context, serverID, url string) string
	// Renewed is another value in the place of one that the server refused.
	Renewed(ctx context.Context, serverID, url, refused string) string
}

// SignWith gives requests to servers over HTTP the tokens of their sign-ins. It is
// called before the gateway serves.
func (g *Gateway) SignWith(s SignIns) { g.client.Transport = &signing{g.client.Transport, s} }

// toServer is the context's key for the server that a request is for.
type toServer struct{}

func withServer(ctx context.Context, s permission.Server) context.Context {
	return context.WithValue(ctx, toServer{}, &s)
}

// signing is a transport that adds the token of the server that a request is for, to
// requests for its own URL alone, and not where the entry has an Authorization of its own.
type signing struct {
	http.RoundTripper
	tokens SignIns
}

// RoundTrip sends a request again, once, when the server says with 401 that the token is
// not good and there is another one: it has refused the request, so that nothing has run.
func (s *signing) RoundTrip(req *http.Request) (*http.Response, error) {
	server, _ := req.Context().Value(toServer{}).(*permission.Server)
	if server == nil || !same(req.URL, server.URL) || req.Header.Get("Authorization") != "" {
		return s.RoundTripper.RoundTrip(req)
	}
	value := s.tokens.Authorization(req.Context(), server.ID, server.URL)
	if value == "" {
		return s.RoundTripper.RoundTrip(req)
	}
	resp, err := s.send(req, value)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || req.Body != nil && req.GetBody == nil {
		return resp, err
	}
	next := s.tokens.Renewed(req.Context(), server.ID, server.URL, value)
	if next == "" || next == value {
		return resp, nil
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxExcuse)
	resp.Body.Close()
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		if again.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	return s.send(again, next)
}

// same reports whether a request is for an entry's own URL.
func same(at *url.URL, entry string) bool {
	u, err := url.Parse(entry)
	return err == nil && at.String() == u.String()
}

func (s *signing) send(req *http.Request, value string) (*http.Response, error) {
	signed := req.Clone(req.Context())
	signed.Header.Set("Authorization", value)
	return s.RoundTripper.RoundTrip(signed)
}
