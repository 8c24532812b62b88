package terminal

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"
)

// TestCompletionWaitsForNoToken that comes from a pipe which nobody writes to: the shell is kept waiting.
func TestCompletionWaitsForNoToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		f := Finder{URL: func() (string, error) { return "http://127.0.0.1:1", nil }, Token: func() (string, error) {
			<-never
			return "", ErrNoToken
		}}
		c := &cobra.Command{}
		c.SetContext(t.Context())
		begun := time.Now()
		words, directive := completeCalls(f)(c, nil, "")
		if took := time.Since(begun); took != completeWithin || len(words) != 0 || directive != cobra.ShellCompDirectiveNoFileComp {
			t.Errorf("after %v: %v %v", took, words, directive)
		}
		close(never)
	})
}
