package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"sekisho/backend/permission"
)

// The verbs of a person at a terminal, with the operator's token.

func newPendingCommand(f *finder) *cobra.Command {
	return &cobra.Command{
		Use: "pending", Short: "List the calls that wait for a person (operator's token)", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := f.client()
			if err != nil {
				return err
			}
			shown := 0
			err = desk.pending(c.Context(), func(call permission.Call) error {
				shown++
				return show(c.OutOrStdout(), call)
			})
			if err == nil && shown == 0 {
				fmt.Fprintln(c.OutOrStdout(), "Nothing waits for a person.")
			}
			return err
		},
	}
}

func newDecideCommand(f *finder, verb string, approved bool) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: verb + " ID", Short: strings.ToUpper(verb[:1]) + verb[1:] + " a waiting call (operator's token)", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := callID(args[0])
			if err != nil {
				return err
			}
			desk, err := f.client()
			if err != nil {
				return err
			}
			call, err := desk.call(c.Context(), id)
			if err != nil {
				return err
			}
			if err := show(c.OutOrStdout(), call); err != nil {
				return fmt.Errorf("nothing is decided: %w", err)
			}
			if call, err = desk.decide(c.Context(), call, approved, reason); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(c.OutOrStdout(), "This call is now", call.Status); err != nil {
				return fmt.Errorf("the call is now %s, but to say so: %w", call.Status, err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "words for the agent")
	return c
}

func newLoginCommand(f *finder) *cobra.Command {
	return &cobra.Command{
		Use: "login-url", Short: "Print an address that opens the desk in a browser, once (operator's token)", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := f.client()
			if err != nil {
				return err
			}
			var got struct {
				LoginURL string `json:"loginUrl"`
			}
			var proved net.Addr
			ctx := httptrace.WithClientTrace(c.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
				proved = i.Conn.RemoteAddr()
			}})
			if err := desk.do(ctx, http.MethodPost, "/v1/login-codes", nil, &got); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), atAddress(got.LoginURL, proved))
			return nil
		},
	}
}

// atAddress puts the address where the desk has proved itself in the place of the name
// localhost: a browser may take that for another address, where somebody else may listen.
func atAddress(login string, proved net.Addr) string {
	u, err := url.Parse(login)
	if err != nil || !strings.EqualFold(u.Hostname(), "localhost") || proved == nil {
		return login
	}
	u.Host = proved.String()
	return u.String()
}
