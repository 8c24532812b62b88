// Package claudecode is the door of Claude Code's control protocol: the program speaks
// newline JSON on its standard input and output, and asks there before it runs a tool.
//
// A Peer is the other side of that conversation. It asks a handover.ExecutorApprovalService. Whatever goes
// wrong is a no: a hook callback that is answered with an error would let the tool run, so
// that there it is a denial.
//
// Every tool is asked about in two steps. The hook callback tool_approval answers ask,
// whatever mode the client is in, and the client then sends can_use_tool, which becomes a
// call at the desk. The callback auto_approve is for tools of the client's own that it
// would not ask about: what the rules allow now runs at once.
package claudecode
