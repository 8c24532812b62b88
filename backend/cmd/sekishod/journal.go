package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sekisho/backend/journal"
	"sekisho/backend/permission"
	"sekisho/backend/server"
	"sekisho/backend/usage"
)

func newJournalCommand() *cobra.Command {
	c := &cobra.Command{Use: "journal", Short: "Check the journal of a data folder"}
	c.AddCommand(newVerifyCommand())
	return c
}

const verifyHelp = `Check a data folder that no desk has open, and change nothing in it: that each entry of
its journal carries the hash of its content and follows the one before it, that the
signatures fit (by --key, when given), and that rules, grants, settings, servers, agents
and tools are as the journal says that they were left. What differs is named, with both
versions.

With --key, entries after the last signature are named: a desk that was killed leaves
such. Where one of them changes rules or another of these sets the folder is not whole:
a desk signs that at once.

Exit code: 0 whole, 1 not whole, 2 wrong usage.`

func newVerifyCommand() *cobra.Command {
	var given []string
	c := &cobra.Command{
		Use: "verify DIR", Short: "Check the journal of a data folder, and what it says of the rules", Long: verifyHelp, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var keys []ed25519.PublicKey
			for _, text := range given {
				key, err := permission.ParsePublicKey(text)
				if err != nil {
					return usage.Wrong(fmt.Errorf("--key %.100q: %w", text, err))
				}
				keys = append(keys, key)
			}
			report, err := server.Verify(c.Context(), args[0], permission.Seals{Keys: keys})
			if err != nil {
				return err
			}
			return tell(c.OutOrStdout(), &report)
		},
	}
	c.Flags().StringArrayVar(&given, "key", nil,
		"public key that the journal must be signed by, as \"sekisho journal key\" prints it; may be given more than once")
	return c
}

// tell says what was found; what differs is an error.
func tell(out io.Writer, r *journal.Report) error {
	fmt.Fprintf(out, "Journal %s: %d entries, %d to %d.\n", r.Journal, r.Entries, r.First, r.Last)
	fmt.Fprintf(out, "Last entry: %d, hash %s\n", r.Last, r.LastHash)
	switch {
	case len(r.Seals.Keys) > 0 && r.Seals.Count == 0 && r.Entries > 0:
		return errors.New("the journal is not signed")
	case len(r.Seals.Keys) > 0:
		if err := tellSigned(out, r); err != nil {
			return err
		}
	case r.Seals.Count > 0:
		fmt.Fprintf(out, "Signed up to entry %d by %s. The signatures were not checked: say --key and whose they must be.\n", r.Seals.Last,
			r.Seals.Key)
	}
	for _, d := range r.Differences {
		fmt.Fprintf(out, "%s %q\n  journal: %s\n  table:   %s\n", d.Set, d.Key, version(d.Journal), version(d.Table))
	}
	if n := len(r.Differences); n > 0 {
		return fmt.Errorf("not as the journal says that it was left: %d", n)
	}
	_, err := fmt.Fprintln(out, "Rules, grants, settings, servers, agents and tools are as the journal says.")
	return err
}

// tellSigned says how far the signatures reach.
func tellSigned(out io.Writer, r *journal.Report) error {
	if r.Entries == 0 {
		return nil
	}
	after, err := r.Unsigned()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Signed up to entry %d by %s.\n", r.Seals.Last, r.Seals.Key)
	if after.Last > 0 {
		fmt.Fprintf(out,
			"Entries %d to %d are not signed: a desk that was killed leaves such, and who has the folder could write them. None of them changes rules or another set.\n", after.First, after.Last)
	}
	return nil
}

func version(row []byte) string {
	if row == nil {
		return "none"
	}
	return string(row)
}
