package terminal

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sekisho/backend/permission"
	"sekisho/backend/restclient"
)

// completeWithin bounds how long a shell is kept waiting for words.
const completeWithin = 2 * time.Second

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completed offers what a desk tells, where a token was given. Nobody is asked for one in
// the middle of a command line.
func completed(f Finder, words func(ctx context.Context, desk *restclient.Client) ([]string, error)) completion {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		url, err := f.URL()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(c.Context(), completeWithin)
		defer cancel()
		token, err := waited(ctx, f.Token)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		desk := restclient.New(url, token)
		defer desk.Close()
		found, err := words(ctx, desk)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeWord is a word with what it means: a tab is between them, and no other and no line end in them.
func completeWord(word, means string) string {
	return word + "\t" + strings.ReplaceAll(Visible(means), "\t", " ")
}

// completeCalls offers the names of calls that wait.
func completeCalls(f Finder) completion {
	return completed(f, func(ctx context.Context, desk *restclient.Client) (all []string, err error) {
		waiting, err := desk.PendingBriefly(ctx)
		names := namesOf(waiting)
		for _, c := range waiting {
			all = append(all, completeWord(names.of(c.ID, c.Rev), c.AgentName+": "+c.ToolName))
		}
		return all, err
	})
}

// CompleteServers offers the servers behind the desk.
func CompleteServers(f Finder) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return completed(f, func(ctx context.Context, desk *restclient.Client) (all []string, err error) {
		var got struct{ Servers []permission.Server }
		err = desk.Do(ctx, http.MethodGet, "/v1/servers", nil, &got)
		for _, s := range got.Servers {
			all = append(all, s.ID)
		}
		return all, err
	})
}
