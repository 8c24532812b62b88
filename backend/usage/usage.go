// Package usage makes wrong usage of a program of several commands an error with an exit
// code of its own.
package usage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Coded is an error with an exit code of its own.
type Coded struct {
	Err  error
	Code int
}

func (c Coded) Error() string { return c.Err.Error() }

func (c Coded) Unwrap() error { return c.Err }

// Wrong marks wrong usage: exit code 2.
func Wrong(err error) error {
	if err == nil {
		return nil
	}
	return Coded{err, 2}
}

// ExitCode is that of an error: 0 of none, and 1 of one that has no other.
func ExitCode(err error) int {
	if c := (Coded{}); errors.As(err, &c) {
		return c.Code
	}
	if err != nil {
		return 1
	}
	return 0
}

// Strict makes wrong usage of a program an error with a code of its own: an unknown flag,
// words too many or too few, and a word that is no command where one is due, which cobra
// would answer with help and success.
func Strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return Wrong(err) })
	demand(root)
}

// demand is Strict for the words after a command, and after those below it.
func demand(c *cobra.Command) {
	if !c.Runnable() {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		c.Args, c.SuggestionsMinimumDistance = noWord, 2
	}
	if c.Name() == "help" {
		c.Args = topic
	}
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, words []string) error { return Wrong(check(c, words)) }
	}
	for _, below := range c.Commands() {
		demand(below)
	}
}

// noWord refuses words after a command that only holds others: they are none of these.
func noWord(c *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	near := c.SuggestionsFor(words[0])
	if len(near) == 0 {
		return fmt.Errorf("unknown command %q for %q", words[0], c.CommandPath())
	}
	slices.Sort(near)
	return fmt.Errorf("unknown command %q for %q: did you mean %s?", words[0], c.CommandPath(), strings.Join(near, " or "))
}

// topic refuses to help with what is no command.
func topic(help *cobra.Command, words []string) error {
	c, rest, err := help.Root().Find(words)
	if err != nil {
		return err
	}
	return noWord(c, rest)
}
