package main

import (
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/spf13/cobra"

	"sekisho/backend/hookline"
	"sekisho/backend/usage"
)

// errNotAllowed ends the program with the exit code of a no, whose words are printed already.
var errNotAllowed = errors.New("not allowed")

func newHookCommand(f *finder) *cobra.Command {
	var o hookline.Options
	c := &cobra.Command{
		Use:   "hook --client CLIENT",
		Short: "Answer an event of an agent program's hook, from standard input",
		Long: "Answer an event of an agent program's hook, from standard input.\n\nIt asks the running desk, prints what the program reads, and exits with 0. " +
			"Whatever else happens is a no: exit code 2, with the reason on standard error. sekisho-hook does the same and starts faster.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Client == "" {
				return usage.Wrong(errors.New("say --client: claude, codex, gemini, copilot, vscode, cursor or opencode"))
			}
			o.Stop = c.Context().Done()
			o.Desk, o.TokenFile, o.Agent = f.desk, f.tokenFile, f.agent
			o.TLS = func(address string) (net.Conn, error) {
				host, _, err := net.SplitHostPort(address)
				if err != nil {
					return nil, err
				}
				dialer := &net.Dialer{Timeout: 2 * time.Second}
				return tls.DialWithDialer(dialer, "tcp", address, &tls.Config{ServerName: host, NextProtos: []string{"http/1.1"}})
			}
			if hookline.Run(o, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()) != 0 {
				return usage.Coded{Err: errNotAllowed, Code: 2}
			}
			return nil
		},
	}
	c.Flags().StringVar(&o.Client, "client", "", "claude, codex, gemini, copilot, vscode, cursor or opencode")
	c.Flags().StringVar(&o.Defer, "defer", "", "seconds after which Claude Code is told to ask again when its session goes on")
	return c
}
