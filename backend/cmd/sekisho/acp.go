package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"sekisho/backend/acp"
	"sekisho/backend/handover"
)

// newACPCommand starts an agent of the Agent Client Protocol so that it asks at the desk.
func newACPCommand(f *finder) *cobra.Command {
	return &cobra.Command{
		Use: "acp -- AGENT [ARGUMENT]…", Short: "Start an agent of the Agent Client Protocol so that it asks at the desk",
		Args: cobra.MinimumNArgs(1),
		Long: "Start an agent of the Agent Client Protocol so that it asks at the desk.\n\n" +
			"An editor starts this in the agent's place. All that the two say passes unchanged, but for the agent's\n" +
			"permission requests, which the desk answers. The exit code is the agent's. Without a desk nothing runs.",
		RunE: func(c *cobra.Command, words []string) error {
			at, stops, err := f.service(c.Context(), "The agent", "acp")
			if err != nil {
				return err
			}
			opts := acp.Options{Told: c.ErrOrStderr(), Stopped: stops,
				Approvals: func(where handover.Circumstances) handover.ExecutorApprovalService { return at(where) }}
			return relayACP(c.Context(), words, opts, c.InOrStdin(), c.OutOrStdout())
		},
	}
}

// endWithin is for an agent that was asked to end.
const endWithin = 5 * time.Second

// relayACP starts the agent, and ends with its exit code. Whatever ends this program ends the
// agent, too.
func relayACP(ctx context.Context, words []string, opts acp.Options, in io.Reader, out io.Writer) error {
	child, err := startClient(words[0], words[1:])
	if err != nil {
		return err
	}
	defer child.tree.Kill()
	defer context.AfterFunc(ctx, func() {
		child.tree.Terminate()
		time.AfterFunc(endWithin, child.tree.Kill)
	})()
	relay := acp.New(acp.Streams{EditorSays: in, EditorHears: out, AgentSays: child.out, AgentHears: child.in}, opts)
	if err := relay.Run(ctx); err != nil {
		child.tree.Terminate()
		return err
	}
	return child.wait()
}
