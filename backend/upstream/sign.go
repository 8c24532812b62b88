package upstream

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"sekisho/backend/permission"
)

// SignIns are those of a person to servers.
type SignIns interface {
	Tokens
	Rights
}

// Tokens has the tokens of servers that a person signed in to. The first two answer the
// value of an Authorization header, or "" when there is none.
type Tokens interface {
	// Authorization is for a request to exactly this URL.
	Authorization(ctx context.Context, serverID, url string) string
	// Renewed is another value in the place of one that the server refused.
	Renewed(ctx context.Context, serverID, url, refused string) string
	// Known are the secrets of a server's sign-in, now and before, that nothing which the
	// server says may show.
	Known(serverID string) []string
}

// Rights hears what servers want beyond what their sign-in has.
type Rights interface {
	// Lacks takes the headers WWW-Authenticate of a server that forbids what was sent
	// with a value. words are for the caller; "" when it is not for want of rights.
	Lacks(serverID, url, sent string, challenges []string) (words string)
}

// toServer is the context's key for the server that a request is for.
type toServer struct{}

func withServer(ctx context.Context, s permission.Server) context.Context {
	return context.WithValue(ctx, toServer{}, &s)
}

// signing is a transport that adds the token of the server that a request is for, to
// requests for its own URL alone, and not where the entry has an Authorization of its own.
type signing struct {
	http.RoundTripper
	signIns SignIns
}

// RoundTrip signs a request. What the server refuses is answered without the tokens, and
// in words of the desk where the sign-in does not reach so far.
func (s *signing) RoundTrip(req *http.Request) (*http.Response, error) {
	server, _ := req.Context().Value(toServer{}).(*permission.Server)
	if server == nil || !same(req.URL, server.URL) || req.Header.Get("Authorization") != "" {
		return s.RoundTripper.RoundTrip(req)
	}
	resp, sent, err := s.exchange(req, server)
	if err != nil || resp.StatusCode < 300 {
		return resp, err
	}
	if sent != "" && resp.StatusCode == http.StatusForbidden {
		s.explain(resp, server, sent)
	}
	_, token, _ := strings.Cut(sent, " ")
	if veil := NewRedactor(append(s.signIns.Known(server.ID), token)); veil != nil {
		hide(resp, veil)
	}
	return resp, nil
}

// exchange sends a request, and again, once, when the server says with 401 that the token
// is not good and there is another one: it has refused the request, so that nothing has
// run. sent is the last value.
func (s *signing) exchange(req *http.Request, server *permission.Server) (resp *http.Response, sent string, err error) {
	value := s.signIns.Authorization(req.Context(), server.ID, server.URL)
	if value == "" {
		resp, err = s.RoundTripper.RoundTrip(req)
		return resp, "", err
	}
	resp, err = s.send(req, value)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || req.Body != nil && req.GetBody == nil {
		return resp, value, err
	}
	next := s.signIns.Renewed(req.Context(), server.ID, server.URL, value)
	if next == "" || next == value {
		return resp, value, nil
	}
	discard(resp)
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		if again.Body, err = req.GetBody(); err != nil {
			return nil, next, err
		}
	}
	resp, err = s.send(again, next)
	return resp, next, err
}

// explain puts words of the desk in the place of a refusal for want of rights: what the
// server says beside it does not tell whoever asked what helps. The request is not sent
// again: only a person can change the rights.
func (s *signing) explain(resp *http.Response, server *permission.Server, sent string) {
	words := s.signIns.Lacks(server.ID, server.URL, sent, resp.Header.Values("WWW-Authenticate"))
	if words == "" {
		return
	}
	discard(resp)
	replace(resp, io.NopCloser(strings.NewReader(words)))
}

// discard ends an answer that nobody reads.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxExcuse)
	resp.Body.Close()
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
