// Package acp is the door of the Agent Client Protocol (agentclientprotocol.com): JSON-RPC,
// one message a line, between an editor and its agent.
//
// A Relay stands between the two and passes every line on as it came, but for one request:
// an agent's session/request_permission does not reach the editor. It becomes a call at the
// desk, and a yes there chooses the option of kind allow_once. The kinds that end in _always
// are the agent's own memory, and are never chosen. Whatever goes wrong is a no, and an
// editor's own answer to such a request is not passed on.
package acp
