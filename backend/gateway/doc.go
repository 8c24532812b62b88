// Package gateway is the MCP door: a server towards agents, a client towards the
// servers behind the desk (CONTRACT section 5).
//
// It relays JSON-RPC as raw bytes and decodes only what the gate looks at. Each
// client connection has a session, and each session a process of its own, so that
// ids, subscriptions and progress tokens cross unchanged. Judged requests go through the
// call runner (package attend): they become calls at the desk, and are executed after a
// claim, with the bytes of the desk's row.
//
// It speaks the eras 2024-11-05 to 2025-11-25, with sessions, and 2026-07-28, without:
// there all requests of one agent share a session to a server, in which each goes under
// a name of its own. Servers are processes that speak newline JSON, or are asked over
// streamable HTTP. In the later era a person's yes covers the further rounds in which a
// server asks for input before it completes a call. What one connection is, is in package
// session; /mcp joins all servers, in package joined; a client and a server that speak no era
// in common understand each other by package era.
package gateway
