package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"sekisho/backend/permission"
	"sekisho/backend/sessionfile"
	"sekisho/backend/terminal"
	"sekisho/backend/usage"
)

// firstWait is how long a client that starts before its desk is kept waiting: less than the
// 10 s that the least patient of them give a server to start.
const firstWait = 8 * time.Second

// newMCPCommand is what an agent's client starts in the place of a stdio server.
func newMCPCommand(f *finder) *cobra.Command {
	var server, session string
	var first time.Duration
	c := &cobra.Command{
		Use: "mcp [--server ID]", Short: "Be the MCP server ID, or all as one, towards an agent's client, over standard input and output",
		Args: cobra.NoArgs,
		Long: "Be the MCP server ID towards an agent's client, over standard input and output; without --server, all servers\n" +
			"behind the desk as one.\n\n" +
			"Every message goes to the running desk, which has the real server behind it: that is never started from\n" +
			"here. When the desk ends, requests wait for it and are sent to the next one, as long as the client waits;\n" +
			"a call that was sent is not executed a second time. Standard error tells of it.",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkServer(server); c.Flags().Changed("server") && err != nil {
				return usage.Wrong(err)
			}
			to := way{first: first, told: c.ErrOrStderr()}
			if set := os.Getenv("SEKISHO_WAIT"); set != "" && !c.Flags().Changed("wait") {
				var err error
				if to.first, err = time.ParseDuration(set); err != nil {
					return usage.Wrong(fmt.Errorf("SEKISHO_WAIT: %w", err))
				}
			}
			to.find = func() (endpoint, error) {
				desk, err := f.url()
				if err != nil {
					return endpoint{}, err
				}
				token, err := f.token()
				if session != "" {
					token, err = sessionfile.Token(c.Context(), session, func(ctx context.Context, passkey string) (string, error) {
						return beginSession(ctx, newClient(desk, token), err, passkey)
					})
				}
				if err != nil {
					return endpoint{}, err
				}
				at := endpoint{desk: desk, url: desk + "/mcp", token: token}
				if server != "" {
					at.url += "/" + url.PathEscape(server)
				}
				return at, nil
			}
			return bridge(c.Context(), to, c.InOrStdin(), c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&server, "server", "", "the server's id in the desk's list (default: all servers as one)")
	_ = c.RegisterFlagCompletionFunc("server", terminal.CompleteServers(f.finding())) // the flag was just made
	c.Flags().StringVar(&session, "session-file", "", "a file (0600) with a passkey, which is changed for its session's token, or with that")
	c.Flags().DurationVar(&first, "wait", firstWait, "how long to wait at first for a desk that is not there yet ($SEKISHO_WAIT)")
	return c
}

// beginSession changes a passkey for the token of its session, as the agent; noAgent says why its
// token cannot be had.
func beginSession(ctx context.Context, agent *client, noAgent error, passkey string) (token string, err error) {
	if noAgent != nil {
		return "", noAgent
	}
	var begun struct {
		SessionToken string `json:"sessionToken"`
	}
	err = agent.Do(ctx, http.MethodPost, "/v1/sessions/authenticate", map[string]string{"passkey": passkey}, &begun)
	return begun.SessionToken, err
}

// checkServer refuses what is no server's id, before a client waits for it in vain.
func checkServer(id string) error {
	if id == permission.PromptServer {
		return nil
	}
	var bad *permission.Error
	if err := (&permission.Server{ID: id}).Valid(); errors.As(err, &bad) && bad.Field == "id" {
		return fmt.Errorf("--server %q is no server: %s", id, bad.Message)
	}
	return nil
}
