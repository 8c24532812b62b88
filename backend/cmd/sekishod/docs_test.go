package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestDocumentedCommands: the commands and flags of sekishod that the documents name exist.
func TestDocumentedCommands(t *testing.T) {
	said := regexp.MustCompile("\\bsekishod((?: [^\\s`#|&;)]+)+)")
	found := 0
	for _, pattern := range []string{"../../../*.md", "../../../docs/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range said.FindAllStringSubmatch(string(text), -1) {
				found++
				if wrong := unknownWord(command(io.Discard), strings.Fields(m[1])); wrong != "" {
					t.Errorf("%s: %s: there is no %s", filepath.Base(name), m[0], wrong)
				}
			}
		}
	}
	if found == 0 {
		t.Error("the documents name no command: the test does not see them")
	}
}

// unknownWord is the first of the words of a command line that is no command or flag where
// one is due; "" is none.
func unknownWord(c *cobra.Command, words []string) string {
	value := false // the next word is that of a flag
	for _, w := range words {
		name, flag := strings.CutPrefix(w, "--")
		switch name, _, given := strings.Cut(name, "="); {
		case value:
			value = false
		case flag:
			f := c.Flag(name)
			if f == nil {
				return w
			}
			value = f.NoOptDefVal == "" && !given
		case c.HasSubCommands():
			all := c.Commands()
			i := slices.IndexFunc(all, func(below *cobra.Command) bool { return below.Name() == w })
			if i < 0 {
				return w
			}
			c = all[i]
		}
	}
	return ""
}

// TestUnknownWord: a word that is none is found.
func TestUnknownWord(t *testing.T) {
	for line, want := range map[string]string{
		"--data x --listen=y --insecure-remote": "", "journal verify --key k x": "", "journal export": "export", "--token-file x": "--token-file",
	} {
		if got := unknownWord(command(io.Discard), strings.Fields(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
