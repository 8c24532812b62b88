package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"sekisho/backend/permission"
	"sekisho/backend/restclient"
	"sekisho/backend/usage"
)

// journalPage is how many entries are asked for at once.
const journalPage = 500

func newLogsCommand(f Finder) *cobra.Command {
	var following bool
	var last int
	c := &cobra.Command{
		Use: "logs", Short: "Show what happened at the desk: the last entries of its journal (operator's token)", Args: cobra.NoArgs,
		Long: "Show what happened at the desk: the last entries of its journal.\n\n" +
			"With --follow it goes on as things happen, until Ctrl-C, and finds a desk that was started again,\n" +
			"at another address too. \"sekisho journal export\" writes the whole journal, with its hashes.",
		RunE: func(c *cobra.Command, _ []string) error {
			if last < 0 {
				return usage.Wrong(errors.New("--last is less than none"))
			}
			desk, err := Operator(c.Context(), f, "read its journal")
			if err != nil {
				return err
			}
			l := &logs{desk: desk, out: c.OutOrStdout()}
			defer func() { l.desk.Close() }() // another one by then, where the desk was started again
			if err := l.begin(c.Context(), last); err != nil || !following {
				return err
			}
			return l.follow(c.Context(), f)
		},
	}
	c.Flags().BoolVarP(&following, "follow", "f", false, "go on as things happen")
	c.Flags().IntVar(&last, "last", 20, "how many entries to show at first")
	return c
}

// logs prints entries after the last that it has printed.
type logs struct {
	desk *restclient.Client
	out  io.Writer
	at   int64  // the last sequence number
	hash string // and its hash, by which its journal is known
}

func (l *logs) page(ctx context.Context, after int64, limit int) (entries []permission.Entry, next *int64, err error) {
	var got struct {
		Entries []permission.Entry
		Next    *int64
	}
	err = l.desk.Do(ctx, http.MethodGet, fmt.Sprintf("/v1/journal?after=%d&limit=%d", after, limit), nil, &got)
	return got.Entries, got.Next, err
}

// begin prints the last entries.
func (l *logs) begin(ctx context.Context, last int) error {
	var newest struct {
		Calls []json.RawMessage
		Rev   int64
	}
	if err := l.desk.Do(ctx, http.MethodGet, "/v1/calls?limit=1&brief=true", nil, &newest); err != nil {
		return err
	}
	l.at = max(0, newest.Rev-int64(last))
	return l.more(ctx)
}

// more prints what came since. A journal in which the last entry is another one belongs to
// another desk: it is told from its beginning.
func (l *logs) more(ctx context.Context) error {
	if l.hash != "" {
		same, _, err := l.page(ctx, l.at-1, 1)
		if err != nil {
			return err
		}
		if len(same) == 0 || same[0].Hash != l.hash {
			l.at, l.hash = 0, ""
			if _, err := fmt.Fprintln(l.out, "-- another journal --"); err != nil {
				return err
			}
		}
	}
	for {
		entries, next, err := l.page(ctx, l.at, journalPage)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := l.print(e); err != nil {
				return err
			}
			l.at, l.hash = e.Seq, e.Hash
		}
		if next == nil || len(entries) == 0 {
			return nil
		}
	}
}

// maxData bounds what is shown of an entry's data, in characters.
const maxData = 300

func (l *logs) print(e permission.Entry) error {
	call := ""
	if e.CallID != nil {
		call = " " + ending(*e.CallID)
	}
	return Print(l.out, fmt.Sprintf("%s  %s%s by %s  %s\n", e.At.Std().Local().Format("2006-01-02 15:04:05"), Visible(string(e.Kind)), call,
		Visible(e.Actor), Visible(permission.Short(string(e.Data), maxData))))
}

// follow prints what happens, until ctx ends.
func (l *logs) follow(ctx context.Context, f Finder) error {
	changed := make(chan news)
	go follow(ctx, f, l.desk, changed)
	away := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case n := <-changed:
			err := n.err
			if err == nil {
				l.desk, away = n.desk, ""
				err = l.more(ctx)
			}
			var p *restclient.Problem
			if errors.As(err, &p) {
				return err
			}
			if err != nil && ctx.Err() == nil && err.Error() != away {
				away = err.Error()
				if err := Print(l.out, "-- the desk does not answer, and is looked for: "+Visible(away)+" --\n"); err != nil {
					return err
				}
			}
		}
	}
}
