package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"sekisho/backend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/tool"
	"sekisho/backend/usage"
)

// newToolsCommand is the server of the workspace tools, which a desk starts for a workspace.
func newToolsCommand() *cobra.Command {
	var folder, look string
	var programs []string
	var check bool
	c := &cobra.Command{
		Use: "tools --root FOLDER", Short: "Be an MCP server with file and command tools for one folder, over standard input and output",
		Args: cobra.NoArgs,
		Long: "Be an MCP server with file and command tools for one folder, over standard input and output.\n\n" +
			"It asks nobody: put it behind a desk. It reads and writes files of the folder alone, starts only listed\n" +
			"programs with listed options, and confines them as far as the machine allows. Standard error tells how far.",
		RunE: func(c *cobra.Command, _ []string) error {
			if !filepath.IsAbs(folder) {
				return usage.Wrong(fmt.Errorf("--root: %q is no absolute path", folder))
			}
			w, err := tool.Open(folder, programs...)
			if err != nil {
				return err
			}
			defer w.Close()
			switch {
			case check:
				return checkTools(c.Context(), w, c.OutOrStdout())
			case look != "":
				return lookTools(w, look, c.InOrStdin(), c.OutOrStdout())
			}
			sayConfinement(c.ErrOrStderr(), "", w.Confinement())
			return toolServer(w).Run(c.Context(), &mcp.StdioTransport{})
		},
	}
	c.Flags().StringVar(&folder, "root", "", "the folder, as an absolute path")
	c.Flags().StringArrayVar(&programs, "program-folder", nil, "a folder where programs are looked for after the system's own; may be given again")
	c.Flags().BoolVar(&check, "check", false, "say in JSON how far commands are confined and which programs start, and end")
	c.Flags().StringVar(&look, "look", "", "say in JSON why a call of this tool, whose input is read from standard input, is refused, and end")
	c.MarkFlagsMutuallyExclusive("check", "look")
	_ = c.MarkFlagRequired("root") // the flag was just made
	_ = c.MarkFlagDirname("root")
	return c
}

// toolServer offers the tools of a workspace.
func toolServer(w *tool.Workspace) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sekisho-tools", Version: backend.Version}, nil)
	for _, d := range tool.Definitions() {
		elsewhere, adds := false, !d.ReadOnly
		s.AddTool(&mcp.Tool{Name: d.Name, Description: d.Description, InputSchema: d.InputSchema, OutputSchema: d.OutputSchema,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: d.ReadOnly, DestructiveHint: &adds, OpenWorldHint: &elsewhere}},
			func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				input := r.Params.Arguments
				if len(input) == 0 {
					input = json.RawMessage("{}")
				}
				shown, _ := r.Params.Meta[mcpwire.MetaFileVersion].(string) // the desk says it, where a person was shown one
				result := w.Run(ctx, d.Name, input, shown)
				raw, err := json.Marshal(result)
				if err != nil {
					return nil, err
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(raw)}}, StructuredContent: json.RawMessage(raw),
					IsError: result.Error != ""}, nil
			})
	}
	return s
}
