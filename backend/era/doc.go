// Package era lets a client of one era of MCP use a server of the other: 2024-11-05 to
// 2025-11-25, which begin with initialize, and 2026-07-28, in which each request stands alone.
//
// A bridge is the server's side of a session (upstream.Server) before the server itself. It
// finds out which eras the server speaks. One that speaks its client's own is left alone: every
// byte passes as it is. Else the bridge translates: sessionServer is before a server that speaks
// only the eras with sessions, statelessServer before one that speaks only the other.
//
// What is inside of members stays as it was written: names, arguments, results, definitions,
// questions. What the bridge writes is the frame of a message: its id, its progress token, the
// members of _meta by which the later era says who asks, and the kind of a result. A call that
// the desk let through is sent once, and what a server asks for before it completes it is asked
// of the client that made it. What the other era has no word for is refused, with the reason.
package era
