package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sekisho/backend/permission"
	"sekisho/backend/usage"
)

// table prints rows in columns. What a server or an agent wrote is made visible first.
func table(out io.Writer, rows [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i := range row {
			row[i] = Visible(row[i])
		}
		fmt.Fprintln(t, strings.TrimRight(strings.Join(row, "\t"), "\t "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return Print(out, b.String())
}

// newListCommand makes a command that shows a list of the desk.
func newListCommand(f Finder, use, short, path string, show func(out io.Writer, answer json.RawMessage) error) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: use, Short: short + " (operator's token)", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := Operator(c.Context(), f, "show this")
			if err != nil {
				return err
			}
			defer desk.Close()
			var answer json.RawMessage
			if err := desk.Do(c.Context(), http.MethodGet, path, nil, &answer); err != nil {
				return err
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), answer)
			}
			return show(c.OutOrStdout(), answer)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON, as the desk has it")
	return c
}

func newServersCommand(f Finder) *cobra.Command {
	return newListCommand(f, "servers", "List the tool servers behind the desk", "/v1/servers", func(out io.Writer,
		answer json.RawMessage) error {
		var got struct {
			Servers []struct {
				ID, Transport, Command, URL, State string
				Args, Tools                        []string
				Enabled                            bool
			}
		}
		if err := json.Unmarshal(answer, &got); err != nil {
			return fmt.Errorf("read the servers: %w", err)
		}
		if len(got.Servers) == 0 {
			_, err := fmt.Fprintln(out, "There is no tool server behind the desk: \"sekisho connect\" puts those of your clients there.")
			return err
		}
		all := [][]string{{"SERVER", "STATE", "TOOLS", "STARTS"}}
		for _, s := range got.Servers {
			state := s.State
			if !s.Enabled {
				state = "off"
			}
			starts := s.URL
			if starts == "" {
				starts = strings.Join(append([]string{s.Command}, s.Args...), " ")
			}
			all = append(all, []string{s.ID, state, fmt.Sprint(len(s.Tools)), permission.Short(starts, maxCell)})
		}
		return table(out, all)
	})
}

// maxCell bounds a text in a table, in characters.
const maxCell = 100

func newAgentsCommand(f Finder) *cobra.Command {
	return newListCommand(f, "agents", "List the agents of the desk", "/v1/agents", func(out io.Writer, answer json.RawMessage) error {
		var got struct{ Agents []permission.Agent }
		if err := json.Unmarshal(answer, &got); err != nil {
			return fmt.Errorf("read the agents: %w", err)
		}
		if len(got.Agents) == 0 {
			_, err := fmt.Fprintln(out, "The desk knows no agent: \"sekisho connect\" makes one for each of your clients.")
			return err
		}
		all := [][]string{{"AGENT", "SINCE", "ID"}}
		for _, a := range got.Agents {
			all = append(all, []string{a.Name, a.CreatedAt.Std().Local().Format("2006-01-02 15:04"), string(a.ID)})
		}
		return table(out, all)
	})
}

func newHoldCommand(f Finder) *cobra.Command {
	return &cobra.Command{
		Use: "hold on|off", Short: "Hold everything, so that nothing is allowed without asking, or stop holding (operator's token)",
		Args: func(c *cobra.Command, words []string) error {
			if len(words) == 1 && (words[0] == "on" || words[0] == "off") {
				return nil
			}
			return usage.Wrong(errors.New("say: sekisho hold on, or: sekisho hold off"))
		},
		ValidArgsFunction: cobra.FixedCompletions([]string{"on", "off"}, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, words []string) error {
			desk, err := Operator(c.Context(), f, "turn hold "+words[0])
			if err != nil {
				return err
			}
			defer desk.Close()
			if err := desk.Do(c.Context(), http.MethodPost, "/v1/hold", map[string]any{"on": words[0] == "on"}, nil); err != nil {
				return err
			}
			said := map[string]string{"on": "Hold is on: nothing is allowed without asking.", "off": "Hold is off: rules allow again."}[words[0]]
			_, err = fmt.Fprintln(c.OutOrStdout(), said)
			return err
		},
	}
}
