// Package joined is the MCP endpoint /mcp: all servers behind the desk as one.
//
// Its border is Host, Desk and session.Session. A client's session has a connection here as
// its server's side, which opens a session of its own with each server when it is needed
// first: a member. Names of tools and prompts, URIs of resources and ids of requests are made
// to be one of all members, and are changed back on the way to a member. This room judges
// nothing and executes nothing: a request goes to its member through the host's gate
// (Host.Request, Host.Pass), as if the client had sent it to that server's own endpoint.
//
// Inside, each subject has a type and a lock of its own: names and URIs; subscriptions; the
// questions of members (inward); the members and what they are reminded of; their lists; the
// locator, which finds whom a request is for; the search among several. A connection has one
// of each, and only it knows them all.
package joined
