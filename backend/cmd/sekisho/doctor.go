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
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"sekisho/backend/connect"
	"sekisho/backend/doctor"
	"sekisho/backend/hookcommand"
	"sekisho/backend/hookline"
	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/terminal"
	"sekisho/backend/tool"
	"sekisho/backend/usage"
)

// newDoctorCommand checks that clients ask the desk about their own tools.
func newDoctorCommand(f *finder) *cobra.Command {
	var client string
	var asJSON bool
	c := &cobra.Command{
		Use: "doctor", Short: "Prove that your agents' clients ask the desk before they run a tool", Args: cobra.NoArgs,
		Long: "Prove that your agents' clients ask the desk before they run a tool.\n\n" +
			"It reads their settings, runs the command of their hooks as it is configured, asks Codex which hooks it\n" +
			"trusts, and lets the client itself (Claude Code, Codex, Gemini CLI, Copilot CLI, opencode) work for a\n" +
			"scripted model on this computer. Each has to be refused by the desk, in a call that is always denied.\n" +
			"A client starts its other hooks and its servers, too, as whenever you start it. A line that names another\n" +
			"desk than this one (--desk, else the running one) is open. What was not seen is not called closed.\n" +
			"Exit code 0: every client is closed.",
		RunE: func(c *cobra.Command, _ []string) error {
			if known, ok := connect.ClientByID(client); client != "" && (!ok || !known.Hooks()) {
				return usage.Wrong(fmt.Errorf("nothing is known of hooks of %q", client))
			}
			home, err := os.UserHomeDir()
			if err != nil {
				return fmt.Errorf("find the home folder: %w", err)
			}
			cwd, err := os.Getwd()
			if err != nil {
				return fmt.Errorf("find the current folder: %w", err)
			}
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			d := &doctor.Doctor{Places: connect.Places{GOOS: runtime.GOOS, Home: home, Env: os.Getenv, Cwd: cwd}, Program: program,
				Runs: exec.LookPath, Trust: doctor.CodexTrust(exec.LookPath, cwd),
				Desk: func(h hookcommand.Command) (doctor.Desk, error) { return canaryDesk(f, h) },
				Starts: func(client, program string) {
					fmt.Fprintf(c.ErrOrStderr(), "%s (%s) is started with its own settings, and so with its other hooks and its servers.\n",
						client, terminal.Visible(program))
				}}
			reports := d.Check(c.Context(), client)
			var confined *tool.Confinement
			if client == "" {
				if confined, err = confinementHere(); err != nil {
					return err
				}
			}
			return showReports(c, reports, confined, asJSON)
		},
	}
	c.Flags().StringVar(&client, "client", "", "only this client: claude-code, codex, gemini, copilot, opencode, cursor")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// confinementHere is how far the commands of workspaces are confined on this machine, by this program.
func confinementHere() (*tool.Confinement, error) {
	made, err := os.MkdirTemp("", "sekisho-doctor-")
	if err != nil {
		return nil, fmt.Errorf("try a workspace: %w", err)
	}
	defer os.RemoveAll(made)
	folder, err := filepath.EvalSymlinks(made)
	if err != nil {
		return nil, fmt.Errorf("try a workspace: %w", err)
	}
	w, err := tool.Open(folder)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	confined := w.Confinement()
	return &confined, nil
}

// showReports tells of clients and, where it is not nil, of the confinement of workspaces, which makes no
// difference to the exit code.
func showReports(c *cobra.Command, all []doctor.Report, confined *tool.Confinement, asJSON bool) error {
	out, failed := c.OutOrStdout(), len(all) == 0
	for _, r := range all {
		failed = failed || r.State != doctor.Closed
	}
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		said := map[string]any{"clients": append([]doctor.Report{}, all...)}
		if confined != nil {
			said["workspaces"] = confined
		}
		if err := enc.Encode(said); err != nil {
			return err
		}
	} else {
		for _, r := range all {
			fmt.Fprintf(out, "%s: %s\n", r.Name, strings.ReplaceAll(string(r.State), "_", " "))
			for _, why := range r.Reasons {
				fmt.Fprintf(out, "  %s %s %s\n    %s\n", why.Code, terminal.Visible(why.Path), terminal.Visible(why.Detail), why.Repair)
			}
		}
		if confined != nil {
			sayConfinement(out, "workspaces: ", *confined)
		}
	}
	if failed {
		return errors.New("not every client was proved closed")
	}
	return nil
}

// canaries is the desk that a hook's command asks.
type canaries struct{ *client }

func canaryDesk(f *finder, h hookcommand.Command) (doctor.Desk, error) {
	desk := place.Desk{URL: strings.TrimRight(f.desk, "/")}
	if desk.URL == "" { // not that of this program's environment, which clients need not have
		var err error
		if desk, err = place.FindDesk(); err != nil {
			return nil, fmt.Errorf("no running desk was found, and --desk says of none: %w", err)
		}
	}
	if err := doctor.AsksAt(h, desk.URL); err != nil {
		return nil, err
	}
	token, err := hookline.ReadToken(h.Door, h.Token, h.Agent)
	return canaries{newClient(desk.URL, token)}, err
}

// NewCanary asks the desk for one.
func (c canaries) NewCanary(ctx context.Context) (string, error) {
	var made permission.Canary
	err := c.Do(ctx, http.MethodPost, "/v1/canaries", nil, &made)
	return made.Nonce, err
}

// Refused looks for the call among those that were denied last.
func (c canaries) Refused(ctx context.Context, nonce string) (bool, error) {
	var got struct{ Calls []permission.Call }
	err := c.Do(ctx, http.MethodGet, "/v1/calls?status="+url.QueryEscape(string(permission.Denied)), nil, &got)
	return doctor.Refusal(got.Calls, nonce), err
}
