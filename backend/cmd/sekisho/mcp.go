package main

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"sekisho/backend/permission"
)

// newMCPCommand is what an agent's client starts in the place of a stdio server.
func newMCPCommand(f *finder) *cobra.Command {
	var server string
	c := &cobra.Command{
		Use: "mcp --server ID", Short: "Be the MCP server ID towards an agent's client, over standard input and output", Args: cobra.NoArgs,
		Long: "Be the MCP server ID towards an agent's client, over standard input and output.\n\n" +
			"Every message goes to the running desk, which has the real server behind it. When the desk is not\n" +
			"there, requests are answered with an error that says so: the real server is never started from here.",
		RunE: func(c *cobra.Command, _ []string) error {
			if server == "" {
				return misused(errors.New("which server? say --server ID"))
			}
			if err := checkServer(server); err != nil {
				return misused(err)
			}
			find := func() (endpoint, error) {
				desk, err := f.client()
				if err != nil {
					return endpoint{}, err
				}
				return endpoint{desk: desk.url, url: desk.url + "/mcp/" + url.PathEscape(server), token: desk.token}, nil
			}
			return bridge(c.Context(), find, c.InOrStdin(), c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&server, "server", "", "the server's id in the desk's list")
	return c
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
