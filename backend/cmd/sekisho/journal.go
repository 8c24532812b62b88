package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"sekisho/backend/permission"
	"sekisho/backend/usage"
)

// unreadable marks what says nothing about a journal: the exit code is that of wrong usage.
func unreadable(err error) error { return usage.Wrong(err) }

func newJournalCommand(f *finder) *cobra.Command {
	c := &cobra.Command{Use: "journal", Short: "Export the journal, and check an export"}
	c.AddCommand(newVerifyCommand(), newExportCommand(f), newKeyCommand())
	return c
}

const verifyHelp = `Check an exported journal, without a desk: FILE, or - for standard input. Where FILE is
a data folder that no desk has open, the program "sekishod" beside this one checks the
journal in it, and what the journal says of rules, grants, settings, servers, agents and
tools against what is stored.

FILE holds what "sekisho journal export" writes, or pages of GET /v1/journal one
after another, or a JSON array of entries, or one entry on each line.

Each entry must be well formed, carry the hash of its content, and follow the one
before it by number and hash. The first that does not is named. A journal whose
oldest entries were removed by retention is whole when a later entry says so and
names the last that was removed. One that begins elsewhere is not whole, unless
--part says that FILE is meant to be a later part.

What hashes alone cannot show: entries that were cut off at the end, and a journal that
was written anew from its first entry to its last. With --key both show: each signature
in FILE must then be by that key, and an export must end with one over its last entry, as
"sekisho journal export" writes it. Without --key, compare the number and hash of the last
entry, which are printed, with ones noted down earlier.

Exit code: 0 whole, 1 not whole, 2 wrong usage, a file that cannot be read, or a result
that cannot be printed.`

func newVerifyCommand() *cobra.Command {
	var part bool
	var given []string
	c := &cobra.Command{
		Use: "verify FILE", Short: "Check an exported journal and name the first bad entry", Long: verifyHelp,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			keys, err := publicKeys(given)
			if err != nil {
				return usage.Wrong(err)
			}
			if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
				return verifyFolder(c, args[0], keys)
			}
			in := c.InOrStdin()
			if args[0] != "-" {
				file, err := os.Open(args[0])
				if err != nil {
					return unreadable(err)
				}
				defer file.Close()
				in = file
			}
			if err := verify(in, c.OutOrStdout(), part, keys); err != nil {
				return err
			}
			return unreadable(printed(c, nil))
		},
	}
	c.Flags().BoolVar(&part, "part", false, "FILE is a later part of an export: it need not begin at the first entry")
	c.Flags().StringArrayVar(&given, "key", nil,
		"public key that the journal must be signed by, or a file that has one; may be given more than once, for a journal whose key was replaced")
	return c
}

// verify checks the journal in in and says on out what it found.
func verify(in io.Reader, out io.Writer, part bool, keys []ed25519.PublicKey) error {
	c := chain{seals: permission.Seals{Keys: keys}}
	more, err := split(in, maxEntry, c.add)
	if err != nil {
		return notWhole(err, &c)
	}
	switch {
	case c.entries == 0:
		return errors.New("there is no entry: nothing to verify")
	case c.first.Seq > 1 && c.trim == 0 && !part:
		return fmt.Errorf(
			"the journal begins at entry %d, and no later entry says that what came before was trimmed; if this is meant to be a part of it, say --part", c.first.Seq)
	case len(keys) > 0 && (more || !c.seals.Ended):
		return fmt.Errorf(
			"the journal is not whole: it does not end with a signature for the end of an export. It was cut off after entry %d, or not written by \"sekisho journal export\"", c.last.Seq)
	}
	if c.seals.Ended { // its last line is a signature, and no entry of the journal
		c.entries, c.last.Seq, c.last.Hash = c.entries-1, c.last.Seq-1, c.last.PrevHash
	}
	fmt.Fprintf(out, "Whole: %d entries, %d to %d.\n", c.entries, c.first.Seq, c.last.Seq)
	switch {
	case c.trim != 0:
		fmt.Fprintf(out, "Entries before %d were removed by retention, as entry %d says.\n", c.first.Seq, c.trim)
	case c.first.Seq > 1:
		fmt.Fprintf(out, "It begins at entry %d: what came before is not in this file.\n", c.first.Seq)
	}
	if more {
		fmt.Fprintf(out, "The last page says that more entries follow: this is not all of the journal.\n")
	}
	fmt.Fprintf(out, "Last entry: %d, hash %s\n", c.last.Seq, c.last.Hash)
	switch {
	case len(keys) > 0:
		fmt.Fprintf(out, "Signed to its end at %s by %s.\n", c.last.At, c.seals.Key)
	case c.seals.Count > 0:
		fmt.Fprintf(out, "Signed up to entry %d by %s. The signatures were not checked: say --key and whose they must be.\n", c.seals.Last,
			c.seals.Key)
		fallthrough
	default:
		fmt.Fprintln(out, "Hashes cannot show what was cut off after the last entry: compare these with a number and hash noted earlier.")
	}
	return nil
}

// notWhole says of an error of split how far the journal was good.
func notWhole(err error, c *chain) error {
	var entry *badEntry
	var file *badFile
	switch {
	case errors.As(err, &entry):
		return fmt.Errorf("the journal is not whole: %w", entry)
	case errors.As(err, &file) && c.entries > 0:
		return fmt.Errorf("the journal is not whole: after entry %d (number %d of the file), %w", c.last.Seq, c.entries, file)
	case errors.As(err, &file):
		return fmt.Errorf("not a journal: %w", file)
	}
	return unreadable(fmt.Errorf("read the journal: %w", err))
}

func newExportCommand(f *finder) *cobra.Command {
	var path string
	c := &cobra.Command{
		Use: "export", Short: "Write the journal of a running desk, one entry on each line (operator's token)", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := f.operator(c.Context(), "export the journal")
			if err != nil {
				return err
			}
			if path == "" {
				return desk.export(c.Context(), c.OutOrStdout())
			}
			return exportFile(c.Context(), desk, path)
		},
	}
	c.Flags().StringVar(&path, "out", "", "a new file to write (default: standard output)")
	return c
}

// exportFile writes to a file that must not be there yet: an earlier export is
// evidence. What is left half written by an error is removed.
func exportFile(ctx context.Context, desk *client, path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("export the journal: %w", err)
	}
	err = desk.export(ctx, file)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// export writes all entries, page by page, up to the newest as it begins, and then the
// desk's signature over that one. A desk that has no key signs nothing: that is said.
func (c *client) export(ctx context.Context, out io.Writer) error {
	var end struct {
		Entry json.RawMessage `json:"entry"`
	}
	var last struct {
		Seq int64 `json:"seq"`
	}
	err := c.Do(ctx, http.MethodGet, "/v1/journal/end", nil, &end)
	if unsigned(err) {
		fmt.Fprintln(os.Stderr, "sekisho: the export is not signed:", err)
		return c.exportUpTo(ctx, out, math.MaxInt64)
	}
	if err == nil {
		err = json.Unmarshal(end.Entry, &last)
	}
	if err == nil {
		err = c.exportUpTo(ctx, out, last.Seq-1)
	}
	if err == nil {
		_, err = writeEntries(out, []json.RawMessage{end.Entry}, 0)
	}
	return err
}

// unsigned reports whether a desk has said that it does not sign.
func unsigned(err error) bool {
	var p *problem
	return errors.As(err, &p) && (p.Code == permission.CodeUnavailable || p.Code == permission.CodeNotFound) // an older desk has no such row
}

// exportUpTo writes the entries up to one.
func (c *client) exportUpTo(ctx context.Context, out io.Writer, until int64) error {
	for after := int64(0); after < until; {
		var page struct {
			Entries []json.RawMessage `json:"entries"`
			Next    *int64            `json:"next"`
		}
		limit := min(1000, until-after)
		if err := c.Do(ctx, http.MethodGet, fmt.Sprintf("/v1/journal?after=%d&limit=%d", after, limit), nil, &page); err != nil {
			return err
		}
		last, err := writeEntries(out, page.Entries, after)
		if err != nil {
			return fmt.Errorf("export the journal: %w", err)
		}
		if page.Next == nil {
			return nil
		}
		if after = *page.Next; after != last {
			return errors.New("export the journal: the desk's pages do not fit together")
		}
	}
	return nil
}

// writeEntries writes the entries of a page that comes after an entry, and gives the
// number of its last.
func writeEntries(out io.Writer, entries []json.RawMessage, after int64) (last int64, err error) {
	last = after
	for _, raw := range entries {
		var e struct {
			Seq int64 `json:"seq"`
		}
		var line bytes.Buffer
		if err := errors.Join(json.Unmarshal(raw, &e), json.Compact(&line, raw)); err != nil {
			return last, err
		}
		if last != 0 && e.Seq != last+1 {
			return last, errors.New("the journal was trimmed meanwhile: export it again")
		}
		line.WriteByte('\n')
		if _, err := out.Write(line.Bytes()); err != nil {
			return last, err
		}
		last = e.Seq
	}
	return last, nil
}
