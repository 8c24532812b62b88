package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sekisho/backend/permission"
	"sekisho/backend/restclient"
	"sekisho/backend/usage"
)

func newRulesCommand(f Finder) *cobra.Command {
	c := &cobra.Command{
		Use: "rules", Short: "List, add, test, import and export the rules",
		Long: "List, add, test, import and export the rules. The first that applies decides; where none does, a person is asked.",
	}
	c.AddCommand(newListRulesCommand(f), newAddRuleCommand(f), newTestRulesCommand(f), newImportRulesCommand(f), newExportRulesCommand(f))
	return c
}

func newListRulesCommand(f Finder) *cobra.Command {
	return newListCommand(f, "list", "List the rules in the order in which they are asked", "/v1/rules", func(out io.Writer,
		answer json.RawMessage) error {
		var got struct{ Rules []permission.Rule }
		if err := json.Unmarshal(answer, &got); err != nil {
			return fmt.Errorf("read the rules: %w", err)
		}
		if len(got.Rules) == 0 {
			_, err := fmt.Fprintln(out, "There is no rule: every call asks a person. \"sekisho rules add\" makes one.")
			return err
		}
		all := [][]string{{"PRIORITY", "EFFECT", "SERVER", "TOOL", "IF", "ID", "NOTE"}}
		for _, r := range got.Rules {
			all = append(all, []string{fmt.Sprint(r.Priority), effectOf(r), orAny(r.ServerID), toolOf(r),
				permission.Short(orNone(r.Condition), maxCell),
				string(r.ID), permission.Short(r.Note, maxCell)})
		}
		return table(out, all)
	})
}

func effectOf(r permission.Rule) string {
	if !r.Enabled {
		return string(r.Effect) + " (off)"
	}
	return string(r.Effect)
}

func orNone(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func orAny(text *string) string {
	if text == nil {
		return "any"
	}
	return *text
}

func toolOf(r permission.Rule) string {
	if r.ToolName != nil {
		return *r.ToolName
	}
	return orAny(r.ToolPattern)
}

// ruleLine is a rule in one line, with all that decides: somebody may agree to it.
func ruleLine(r permission.Rule) string {
	text := fmt.Sprintf("%s %s on %s, priority %d", effectOf(r), toolOf(r), orAny(r.ServerID), r.Priority)
	if r.Method != nil {
		text += ", method " + *r.Method
	}
	if r.Limit != nil {
		text += fmt.Sprintf(", at most %s in %d s", Count(int(r.Limit.Calls), "call", "calls"), r.Limit.Seconds)
	}
	if !r.ExpiresAt.IsZero() {
		text += ", until " + r.ExpiresAt.Std().Local().Format("2006-01-02 15:04")
	}
	if r.Condition != nil {
		text += ", if " + *r.Condition
	}
	if r.Note != "" {
		text += ", note: " + r.Note
	}
	return Visible(text + " (" + string(r.ID) + ")")
}

// newRule is a rule from the command line.
type newRule struct {
	allow, ask, deny                               bool
	server, method, tool, pattern, condition, note string
	priority                                       int64
	lasts                                          time.Duration
	timed                                          bool // lasts was said
}

func newAddRuleCommand(f Finder) *cobra.Command {
	var n newRule
	c := &cobra.Command{
		Use: "add", Short: "Add a rule (operator's token)", Args: cobra.NoArgs,
		Long: "Add a rule: one of --allow, --ask and --deny, and what it is about.\n\n" +
			"An allow rule says what it is about, at least: --pattern '*' is every tool. Calls that wait already go on waiting.",
		Example: "  sekisho rules add --allow --server filesystem --pattern 'read_*'\n" +
			"  sekisho rules add --deny --tool Bash --if 'shell(input.command).names.exists(n, n == \"git push\")' --note 'ask me to push'",
		RunE: func(c *cobra.Command, _ []string) error {
			n.timed = c.Flags().Changed("for")
			body, err := n.body(time.Now())
			if err != nil {
				return usage.Wrong(err)
			}
			desk, err := Operator(c.Context(), f, "add a rule")
			if err != nil {
				return err
			}
			defer desk.Close()
			var got struct {
				Rule           permission.Rule
				PendingMatches int
			}
			if err := desk.Do(c.Context(), http.MethodPost, "/v1/rules", body, &got); err != nil {
				return err
			}
			text := "Added: " + ruleLine(got.Rule) + "\n"
			if got.PendingMatches > 0 {
				text += Count(got.PendingMatches, "call that waits is one that it allows: it goes on", "calls that wait are ones that it allows: they go on") +
					" waiting for an answer (\"sekisho watch\").\n"
			}
			return Print(c.OutOrStdout(), text)
		},
	}
	fs := c.Flags()
	fs.BoolVar(&n.allow, "allow", false, "let it run unasked")
	fs.BoolVar(&n.ask, "ask", false, "ask a person")
	fs.BoolVar(&n.deny, "deny", false, "refuse it")
	fs.StringVar(&n.server, "server", "", "of this server alone (default: of any, and of agents' own tools)")
	fs.StringVar(&n.method, "method", "", "of this method alone: tools/call, resources/read, resources/subscribe or prompts/get")
	fs.StringVar(&n.tool, "tool", "", "the tool of exactly this name")
	fs.StringVar(&n.pattern, "pattern", "", "tools whose names match, * being anything")
	fs.StringVar(&n.condition, "if", "", "a condition in CEL")
	fs.StringVar(&n.note, "note", "", "a note; of a deny rule, the reason that the agent is told")
	fs.Int64Var(&n.priority, "priority", 100, "higher goes first")
	fs.DurationVar(&n.lasts, "for", 0, "how long it holds, such as 8h, at least 1m (default: until it is taken out)")
	_ = c.RegisterFlagCompletionFunc("server", CompleteServers(f)) // the flag was just made
	return c
}

func (n newRule) body(now time.Time) (map[string]any, error) {
	effects := map[permission.Effect]bool{permission.Allow: n.allow, permission.Ask: n.ask, permission.Deny: n.deny}
	body := map[string]any{"priority": n.priority}
	for effect, is := range effects {
		if is && body["effect"] != nil {
			return nil, errors.New("say one of --allow, --ask and --deny")
		} else if is {
			body["effect"] = effect
		}
	}
	switch {
	case body["effect"] == nil:
		return nil, errors.New("say what becomes of the calls: --allow, --ask or --deny")
	case n.tool != "" && n.pattern != "":
		return nil, errors.New("--tool is one name, and --pattern many: say one of them")
	case !utf8.ValidString(n.server + n.method + n.tool + n.pattern + n.condition + n.note):
		return nil, errors.New("what is said is not UTF-8: the rule would be about another name")
	case n.allow && n.server == "" && n.tool == "" && n.pattern == "" && n.condition == "":
		return nil, errors.New("this would allow every call: say --server, --tool, --pattern or --if; --pattern '*' is every tool")
	case n.timed && n.lasts < leastFor:
		return nil, fmt.Errorf("a rule holds for 1m at least, not %s: or until it is taken out, where no time is said", n.lasts)
	case n.timed:
		body["expiresAt"] = now.Add(n.lasts).UTC().Format(time.RFC3339)
	}
	for name, text := range map[string]string{"serverId": n.server, "method": n.method, "toolName": n.tool, "toolPattern": n.pattern,
		"condition": n.condition, "note": n.note} {
		if text != "" {
			body[name] = text
		}
	}
	return body, nil
}

func newTestRulesCommand(f Finder) *cobra.Command {
	var server, tool, input, cwd, agent string
	c := &cobra.Command{
		Use: "test", Short: "Say what would happen to a call, and why (operator's token)", Args: cobra.NoArgs,
		Long:    "Say what would happen to a call, and why: nothing runs, and nothing is asked.\n\nExit code: 0 whatever the answer is.",
		Example: "  sekisho rules test --tool Bash --input '{\"command\":\"git status\"}'",
		RunE: func(c *cobra.Command, _ []string) error {
			if tool == "" {
				return usage.Wrong(errors.New("say the tool: --tool NAME"))
			}
			if !utf8.ValidString(server + tool + input + cwd + agent) {
				return usage.Wrong(errors.New("what is said is not UTF-8: another call would be tested"))
			}
			if !json.Valid([]byte(input)) {
				return usage.Wrong(errors.New("--input is no JSON: an object such as '{\"path\":\"notes.txt\"}'"))
			}
			body := map[string]any{"toolName": tool, "input": json.RawMessage(input)}
			for name, text := range map[string]string{"serverId": server, "cwd": cwd, "agentName": agent} {
				if text != "" {
					body[name] = text
				}
			}
			desk, err := Operator(c.Context(), f, "test the rules")
			if err != nil {
				return err
			}
			defer desk.Close()
			var v permission.Verdict
			if err := desk.Do(c.Context(), http.MethodPost, "/v1/evaluate", body, &v); err != nil {
				return err
			}
			return Print(c.OutOrStdout(), verdictText(v))
		},
	}
	fs := c.Flags()
	fs.StringVar(&server, "server", "", "the server (default: none, a tool of the agent's own program)")
	fs.StringVar(&tool, "tool", "", "the tool")
	fs.StringVar(&input, "input", "{}", "its input, as JSON")
	fs.StringVar(&cwd, "cwd", "", "the folder that it runs in")
	fs.StringVar(&agent, "agent-name", "", "the agent that calls it")
	_ = c.RegisterFlagCompletionFunc("server", CompleteServers(f)) // the flag was just made
	return c
}

func verdictText(v permission.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, risk %s: %s\n", v.Decision, v.Risk, Visible(v.Reason))
	for _, r := range v.RiskReasons {
		fmt.Fprintf(&b, "  the risk: %s\n", Visible(r.Text))
	}
	for _, p := range v.Parts {
		fmt.Fprintf(&b, "  part %s: %s\n", Visible(p.Name), p.Decision)
	}
	for _, t := range v.Trace {
		mark := "-"
		if t.Applies {
			mark = "*"
		}
		fmt.Fprintf(&b, "  %s %s: %s\n", mark, Visible(string(t.RuleID)), Visible(t.Why))
	}
	return b.String()
}

func newExportRulesCommand(f Finder) *cobra.Command {
	var path string
	c := &cobra.Command{
		Use: "export", Short: "Write all rules as one document, which import takes (operator's token)", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := Operator(c.Context(), f, "export the rules")
			if err != nil {
				return err
			}
			defer desk.Close()
			var document json.RawMessage
			if err := desk.Do(c.Context(), http.MethodGet, "/v1/policy", nil, &document); err != nil {
				return err
			}
			if path == "" {
				return writeJSON(c.OutOrStdout(), document)
			}
			file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if err != nil {
				return fmt.Errorf("export the rules: %w", err)
			}
			if err := errors.Join(writeJSON(file, document), file.Close()); err != nil {
				return errors.Join(fmt.Errorf("export the rules: %w", err), os.Remove(path)) // half of them are none
			}
			return nil
		},
	}
	c.Flags().StringVar(&path, "out", "", "a new file to write (default: standard output)")
	return c
}

func newImportRulesCommand(f Finder) *cobra.Command {
	i := importing{finder: f}
	c := &cobra.Command{
		Use: "import FILE", Short: "Take the rules of a document in, all or none (operator's token)", Args: cobra.ExactArgs(1),
		Long: "Take the rules of a document in, all or none.\n\n" +
			"What would change is shown first, and which rules may newly allow something; at a terminal you are asked.\n" +
			"Without one, --yes does it, and each rule that may newly allow something must be named by --accept.",
		RunE: func(c *cobra.Command, words []string) error { return i.run(c, words[0]) },
	}
	c.Flags().BoolVar(&i.replace, "replace", false, "take out the rules that the document does not have")
	c.Flags().BoolVarP(&i.yes, "yes", "y", false, "do not ask")
	c.Flags().StringSliceVar(&i.accept, "accept", nil, "ids of rules that may newly allow something")
	return c
}

type importing struct {
	finder       Finder
	replace, yes bool
	accept       []string
}

// maxDocument bounds a document of rules, in bytes: the desk takes no larger one.
const maxDocument = 32 << 20

func (i importing) run(c *cobra.Command, path string) error {
	document, err := waited(c.Context(), func() (json.RawMessage, error) { return readDocument(path) })
	if err != nil {
		return err
	}
	desk, err := Operator(c.Context(), i.finder, "import rules")
	if err != nil {
		return err
	}
	defer desk.Close()
	body := map[string]any{"document": document, "mode": map[bool]permission.ImportMode{true: permission.ImportReplace,
		false: permission.ImportMerge}[i.replace]}
	var got struct{ Diff permission.RuleDiff }
	if err := desk.Do(c.Context(), http.MethodPost, "/v1/policy/diff", body, &got); err != nil {
		return err
	}
	d := got.Diff
	shown := diffText(d)
	if err := Print(c.OutOrStdout(), shown); err != nil {
		return err
	}
	if len(d.Added)+len(d.Changed)+len(d.Removed) == 0 {
		return nil
	}
	accept := i.accept
	if !i.yes {
		yes, err := agreed(c, shown, "Take them in?")
		if err != nil || !yes {
			return err
		}
		for _, id := range d.Allows { // what was shown, and agreed to
			accept = append(accept, string(id))
		}
	}
	slices.Sort(accept)
	body["accept"], body["ifVersion"] = slices.Compact(accept), d.PolicyVersion
	err = desk.Do(c.Context(), http.MethodPost, "/v1/policy/import", body, nil)
	var p *restclient.Problem
	switch {
	case errors.As(err, &p):
		return fmt.Errorf("nothing was imported: %w", err)
	case err != nil:
		return fmt.Errorf("whether the rules were taken in is not known (\"sekisho rules list\" shows them): %w", err)
	}
	_, err = fmt.Fprintln(c.OutOrStdout(), "The rules were taken in.")
	return err
}

func readDocument(path string) (json.RawMessage, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the rules: %w", err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxDocument+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the rules: %w", err)
	case len(raw) > maxDocument || !json.Valid(raw):
		return nil, fmt.Errorf("%s is no document of rules: \"sekisho rules export\" writes one", path)
	}
	return raw, nil
}

func diffText(d permission.RuleDiff) string {
	var b strings.Builder
	allows := func(id permission.RuleID) string {
		if slices.Contains(d.Allows, id) {
			return "\n  ! may newly allow something"
		}
		return ""
	}
	for _, r := range d.Added {
		fmt.Fprintf(&b, "+ %s%s\n", ruleLine(r), allows(r.ID))
	}
	for _, p := range d.Changed {
		fmt.Fprintf(&b, "~ %s\n  now %s%s\n", ruleLine(p.Before), ruleLine(p.After), allows(p.After.ID))
	}
	for _, r := range d.Removed {
		fmt.Fprintf(&b, "- %s%s\n", ruleLine(r), allows(r.ID))
	}
	if b.Len() == 0 {
		return "Nothing would change.\n"
	}
	fmt.Fprintf(&b, "%s as they are.\n", Count(d.Same, "rule stays", "rules stay"))
	return b.String()
}
