package server

import "sekisho/backend/permission"

// The kinds of events of which no entry of the journal tells: hints to a page that it look again.
const (
	// serverMoved is told when a server behind the desk starts, ends, or offers other tools.
	serverMoved permission.EntryKind = "server.moved"
	// troubleMoved is told when trouble with the disk comes or goes.
	troubleMoved permission.EntryKind = "desk.trouble"
)
