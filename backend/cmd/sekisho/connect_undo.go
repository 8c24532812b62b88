package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"sekisho/backend/connect"
)

const disconnectHelp = `Put the tool servers of your agents' clients back as they were before "sekisho connect".

A file that is as connecting left it is restored byte for byte. When it was changed
since, what was changed and what would be changed now are shown; only the moved entries
are put back in place, and all other changes stay. An entry of which connect's own
part was changed since is a conflict: nothing is done to its file without --force.

The servers that connecting added leave the desk's list, unless they were changed there
or others use them.`

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

// undoing is one file that is to be put back, or why it cannot be.
type undoing struct {
	path string
	undo *connect.Undo
	err  error
}

func (w *wiring) disconnect(ctx context.Context, force bool) error {
	var all []undoing
	err := w.locked(ctx, func() (err error) {
		all, err = w.undos(force)
		return err
	})
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(w.out, "Nothing is connected.")
		return nil
	}
	var stuck error
	ready := 0
	for _, u := range all {
		w.showUndo(u)
		switch {
		case u.err != nil:
			stuck = errors.Join(stuck, fmt.Errorf("%s: %w", u.path, u.err))
		case u.undo.Conflicts():
			stuck = errors.Join(stuck, fmt.Errorf("%s: entries were changed since: --force puts them back all the same", u.path))
		default:
			ready++
		}
	}
	if ready == 0 || !w.asked(fmt.Sprintf("Put %s back?", count(ready, "file", "files"))) {
		return stuck
	}
	return errors.Join(stuck, w.locked(ctx, func() error { return w.restore(ctx, all) }))
}

// undos plans each file that was connected.
func (w *wiring) undos(force bool) ([]undoing, error) {
	records, err := w.vault.Records()
	if err != nil {
		return nil, err
	}
	var all []undoing
	for _, r := range records {
		if len(w.clients) > 0 && !slices.Contains(w.clients, r.Client) || slices.ContainsFunc(all, func(u undoing) bool { return u.path == r.Path }) {
			continue
		}
		same := slices.DeleteFunc(slices.Clone(records), func(o connect.Record) bool { return o.Path != r.Path })
		undo, err := w.vault.Undo(same, force)
		all = append(all, undoing{r.Path, undo, err})
	}
	return all, nil
}

func (w *wiring) showUndo(u undoing) {
	fmt.Fprintln(w.out, visible(u.path))
	if u.err != nil {
		fmt.Fprintf(w.out, "  left alone: %s\n", visible(u.err.Error()))
		return
	}
	if u.undo.Exact {
		fmt.Fprintln(w.out, "  is as connecting left it: it will be as it was before, byte for byte")
		return
	}
	for _, e := range u.undo.Entries {
		key := visible(e.Path[len(e.Path)-1])
		switch e.Outcome {
		case connect.Back:
			fmt.Fprintf(w.out, "  %s: will be put back\n", key)
		case connect.Gone:
			fmt.Fprintf(w.out, "  %s: was taken out since and stays out\n", key)
		case connect.Conflict:
			fmt.Fprintf(w.out, "  %s: %s\n", key, visible(e.Reason))
		}
	}
	if u.undo.Theirs != "" {
		fmt.Fprintln(w.out, "\nWhat was changed since connecting:")
		showDifference(w.out, u.undo.Theirs)
	}
	if u.undo.Difference != "" && !u.undo.Conflicts() {
		fmt.Fprintln(w.out, "\nWhat would be changed now:")
		showDifference(w.out, u.undo.Difference)
	}
	fmt.Fprintln(w.out)
}

// restore writes the files and takes the servers that nobody uses from the desk.
func (w *wiring) restore(ctx context.Context, all []undoing) error {
	var failed error
	added := map[string]connect.Server{}
	for _, u := range all {
		if u.err != nil || u.undo.Conflicts() {
			continue
		}
		if err := w.vault.Restore(u.undo); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", u.path, err))
			continue
		}
		fmt.Fprintf(w.out, "%s is put back.\n", visible(u.path))
		for _, r := range u.undo.Records {
			for _, m := range r.Moved {
				if m.Added {
					added[m.Server.ID] = m.Server
				}
			}
		}
	}
	return errors.Join(failed, w.release(ctx, added))
}

// release takes servers that connecting had added from the desk, those aside that an
// entry still uses.
func (w *wiring) release(ctx context.Context, added map[string]connect.Server) error {
	records, err := w.vault.Records()
	if err != nil {
		return err
	}
	for _, r := range records {
		for _, m := range r.Moved {
			delete(added, m.Server.ID)
		}
	}
	for _, f := range connect.Find(w.places) {
		plan, err := connect.Make(f, connect.Options{Program: w.program, Places: w.places, Names: connect.NewNames(nil, nil)})
		if err != nil {
			continue // it was shown as unusable, if it is one of ours
		}
		for _, e := range plan.Entries {
			if e.State == connect.Behind {
				delete(added, e.ServerID)
			}
		}
	}
	if len(added) == 0 {
		return nil
	}
	desk, err := w.client()
	var removed, kept []string
	if err == nil {
		removed, kept, err = desk.removeServers(ctx, added)
	}
	if err != nil {
		return fmt.Errorf("the files are put back, but their servers stay on the desk's list: %w", err)
	}
	for _, id := range removed {
		fmt.Fprintf(w.out, "The server %s left the desk's list.\n", visible(id))
	}
	for _, id := range kept {
		fmt.Fprintf(w.out, "The server %s stays on the desk's list: it was changed there.\n", visible(id))
	}
	return nil
}
