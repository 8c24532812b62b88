// Sekisho is the agents' side of the desk and the person's terminal: a small
// static program that talks to a running desk over HTTP.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"sekisho/backend"
	"sekisho/backend/process"
	"sekisho/backend/terminal"
	"sekisho/backend/tool"
	"sekisho/backend/usage"
)

func main() {
	process.Begin()
	tool.Begin()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		if code := exited(0); errors.As(err, &code) {
			os.Exit(int(code))
		}
		fmt.Fprint(os.Stderr, terminal.Complaint("sekisho", err))
		os.Exit(usage.ExitCode(err))
	}
}

func root() *cobra.Command {
	var f finder
	c := &cobra.Command{
		Use:           "sekisho",
		Short:         "The permission desk between AI agents and the tools they call",
		Long:          "The permission desk between AI agents and the tools they call.\n\nExit code: 0 done, 1 not done, 2 wrong usage.",
		Version:       backend.Version,
		SilenceUsage:  true,
		SilenceErrors: true,

		PersistentPreRun:   remember,
		PersistentPostRunE: printed,
	}
	c.PersistentFlags().StringVar(&f.desk, "desk", "", "the desk's URL (default: $SEKISHO_URL, else the running desk's own desk.json)")
	c.PersistentFlags().StringVar(&f.tokenFile, "token-file", "", "file with the token to use (default: $SEKISHO_TOKEN)")
	c.PersistentFlags().StringVar(&f.agent, "agent", "", "use the token kept for the agent of this name")
	c.AddCommand(newMCPCommand(&f), newRunCommand(&f), newACPCommand(&f), newConnectCommand(&f), newDisconnectCommand(&f), newHookCommand(&f),
		newDoctorCommand(&f), newJournalCommand(&f), newScanCommand(), newDemoCommand(), newToolsCommand(), newExecutorCommand(&f))
	c.AddCommand(terminal.Commands(f.finding())...)
	usage.Strict(c)
	return c
}
