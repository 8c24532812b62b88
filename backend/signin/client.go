package signin

import (
	"slices"
	"strings"

	"sekisho/backend/permission"
)

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
