package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/restclient"
)

// standing is how a desk is, as far as it was told.
type standing struct {
	URL      string          `json:"url"`
	Version  string          `json:"version"`
	OK       bool            `json:"ok"`
	Trouble  string          `json:"trouble"`
	Operator string          `json:"operator"` // "window", "token" or "key"
	Told     string          `json:"told"`     // by whose token the rest is known: "operator", "agents", "agent"
	Hold     *bool           `json:"hold"`     // nil: not known
	Waiting  []waitingCall   `json:"waiting"`
	Agents   []standingAgent `json:"agents"`
}

type waitingCall struct {
	ID        permission.CallID `json:"id"`
	Name      string            `json:"name"` // as approve takes it
	AgentName string            `json:"agentName"`
	ToolName  string            `json:"toolName"`
	Risk      permission.Risk   `json:"risk"`

	rev int64
}

type standingAgent struct {
	Name    string `json:"name"`
	Waiting int    `json:"waiting"`
}

func newStatusCommand(f Finder) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "status", Short: "Show the desk: who decides, what waits, the agents, and whether all is held", Args: cobra.NoArgs,
		Long: "Show the desk: who decides, what waits, the agents, and whether all is held.\n\n" +
			"It works with every desk, and without a token: then it tells of the agents whose tokens are kept on this\n" +
			"machine alone. With the operator's token it tells of all. Exit code 1: no desk answers.",
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := stand(c.Context(), f, !asJSON && isTerminal(c.OutOrStdout()))
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), s)
			}
			return Print(c.OutOrStdout(), s.text())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// stand finds out how the desk is.
func stand(ctx context.Context, f Finder, ask bool) (*standing, error) {
	url, err := f.URL()
	if err != nil {
		return nil, err
	}
	h, err := healthOf(ctx, url)
	if err != nil {
		return nil, err
	}
	if h.Version == "" {
		return nil, fmt.Errorf("what answers at %s is no desk: say where the desk is with --desk URL", url)
	}
	s := &standing{URL: url, Version: h.Version, OK: h.OK, Trouble: h.Trouble, Operator: h.Operator,
		Waiting: []waitingCall{}, Agents: []standingAgent{}}
	token, err := waited(ctx, f.Token)
	if errors.Is(err, ErrNoToken) && ask && h.Operator != decidedByWindow {
		token, err = askHidden(ctx, "Operator's token, to show all (Enter: without): ")
		if err == nil && token == "" {
			err = ErrNoToken
		}
	}
	switch {
	case errors.Is(err, ErrNoToken), errors.Is(err, errNoTerminal):
		s.Told = "agents"
		err = s.fromAgents(ctx)
	case err != nil:
		return nil, err
	default:
		err = s.fromToken(ctx, restclient.New(url, token))
	}
	s.name()
	return s, err
}

// name gives each call that waits its name among all.
func (s *standing) name() {
	names := naming{}
	for _, c := range s.Waiting {
		names[ending(c.ID)]++
	}
	for i := range s.Waiting {
		s.Waiting[i].Name = names.of(s.Waiting[i].ID, s.Waiting[i].rev)
	}
}

// fromToken is what the desk tells to whoever has a token: an agent hears of itself.
func (s *standing) fromToken(ctx context.Context, desk *restclient.Client) error {
	defer desk.Close()
	if err := s.wait(ctx, desk); err != nil {
		return err
	}
	var settings permission.Settings
	err := desk.Do(ctx, http.MethodGet, "/v1/settings", nil, &settings)
	var p *restclient.Problem
	if errors.As(err, &p) && p.Code == permission.CodeForbidden {
		s.Told = "agent"
		return nil
	}
	if err != nil {
		return err
	}
	s.Told, s.Hold = "operator", &settings.Hold
	var got struct{ Agents []permission.Agent }
	if err := desk.Do(ctx, http.MethodGet, "/v1/agents", nil, &got); err != nil {
		return err
	}
	for _, a := range got.Agents {
		n := 0
		for _, c := range s.Waiting {
			if c.AgentName == a.Name {
				n++
			}
		}
		s.Agents = append(s.Agents, standingAgent{a.Name, n})
	}
	return nil
}

func (s *standing) wait(ctx context.Context, desk *restclient.Client) error {
	waiting, err := desk.PendingBriefly(ctx)
	for _, c := range waiting {
		s.Waiting = append(s.Waiting, waitingCall{c.ID, "", c.AgentName, c.ToolName, c.Risk, c.Rev})
	}
	return err
}

// fromAgents asks for each agent whose token is kept on this machine. One that this desk
// does not know is another desk's.
func (s *standing) fromAgents(ctx context.Context) error {
	dir, err := place.Config()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "agents", "*.token"))
	if err != nil {
		return err
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		desk := restclient.New(s.URL, strings.TrimSpace(string(raw)))
		before := len(s.Waiting)
		err = s.wait(ctx, desk)
		desk.Close()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			s.Agents = append(s.Agents, standingAgent{strings.TrimSuffix(filepath.Base(file), ".token"), len(s.Waiting) - before})
		}
	}
	return nil
}

func (s *standing) text() string {
	var b strings.Builder
	line := func(name, format string, values ...any) {
		fmt.Fprintf(&b, "%-9s%s\n", name, Visible(fmt.Sprintf(format, values...)))
	}
	line("Desk", "%s, version %s", s.URL, s.Version)
	if s.Trouble != "" {
		line("Trouble", "%s", s.Trouble)
	}
	switch s.Operator {
	case decidedByWindow:
		line("Decides", "its window, which is the operator: answer there")
	case "key":
		line("Decides", "whoever has the operator's token (printed once by \"sekisho service install\"): \"sekisho watch\"")
	default:
		line("Decides", "whoever has the operator's token: \"sekisho watch\"")
	}
	if s.Hold != nil {
		line("Hold", "%s", map[bool]string{true: "on: nothing is allowed without asking (\"sekisho hold off\" ends it)", false: "off"}[*s.Hold])
	}
	s.listed(&b, line)
	return b.String()
}

func (s *standing) listed(b io.Writer, line func(name, format string, values ...any)) {
	whose := map[string]string{"operator": "", "agent": " of this agent", "agents": " of the agents below"}[s.Told]
	line("Waiting", "%s%s", Count(len(s.Waiting), "call", "calls"), whose)
	for _, c := range s.Waiting {
		fmt.Fprintf(b, "  %s  %s: %s, risk %s\n", c.Name, Visible(c.AgentName), Visible(c.ToolName), c.Risk)
	}
	if s.Told == "agent" {
		return
	}
	of := ""
	if s.Told == "agents" {
		of = ", by the tokens that are kept here; with the operator's token all are told"
	}
	line("Agents", "%d%s", len(s.Agents), of)
	for _, a := range s.Agents {
		fmt.Fprintf(b, "  %s: %s\n", Visible(a.Name), Count(a.Waiting, "call waits", "calls wait"))
	}
}
