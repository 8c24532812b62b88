// Package rest is the desk's HTTP door (CONTRACT section 4): REST with an OpenAPI
// document, server-sent events, the mount of the MCP gateway, and the front end.
//
// A request passes the same checks in the same order wherever it goes, and none
// of them tells more than the one before allowed: Host and Origin, whether the
// path exists, how much the bearer of the token has under way already, the token,
// the caller's role, the method, the kind and size of the body, strict JSON, and at
// last the content. Only then does a handler run.
//
// The rows of the API stand one group to a file; Handler puts them together.
package rest
