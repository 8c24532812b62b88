package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"sekisho/backend/usage"
)

// given refuses an address that is none, and a flag with nothing in it: a script's variable was empty, and what the
// flag's absence stands for, such as the user's own data, is not what it meant.
func given(c *cobra.Command) error {
	for _, name := range []string{"data", "listen", "operator-token-file", "operator-key-file", "address", "journal-key"} {
		if f := c.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
			return usage.Wrong(fmt.Errorf("--%s is empty: leave it out, or say what it is", name))
		}
	}
	if c.Flags().Changed("operator-token-file") && c.Flags().Changed("operator-key-file") {
		return usage.Wrong(errors.New("--operator-token-file and --operator-key-file: the operator has one of them"))
	}
	if f := c.Flags().Lookup("address"); f.Changed {
		host, port, err := net.SplitHostPort(f.Value.String())
		if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n == 0 || host == "" {
			return usage.Wrong(fmt.Errorf("--address %q is not host:port", f.Value))
		}
	}
	return nil
}
