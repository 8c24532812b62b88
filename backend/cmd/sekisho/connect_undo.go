package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sekisho/backend/connect"
	"sekisho/backend/terminal"
)

const disconnectHelp = `Put the tool servers of your agents' clients back as they were before "sekisho connect".

A file that is as connecting left it is restored byte for byte. When it was changed
since, what was changed and what would be changed now are shown; only the moved entries
are put back in place, and all other changes stay. An entry of which connect's own
part was changed since, or which has another name, is a conflict: nothing is done to its
file without --force. Of entries that were taken out the copy stays, and its place is said.

The servers that connecting added leave the desk's list, unless they were changed there
or others use them. When the desk cannot be asked they stay: run disconnect again when it
can, or remove them on its Agents screen.`

// newDisconnectCommand takes clients' servers from behind the desk.
func newDisconnectCommand(f *finder) *cobra.Command {
	w := &wiring{finder: f}
	var force bool
	c := &cobra.Command{
		Use: "disconnect", Short: "Put your agents' clients back as they were before connect", Long: disconnectHelp, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := w.open(c); err != nil {
				return err
			}
			return w.disconnect(c.Context(), force)
		},
	}
	w.flags(c)
	c.Flags().BoolVar(&force, "force", false, "put entries back whatever was changed in them since")
	return c
}

func (w *wiring) disconnect(ctx context.Context, force bool) error {
	all, err := w.Undos(ctx, force)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(w.out, "Nothing is connected.")
		return w.disconnectLeftovers(ctx)
	}
	var stuck error
	ready := 0
	for _, u := range all {
		w.showUndo(u)
		switch {
		case u.Err != nil:
			stuck = errors.Join(stuck, fmt.Errorf("%s: %w", u.Path, u.Err))
		case u.Undo.Nothing(): // it was said where the copy stays
		case u.Undo.Conflicts():
			stuck = errors.Join(stuck, fmt.Errorf("%s: entries were changed since: --force puts them back all the same", u.Path))
		default:
			ready++
		}
	}
	if ready == 0 {
		return stuck
	}
	if yes, err := w.asked(ctx, fmt.Sprintf("Put %s back?", terminal.Count(ready, "file", "files"))); !yes {
		return errors.Join(stuck, err)
	}
	done, err := w.Restore(ctx, all)
	for _, path := range done.Paths {
		fmt.Fprintf(w.out, "%s is put back.\n", terminal.Visible(path))
	}
	w.showReleased(done)
	return errors.Join(stuck, err)
}

// disconnectLeftovers takes servers off the desk's list that were left there when it could
// not be asked.
func (w *wiring) disconnectLeftovers(ctx context.Context) error {
	left, err := w.Leftovers(ctx)
	if err != nil || len(left) == 0 {
		return err
	}
	fmt.Fprintf(w.out, "On the desk's list there are still servers of clients that were connected: %s.\n", terminal.Visible(strings.Join(left, ", ")))
	if yes, err := w.asked(ctx, fmt.Sprintf("Take %s off the list?", terminal.Count(len(left), "server", "servers"))); !yes {
		return err
	}
	done, err := w.RemoveLeftovers(ctx, left)
	w.showReleased(done)
	return err
}

// showReleased says what became of servers that connecting had added.
func (w *wiring) showReleased(done connect.Disconnected) {
	for _, id := range done.Removed {
		fmt.Fprintf(w.out, "The server %s left the desk's list.\n", terminal.Visible(id))
	}
	for _, id := range done.Kept {
		fmt.Fprintf(w.out, "The server %s stays on the desk's list: it was changed there.\n", terminal.Visible(id))
	}
}

func (w *wiring) showUndo(u connect.Undoing) {
	fmt.Fprintln(w.out, terminal.Visible(u.Path))
	if u.Err != nil {
		fmt.Fprintf(w.out, "  left alone: %s\n", terminal.Visible(u.Err.Error()))
		return
	}
	if u.Undo.Exact {
		fmt.Fprintln(w.out, "  is as connecting left it: it will be as it was before, byte for byte")
		return
	}
	for _, e := range u.Undo.Entries {
		key := terminal.Visible(e.Path[len(e.Path)-1])
		switch e.Outcome {
		case connect.Back:
			fmt.Fprintf(w.out, "  %s: will be put back\n", key)
		case connect.Gone:
			fmt.Fprintf(w.out, "  %s: was taken out since and stays out\n", key)
		case connect.Conflict:
			fmt.Fprintf(w.out, "  %s: %s\n", key, terminal.Visible(e.Reason))
		}
	}
	for _, path := range u.Undo.Kept {
		fmt.Fprintf(w.out, "  what was taken out stays in %s; --force puts it back if the rest of the file is unchanged\n", terminal.Visible(path))
	}
	if u.Undo.Theirs != "" {
		fmt.Fprintln(w.out, "\nWhat was changed in its tool servers since connecting:")
		showDifference(w.out, u.Undo.Theirs)
	}
	if u.Undo.Others > 0 {
		fmt.Fprintf(w.out, "\nOutside of its tool servers, %s changed since.\n", terminal.Count(u.Undo.Others, "line was", "lines were"))
	}
	if u.Undo.Difference != "" && !u.Undo.Conflicts() {
		fmt.Fprintln(w.out, "\nWhat would be changed now:")
		showDifference(w.out, u.Undo.Difference)
	}
	fmt.Fprintln(w.out)
}
