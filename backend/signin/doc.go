// Package signin signs the desk in to servers over HTTP that are protected by OAuth, as
// the authorization part of MCP (2025-11-25) has it: what protects the server is found
// by RFC 9728, its authorization server by RFC 8414 or OpenID Connect Discovery, the
// desk registers itself by RFC 7591, and the person answers in the browser (code flow
// with PKCE, a redirect to this machine, state and issuer checked). Tokens are for the
// URL that they were asked for (RFC 8707), kept with the secrets, and renewed when they
// are due. What a server wants beyond them is kept for the person, who signs in again for
// it, and a sign-out asks the authorization server to take them back (RFC 7009). The
// journal tells of all this, and has no token.
//
// Neither the server nor its authorization server is trusted: what they name is fetched
// without redirects, over https, within bounds, and not from inside this network unless
// the server is there itself; see guard.
package signin
