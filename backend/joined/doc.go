// Package joined is the MCP endpoint /mcp: all servers behind the desk as one.
//
// Its border is Host, Desk and session.Session. A client's session has a connection here as
// its server's side, which opens a session of its own with each server when it is needed
// first: a member. Names of tools and prompts, URIs of resources and ids of requests are made
// to be one of all members, and are changed back on the way to a member. This room judges
// nothing and executes nothing: a request goes to its member through the host's gate
// (Host.Request, Host.Pass), as if the client had sent it to that server's own endpoint.
package joined
