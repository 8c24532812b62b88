package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"sekisho/backend"
	"sekisho/backend/permission"
)

// found is what protects a server.
type found struct {
	resource string // as the server names itself
	meta     *oauthex.AuthServerMeta
	scopes   []string
}

// discover finds out what protects a server.
func discover(ctx context.Context, c *http.Client, g guard, server permission.Server) (found, error) {
	challenges, err := challengesOf(ctx, c, server)
	if err != nil {
		return found{}, err
	}
	f := found{resource: server.URL}
	issuer, err := url.Parse(server.URL)
	if err != nil {
		return f, err
	}
	*issuer = url.URL{Scheme: issuer.Scheme, Host: issuer.Host} // of servers without metadata, as MCP 2025-03-26 has it
	at := issuer.String()
	if resource := resourceOf(ctx, c, g, server.URL, challenges); resource != nil {
		if len(resource.AuthorizationServers) == 0 {
			return f, errors.New("the server names no authorization server")
		}
		f.resource, f.scopes, at = resource.Resource, resource.ScopesSupported, resource.AuthorizationServers[0]
	}
	if asked := scopesAsked(challenges); asked != nil {
		f.scopes = asked
	}
	if err := g.check("authorization server", at); err != nil {
		return f, err
	}
	if f.meta, err = auth.GetAuthServerMetadata(ctx, at, c); err != nil {
		return f, fmt.Errorf("ask what the authorization server %s offers: %w", at, err)
	}
	if f.meta == nil {
		return f, fmt.Errorf("the authorization server %s does not say what it offers", at)
	}
	if slices.Contains(f.meta.ScopesSupported, "offline_access") && !slices.Contains(f.scopes, "offline_access") {
		f.scopes = append(slices.Clone(f.scopes), "offline_access") // for a token that renews
	}
	return f, nil
}

// safe says why an authorization server must not be used. It does not have to register
// the desk where a person did.
func safe(g guard, meta *oauthex.AuthServerMeta, registered bool) error {
	if !slices.Contains(meta.CodeChallengeMethodsSupported, "S256") {
		return errors.New("the authorization server does not do PKCE with S256")
	}
	if meta.RegistrationEndpoint == "" && !registered {
		return errors.New(
			"the authorization server lets no program register itself: sign in with a client ID that you got there, or give the server's entry a header with a token")
	}
	endpoints := map[string]string{"authorization endpoint": meta.AuthorizationEndpoint, "token endpoint": meta.TokenEndpoint}
	if !registered {
		endpoints["registration endpoint"] = meta.RegistrationEndpoint
	}
	for what, endpoint := range endpoints {
		if err := g.check(what, endpoint); err != nil {
			return fmt.Errorf("the authorization server cannot be used: %w", err)
		}
	}
	return nil
}

// challengesOf asks the server as an agent's client would, and reads how it refuses.
func challengesOf(ctx context.Context, c *http.Client, server permission.Server) ([]oauthex.Challenge, error) {
	about := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sekisho","version":"` + backend.Version + `"}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(about))
	if err != nil {
		return nil, err
	}
	for name, value := range server.Headers {
		req.Header.Set(name, value)
	}
	if req.Header.Get("Authorization") != "" {
		return nil, permission.Invalid("headers.Authorization", permission.FieldTokenOwn, "the entry has a token of its own: take it out to sign in")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := c.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the server: %w", err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	if resp.StatusCode < 300 {
		return nil, errors.New("the server asks for no sign-in")
	}
	return challengesIn(resp.Header.Values("WWW-Authenticate")), nil // with none it may still be found in the usual places
}

// resourceOf finds what the server says of itself: where its refusal points to, else in
// the usual places. It is nil when it says nothing that is its own.
func resourceOf(ctx context.Context, c *http.Client, g guard, server string,
	challenges []oauthex.Challenge) *oauthex.ProtectedResourceMetadata {
	u, err := url.Parse(server)
	if err != nil {
		return nil
	}
	root := url.URL{Scheme: u.Scheme, Host: u.Host}
	type place struct{ at, resource string }
	var places []place
	for _, challenge := range challenges {
		if at := challenge.Params["resource_metadata"]; at != "" && g.check("metadata", at) == nil {
			places = append(places, place{at, server}, place{at, root.String()})
		}
	}
	const known = "/.well-known/oauth-protected-resource"
	if path := strings.TrimPrefix(u.EscapedPath(), "/"); path != "" {
		places = append(places, place{root.String() + known + "/" + path, server})
	}
	places = append(places, place{root.String() + known, root.String()}, place{root.String() + known, root.String() + "/"})
	for _, p := range places {
		if found, err := oauthex.GetProtectedResourceMetadata(ctx, p.at, p.resource, c); err == nil && found != nil {
			return found
		}
	}
	return nil
}
