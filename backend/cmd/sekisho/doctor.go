package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"sekisho/backend/connect"
	"sekisho/backend/doctor"
	"sekisho/backend/permission"
)

// newDoctorCommand checks that clients ask the desk about their own tools.
func newDoctorCommand(f *finder) *cobra.Command {
	var client string
	var asJSON bool
	c := &cobra.Command{
		Use: "doctor", Short: "Prove that your agents' clients ask the desk before they run a tool", Args: cobra.NoArgs,
		Long: "Prove that your agents' clients ask the desk before they run a tool.\n\n" +
			"It reads their settings, runs the command of their hooks as it is configured, and lets Claude Code\n" +
			"and Codex work for a scripted model on this computer. Each has to be refused by the desk, in a call\n" +
			"that is always denied. What was not seen is not called closed. Exit code 0: every client is closed.",
		RunE: func(c *cobra.Command, _ []string) error {
			if known, ok := connect.ClientByID(client); client != "" && (!ok || !known.Hooks()) {
				return misused(fmt.Errorf("nothing is known of hooks of %q", client))
			}
			home, err := os.UserHomeDir()
			if err != nil {
				return fmt.Errorf("find the home folder: %w", err)
			}
			cwd, err := os.Getwd()
			if err != nil {
				return fmt.Errorf("find the current folder: %w", err)
			}
			d := &doctor.Doctor{Places: connect.Places{GOOS: runtime.GOOS, Home: home, Env: os.Getenv, Cwd: cwd}, Runs: exec.LookPath,
				Desk: func(h connect.HookCommand) (doctor.Desk, error) { return canaryDesk(f, h) }}
			return showReports(c, d.Check(c.Context(), client), asJSON)
		},
	}
	c.Flags().StringVar(&client, "client", "", "only this client: claude-code, codex, gemini, copilot, opencode, cursor")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func showReports(c *cobra.Command, all []doctor.Report, asJSON bool) error {
	out, failed := c.OutOrStdout(), len(all) == 0
	for _, r := range all {
		failed = failed || r.State != doctor.Closed
	}
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(map[string]any{"clients": append([]doctor.Report{}, all...)}); err != nil {
			return err
		}
	} else {
		for _, r := range all {
			fmt.Fprintf(out, "%s: %s\n", r.Name, strings.ReplaceAll(string(r.State), "_", " "))
			for _, why := range r.Reasons {
				fmt.Fprintf(out, "  %s %s %s\n    %s\n", why.Code, visible(why.Path), visible(why.Detail), why.Repair)
			}
		}
	}
	if failed {
		return errors.New("not every client was proved closed")
	}
	return nil
}

// canaries is the desk that a hook's command asks.
type canaries struct{ *client }

func canaryDesk(f *finder, h connect.HookCommand) (doctor.Desk, error) {
	own := finder{desk: h.Desk, tokenFile: h.Token, agent: h.Agent}
	if f.desk != "" {
		own.desk = f.desk
	}
	c, err := own.client()
	return canaries{c}, err
}

// NewCanary asks the desk for one.
func (c canaries) NewCanary(ctx context.Context) (string, error) {
	var made permission.Canary
	err := c.do(ctx, http.MethodPost, "/v1/canaries", nil, &made)
	return made.Nonce, err
}

// Refused looks for the call among those that were denied last.
func (c canaries) Refused(ctx context.Context, nonce string) (bool, error) {
	var got struct{ Calls []permission.Call }
	err := c.do(ctx, http.MethodGet, "/v1/calls?status="+url.QueryEscape(string(permission.Denied)), nil, &got)
	for _, call := range got.Calls {
		if call.Decision != nil && call.Decision.Code == permission.ReasonCanary && strings.Contains(string(call.Input), nonce) {
			return true, nil
		}
	}
	return false, err
}
