// Package manualtest makes the manual pages of a program out of its commands. It is for tests,
// so that what makes them is in no program.
package manualtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Pages makes them, into the folder $SEKISHO_MANUAL where packages are built, and wants each
// command to have one.
func Pages(t *testing.T, root *cobra.Command) {
	t.Helper()
	folder := t.TempDir()
	if dir := os.Getenv("SEKISHO_MANUAL"); dir != "" {
		folder = dir
	}
	seconds, _ := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64) // unset: 1970
	date := time.Unix(seconds, 0).UTC()
	root.DisableAutoGenTag = true
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "Sekisho", Manual: "Sekisho", Date: &date}, folder); err != nil {
		t.Fatal(err)
	}
	paged(t, folder, root)
}

// paged wants a page with a summary and every flag for a command that people see, and for those below it.
func paged(t *testing.T, folder string, c *cobra.Command) {
	t.Helper()
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	raw, err := os.ReadFile(filepath.Join(folder, name+".1"))
	if err != nil {
		t.Error(err)
	}
	page := strings.ReplaceAll(string(raw), `\-`, "-")
	if c.Short == "" || !strings.Contains(page, strings.Fields(c.Short)[0]) {
		t.Errorf("the page of %s does not say what it is", name)
	}
	for _, line := range strings.Split(c.LocalFlags().FlagUsages(), "\n") {
		if _, flag, ok := strings.Cut(line, "--"); ok && !strings.Contains(page, "--"+strings.Fields(flag)[0]) {
			t.Errorf("the page of %s lacks --%s", name, strings.Fields(flag)[0])
		}
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			paged(t, folder, below)
		}
	}
}
