// Package terminal is the desk for people at a terminal: the commands that show how it is,
// answer calls, change rules and run it as a service of the user.
//
// A person shows that they may decide by the operator's token. It is asked for at the
// terminal, without echo, or read from a file that they name, and kept nowhere: an agent's
// shell could read it there.
package terminal

import "github.com/spf13/cobra"

// Commands are all of them.
func Commands(f Finder) []*cobra.Command {
	return []*cobra.Command{
		newStatusCommand(f), newWatchCommand(f), newPendingCommand(f), newDecideCommand(f, "approve", true),
		newDecideCommand(f, "decline", false), newRulesCommand(f), newServersCommand(f), newAgentsCommand(f),
		newHoldCommand(f), newLogsCommand(f), newServiceCommand(),
		newLoginCommand(f),
	}
}
