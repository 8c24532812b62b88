// Package rest is the desk's HTTP door (CONTRACT section 4): REST with an OpenAPI
// document, server-sent events, the mount of the MCP gateway, and the front end.
//
// The rows of the API stand one group to a file; Handler puts them together. How any
// request is checked, read and answered is in restwire.
package rest
