// Package session is one connection of an MCP client and its server's side: the requests in
// flight, the way of their answers, and what the server says by itself.
//
// It judges nothing and knows no desk. Its user, the gateway, opens a session with a server
// (upstream.Server), admits each request of the client (Admit), lets it be sent (Begin,
// Dispatch) and follows it to its answer (Follow) on the client's HTTP answer (Stream). A
// request that is cancelled or left is withdrawn here. What belongs to no request waits for
// the client's GET stream, within bounds. In the era without sessions one session serves all
// requests of an agent to a server, each under a name of its own.
package session
