package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sekisho/backend/executor"
	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/restclient"
	"sekisho/backend/tool"
	"sekisho/backend/trial"
	"sekisho/backend/upstream"
	"sekisho/backend/usage"
)

// newExecutorCommand runs the tools of a workspace of a desk that has not its files.
func newExecutorCommand(f *finder) *cobra.Command {
	var folder, project string
	c := &cobra.Command{
		Use: "executor --root FOLDER", Short: "Run approved calls of a workspace in a folder of this machine, for a desk",
		Args: cobra.NoArgs,
		Long: "Run approved calls of a workspace in a folder of this machine, for a desk.\n\n" +
			"The workspace is one whose execution is client, and the token is an executor's: POST /v1/executors makes one.\n" +
			"Each call is judged here once more, and runs as sekisho tools runs it.",
		RunE: func(c *cobra.Command, _ []string) error {
			if !filepath.IsAbs(folder) {
				return usage.Wrong(fmt.Errorf("--root: %q is no absolute path", folder))
			}
			w, err := tool.Open(folder)
			if err != nil {
				return err
			}
			w.Close() // it can be opened; each call opens it anew
			desk, err := f.client()
			if err != nil {
				return err
			}
			defer desk.Close()
			if project, err = theProject(c.Context(), desk.Client, project); err != nil {
				return err
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			x := executor.Executor{Desk: desk.Client, Project: project, Run: runIn(self, folder),
				Logger: slog.New(slog.NewTextHandler(c.ErrOrStderr(), nil))}
			return x.Serve(c.Context(), func() { fmt.Fprintf(c.OutOrStdout(), "serving %s in %s\n", project, folder) })
		},
	}
	c.Flags().StringVar(&folder, "root", "", "the folder, as an absolute path")
	c.Flags().StringVar(&project, "project", "", "the id of the workspace (default: the one that the token serves)")
	_ = c.MarkFlagRequired("root") // the flag was just made
	_ = c.MarkFlagDirname("root")
	return c
}

// theProject is the project that is served.
func theProject(ctx context.Context, desk *restclient.Client, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	all, err := executor.Projects(ctx, desk)
	switch {
	case err != nil:
		return "", err
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return "", errors.New("the token serves no workspace that a client executes")
	}
	return "", usage.Wrong(fmt.Errorf("the token serves several workspaces: say one of %s with --project", strings.Join(all, ", ")))
}

// toolWithin bounds a call, from the start of its process to its end.
const toolWithin = (guard.MaxTimeout + 20) * time.Second

// runIn runs a call in a process of its own, which ends with all that it started.
func runIn(program, folder string) executor.Run {
	dialer := upstream.NewDialer()
	server := permission.Server{ID: "workspace", Transport: permission.TransportStdio, Command: program,
		Args: []string{"tools", "--root", folder}, Enabled: true}
	return func(ctx context.Context, name string, input []byte) (r tool.Result, err error) {
		raw, err := trial.Call(ctx, toolWithin, func(limit int, to upstream.Listener) (upstream.Server, error) {
			return dialer.Connect(server, limit, to)
		}, name, input, "")
		switch {
		case errors.Is(err, trial.ErrUnknown):
			return r, err
		case err != nil:
			return tool.Result{Error: err.Error()}, nil
		}
		var answer struct {
			Result tool.Result `json:"structuredContent"`
		}
		err = json.Unmarshal(raw, &answer)
		return answer.Result, err
	}
}
