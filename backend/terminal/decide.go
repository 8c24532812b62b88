package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sekisho/backend/permission"
	"sekisho/backend/restclient"
	"sekisho/backend/usage"
)

func newPendingCommand(f Finder) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "pending", Short: "List the calls that wait for a person (operator's token)", Args: cobra.NoArgs,
		Long: "List the calls that wait for a person, oldest first, each as a whole.\n\n" +
			"A call begins with its short name, such as a3f29c.2: the end of its id, and the rev that is shown.\n" +
			"\"sekisho approve\" takes it, and says yes to what was shown alone.",
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := Operator(c.Context(), f, "list what waits")
			if err != nil {
				return err
			}
			defer desk.Close()
			if asJSON {
				return pendingAsJSON(c.Context(), desk, c.OutOrStdout())
			}
			waiting, err := desk.PendingBriefly(c.Context())
			if err != nil {
				return err
			}
			names, shown := namesOf(waiting), 0
			err = desk.Pending(c.Context(), func(call permission.Call) error {
				shown++
				look := lookAt(c.Context(), desk, call.ID)
				return Print(c.OutOrStdout(), described(names.of(call.ID, call.Rev), call, look, time.Now()))
			})
			if err == nil && shown == 0 {
				fmt.Fprintln(c.OutOrStdout(), "Nothing waits for a person.")
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as one JSON document, {\"calls\": […]}, each as the desk has it")
	return c
}

func pendingAsJSON(ctx context.Context, desk *restclient.Client, out io.Writer) error {
	all := []json.RawMessage{}
	err := desk.PendingAsSent(ctx, func(call json.RawMessage) error {
		all = append(all, call)
		return nil
	})
	if err != nil {
		return err
	}
	return writeJSON(out, map[string]any{"calls": all})
}

// writeJSON prints JSON in which nothing is hidden from a person who reads it.
func writeJSON(out io.Writer, v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(out, escaped(b.String()))
	return err
}

// lookAt asks what a call would do. What is not told is no reason not to show the call.
func lookAt(ctx context.Context, desk *restclient.Client, id permission.CallID) *permission.Look {
	var look permission.Look
	if desk.Do(ctx, http.MethodGet, restclient.CallPath(id)+"/look", nil, &look) != nil {
		return nil
	}
	return &look
}

// answering is one answer from the command line.
type answering struct {
	verb     string
	approved bool
	reason   string
	scope    string
	lasts    time.Duration
	timed    bool // lasts was said
}

func newDecideCommand(f Finder, verb string, approved bool) *cobra.Command {
	a := answering{verb: verb, approved: approved}
	c := &cobra.Command{
		Use: verb + " ID", Short: strings.ToUpper(verb[:1]) + verb[1:] + " a waiting call (operator's token)", Args: cobra.ExactArgs(1),
		Long: strings.ToUpper(verb[:1]) + verb[1:] + " a waiting call.\n\n" +
			"ID is the name that \"sekisho pending\" shows, such as a3f29c.2: an ending of the call's id, of at least 4 digits, and the rev that\n" +
			"was shown. The answer is to that rev: when what is shown has changed since, nothing is decided, and the call is shown anew.\n" +
			"The whole id, without a rev, means the call as it stands: it is shown, and answered.",
		RunE: func(c *cobra.Command, args []string) error {
			n, err := parseName(args[0])
			if a.timed = c.Flags().Changed("for"); err == nil {
				err = a.check()
			}
			if err != nil {
				return err
			}
			desk, err := Operator(c.Context(), f, verb+" a call")
			if err != nil {
				return err
			}
			defer desk.Close()
			return a.decide(c.Context(), desk, n, c.OutOrStdout())
		},
		ValidArgsFunction: completeCalls(f),
	}
	c.Flags().StringVar(&a.reason, "reason", "", "words for the agent")
	c.Flags().StringVar(&a.scope, "scope", "", "how far the answer reaches: once, class (calls of its kind in this session) or session (default: once)")
	c.Flags().DurationVar(&a.lasts, "for", 0, "how long an answer of scope class or session lasts, such as 30m, from 1m to 24h (default: as long as the session)")
	// the names are those of the flag that was just made
	_ = c.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"once", "class", "session"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a answering) check() error {
	switch permission.Scope(a.scope) {
	case "", permission.ScopeOnce:
		if a.timed {
			return usage.Wrong(errors.New("--for goes with --scope class or --scope session: an answer to one call does not last"))
		}
	case permission.ScopeClass, permission.ScopeSession:
	default:
		return usage.Wrong(fmt.Errorf("--scope %q is none of once, class and session", a.scope))
	}
	if a.timed {
		return usage.Wrong(lasting(a.lasts))
	}
	return nil
}

// leastFor and mostFor bound how long a wider answer lasts: the desk takes none that lasts longer
// than a day, and one that is over before the agent can ask again answers nothing.
const (
	leastFor = time.Minute
	mostFor  = 24 * time.Hour
)

// lasting says why an answer cannot last so long, or nil.
func lasting(d time.Duration) error {
	if d < leastFor || d > mostFor {
		return fmt.Errorf("a wider answer lasts from 1m to 24h, not %s: or to the end of the session, where no time is said", d)
	}
	return nil
}

func (a answering) decide(ctx context.Context, desk *restclient.Client, n named, out io.Writer) error {
	call, err := n.find(ctx, desk)
	if err != nil {
		return err
	}
	if err := Show(out, call, lookAt(ctx, desk, call.ID)); err != nil {
		return fmt.Errorf("nothing is decided: %w", err)
	}
	rev := n.rev
	switch {
	case rev == 0 && a.approved && !n.whole:
		return fmt.Errorf("nothing is decided: a yes is to what was shown. Say: sekisho %s %s", a.verb, short(call.ID, call.Rev))
	case rev == 0:
		rev = call.Rev
	case rev > call.Rev:
		return fmt.Errorf("nothing is decided: the call has no rev %d yet. Say: sekisho %s %s", rev, a.verb, short(call.ID, call.Rev))
	}
	d, err := desk.Decide(ctx, call.ID, restclient.Answer{Approved: a.approved, Reason: a.reason, Scope: permission.Scope(a.scope),
		ForSeconds: a.lasts.Seconds(), InputHash: call.InputHash, Rev: rev})
	var p *restclient.Problem
	if errors.As(err, &p) && p.Code == permission.CodeStale {
		return fmt.Errorf("nothing is decided: what is shown of the call has changed since rev %d. It stands above as it is now: sekisho %s %s",
			rev, a.verb, short(call.ID, call.Rev))
	}
	switch {
	case p != nil:
		return fmt.Errorf("nothing is decided: %w", err)
	case err != nil:
		return fmt.Errorf("whether that was decided is not known (\"sekisho pending\" shows whether the call still waits): %w", err)
	}
	return said(out, d)
}

// said prints what an answer came to.
func said(out io.Writer, d restclient.Decided) error {
	text := fmt.Sprintf("This call is now %s", d.Call.Status)
	if by := d.Call.Decision; by != nil && by.Scope != "" && by.Scope != permission.ScopeOnce {
		text += fmt.Sprintf(", with scope %s", by.Scope)
	}
	if n := len(d.Settled); n > 0 {
		text += fmt.Sprintf("; the answer settled %s", Count(n, "more that waited", "more that waited"))
	}
	if _, err := fmt.Fprintln(out, text); err != nil {
		return fmt.Errorf("the call is now %s, but to say so: %w", d.Call.Status, err)
	}
	return nil
}

// Count says how many there are of something.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func newLoginCommand(f Finder) *cobra.Command {
	return &cobra.Command{
		Use: "login-url", Short: "Print an address that opens the desk in a browser, once (operator's token)", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := Operator(c.Context(), f, "open the desk in a browser")
			if err != nil {
				return err
			}
			defer desk.Close()
			var got struct {
				LoginURL string `json:"loginUrl"`
			}
			var proved net.Addr
			ctx := httptrace.WithClientTrace(c.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
				proved = i.Conn.RemoteAddr()
			}})
			if err := desk.Do(ctx, http.MethodPost, "/v1/login-codes", nil, &got); err != nil {
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
