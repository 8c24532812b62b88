// Package mcpwire reads and writes messages of MCP on their raw bytes: the envelope of
// JSON-RPC, the params of what is judged, server-sent events, names of methods and headers,
// and error codes. It keeps no state.
//
// What a client says is read strictly (FromClient, ReadAct): what is judged and what a
// server executes must be read alike. What a server says is looked at no further than its
// envelope (FromServer). All slices of a Message lie in its raw bytes, so that what is
// passed on is what came. The names are those of the specification, versions 2024-11-05 to
// 2025-11-25 and 2026-07-28.
package mcpwire
