package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

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
			err = desk.pending(c.Context(), func(call permission.Call) {
				show(c.OutOrStdout(), call)
				shown++
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
			show(c.OutOrStdout(), call)
			if call, err = desk.decide(c.Context(), call, approved, reason); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), "This call is now", call.Status)
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
			if err := desk.do(c.Context(), http.MethodPost, "/v1/login-codes", nil, &got); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), got.LoginURL)
			return nil
		},
	}
}

// show prints a call for a person. What an agent wrote is made visible first.
func show(w io.Writer, c permission.Call) {
	server := "its own program"
	if c.ServerID != nil {
		server = visible(*c.ServerID)
	}
	fmt.Fprintf(w, "%s\n  %s wants to run %s on %s\n", c.ID, visible(c.AgentName), visible(c.ToolName), server)
	var input bytes.Buffer
	if json.Indent(&input, c.Input, "  ", "  ") != nil {
		input.Reset()
		input.Write(c.Input)
	}
	lines := strings.Split(input.String(), "\n")
	for i := range lines {
		lines[i] = visible(lines[i])
	}
	fmt.Fprintf(w, "  %s\n  risk %s, asked because: %s\n", strings.Join(lines, "\n"), c.Risk, visible(c.Why.Reason))
	for _, reason := range c.RiskReasons {
		fmt.Fprintf(w, "  the risk: %s\n", visible(reason))
	}
	if c.CallerGone {
		fmt.Fprintln(w, "  The agent has stopped waiting: approved, it runs once when the agent asks again.")
	}
	if !c.ExpiresAt.IsZero() && c.Status == permission.Pending {
		fmt.Fprintf(w, "  declines by itself at %s\n", c.ExpiresAt.Std().Local().Format(time.TimeOnly))
	}
}

// visible writes what a terminal would hide or obey as its code point.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsGraphic(r) && (r == ' ' || !unicode.IsSpace(r)) && !filler(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "⟦U+%04X⟧", r)
	}
	return b.String()
}

// filler reports characters that are graphic by their class and yet show nothing.
func filler(r rune) bool {
	switch {
	case r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x034F, r == 0x2800, r == 0x17B4, r == 0x17B5:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r >= 0x180B && r <= 0x180F:
		return true
	}
	return false
}
