package signin

import (
	"encoding/json"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"sekisho/backend/permission"
)

// clientPrefix begins the names of clients among the secrets; the server's id follows.
const clientPrefix = "sekisho-oauth-client:"

// Bounds of what a person says of a client.
const (
	maxClientID     = 512  // bytes
	maxClientSecret = 4096 // bytes
	minPort         = 1024
	maxPort         = 65535
)

// client is the desk as a person made it known to an authorization server, which alone
// gets its secret.
type client struct {
	Server string   `json:"server"` // its URL
	Issuer string   `json:"issuer"`
	ID     string   `json:"id"`
	Secret string   `json:"secret,omitempty"`
	Scopes []string `json:"scopes,omitempty"`
	Port   int      `json:"port,omitempty"` // of the redirect; 0 is any
}

// shown is a client without its secret; nil where there is none for this URL.
func (c *client) shown(url string) *permission.SignInClient {
	if c == nil || c.Server != url {
		return nil
	}
	out := &permission.SignInClient{ID: c.ID, Scopes: c.Scopes, CallbackPort: c.Port}
	if c.Secret != "" {
		out.Secret = permission.Mask
	}
	return out
}

// clientFor is the client of a sign-in that begins: what the person says, or else what is
// kept; nil where the desk registers itself. One with an empty ID forgets what is kept.
func (b *Book) clientFor(server permission.Server, said *permission.SignInClient) (*client, error) {
	b.mu.Lock()
	kept := b.clients[server.ID]
	b.mu.Unlock()
	if kept != nil && kept.Server != server.URL {
		kept = nil
	}
	if said == nil {
		return kept, nil
	}
	if said.ID == "" {
		b.mu.Lock()
		forgotten := b.forgetClient(server.ID)
		b.mu.Unlock()
		return nil, <-forgotten
	}
	if err := validClient(said); err != nil {
		return nil, err
	}
	next := &client{Server: server.URL, ID: said.ID, Secret: said.Secret, Scopes: union(said.Scopes), Port: said.CallbackPort}
	if said.Secret == permission.Mask {
		if kept == nil || kept.Secret == "" || kept.ID != said.ID {
			return nil, permission.Invalid("client.secret", permission.FieldMaskedUnknown, "masked, but there is no kept secret of this client")
		}
		next.Secret, next.Issuer = kept.Secret, kept.Issuer
	}
	return next, nil
}

func validClient(c *permission.SignInClient) error {
	odd := func(r rune) bool { return r < ' ' || r > '~' }
	switch {
	case len(c.ID) > maxClientID || strings.ContainsFunc(c.ID, odd) || strings.TrimSpace(c.ID) != c.ID:
		return permission.Invalid("client.id", permission.FieldTooLong, "a client ID is 1 to 512 letters, digits and signs of ASCII, without blanks around it")
	case len(c.Secret) > maxClientSecret || strings.ContainsFunc(c.Secret, odd):
		return permission.Invalid("client.secret", permission.FieldTooLong, "a client's secret is at most 4096 letters, digits and signs of ASCII")
	case len(c.Scopes) > maxScopes || slices.ContainsFunc(c.Scopes, func(s string) bool { return !isScope(s) }):
		return permission.Invalid("client.scopes", permission.FieldNotOneOf,
			"a scope is 1 to 128 letters, digits and signs of ASCII without blanks, quotes and backslashes; there are at most 64")
	case c.CallbackPort != 0 && (c.CallbackPort < minPort || c.CallbackPort > maxPort):
		return permission.Invalid("client.callbackPort", permission.FieldOutOfRange, "a port for the redirect is 1024 to 65535").
			With(permission.Param("least", 1024).With(permission.Param("most", 65535)))
	}
	return nil
}

// bind holds a client to the authorization server that it is for: it is the first one that
// it is used with.
func (c *client) bind(issuer string) error {
	if c.Issuer != "" && c.Issuer != issuer {
		return permission.Invalid("client.secret", permission.FieldSignInServer, "the server now names another authorization server, "+excerpt(issuer)+
			", than the one that this client is for: enter the client and its secret again if that is right")
	}
	if c.Issuer == "" {
		c.Issuer = issuer
	}
	return nil
}

// asRegistered makes a person's client that of a visit.
func (v *visit) asRegistered(c *client, redirect string) {
	style, methods := oauth2.AuthStyleInParams, v.meta.TokenEndpointAuthMethodsSupported
	if c.Secret != "" && (len(methods) == 0 || slices.Contains(methods, "client_secret_basic")) {
		style = oauth2.AuthStyleInHeader
	}
	v.config = oauth2.Config{ClientID: c.ID, ClientSecret: c.Secret, RedirectURL: redirect, Scopes: v.scopes, Endpoint: v.endpoint(style)}
}

// keepClient keeps the client that a person entered; where it cannot be written, the one
// before. The caller holds the lock.
func (b *Book) keepClient(id string, c *client) <-chan error {
	before := b.clients[id]
	b.clients[id] = c
	return b.disk.write(func() error {
		raw, err := json.Marshal(c)
		if err == nil {
			err = b.secrets.ChangeSecrets(map[string]string{clientPrefix + id: string(raw)}, nil)
		}
		if err != nil {
			b.changeClient(id, c, before)
		}
		return err
	})
}

// forgetClient forgets the client that is kept of a server, unless that cannot be written.
// The caller holds the lock.
func (b *Book) forgetClient(id string) <-chan error {
	c := b.clients[id]
	if c == nil {
		return nothing()
	}
	delete(b.clients, id)
	return b.disk.write(func() error {
		err := b.secrets.ChangeSecrets(nil, []string{clientPrefix + id})
		if err != nil {
			b.changeClient(id, nil, c)
		}
		return err
	})
}

// changeClient puts a client, nil being none, in the place of another one, if that is there.
func (b *Book) changeClient(id string, from, to *client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.clients[id] != from:
	case to == nil:
		delete(b.clients, id)
	default:
		b.clients[id] = to
	}
}
