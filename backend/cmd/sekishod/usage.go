package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/spf13/cobra"
)

// misuse is wrong usage: exit code 2.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// strict makes wrong usage an error with a code of its own: unknown flags, words that are
// no command, and those after a command that only holds others, which cobra would answer
// with help and success.
func strict(root *cobra.Command, args []string) {
	root.InitDefaultCompletionCmd(args...)
	root.InitDefaultHelpCmd()
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return misuse{err} })
	demand(root)
}

// demand is strict for the words after a command, and after those below it.
func demand(c *cobra.Command) {
	if !c.Runnable() {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	if c.Name() == "help" {
		c.Args = topic
	}
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, words []string) error {
			if err := check(c, words); err != nil {
				return misuse{err}
			}
			return nil
		}
	}
	for _, below := range c.Commands() {
		demand(below)
	}
}

// topic refuses to help with what is no command.
func topic(help *cobra.Command, words []string) error {
	c, rest, err := help.Root().Find(words)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unknown command %q for %q", rest[0], c.CommandPath())
	}
	return err
}

// given refuses an address that is none, and a flag with nothing in it: a script's variable was empty, and what the
// flag's absence stands for, such as the user's own data, is not what it meant.
func given(c *cobra.Command) error {
	for _, name := range []string{"data", "listen", "operator-token-file", "operator-key-file", "address", "journal-key"} {
		if f := c.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
			return misuse{fmt.Errorf("--%s is empty: leave it out, or say what it is", name)}
		}
	}
	if c.Flags().Changed("operator-token-file") && c.Flags().Changed("operator-key-file") {
		return misuse{errors.New("--operator-token-file and --operator-key-file: the operator has one of them")}
	}
	if f := c.Flags().Lookup("address"); f.Changed {
		host, port, err := net.SplitHostPort(f.Value.String())
		if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n == 0 || host == "" {
			return misuse{fmt.Errorf("--address %q is not host:port", f.Value)}
		}
	}
	return nil
}
