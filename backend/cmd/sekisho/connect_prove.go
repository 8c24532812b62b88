package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sekisho/backend/bothways"
	"sekisho/backend/connect"
	"sekisho/backend/terminal"
)

// maxNames is how many names a line lists.
const maxNames = 8

// names lists names for a person; those that are left out are counted.
func names(all []string) string {
	shown := make([]string, min(len(all), maxNames))
	for i := range shown {
		shown[i] = terminal.Visible(all[i])
	}
	if more := len(all) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return strings.Join(shown, ", ")
}

// missed are the variables that an entry would miss as it is planned, the likely ones first.
func missed(e connect.Entry) (likely []string, others int) {
	taken := func(name string) bool { return slices.Contains(e.Carried, name) }
	return slices.DeleteFunc(slices.Clone(e.Missing.Likely), taken), len(slices.DeleteFunc(slices.Clone(e.Missing.Others), taken))
}

// showMissing names the variables that servers would miss: once for all that would miss the
// same ones.
func showMissing(out io.Writer, s *connect.Survey) {
	found := false
	for _, f := range s.Files {
		if f.Plan == nil {
			continue
		}
		var said []string
		keys := map[string][]string{}
		for _, e := range f.Plan.Moves() {
			likely, others := missed(e)
			var line string
			switch {
			case len(likely) > 0 && others > 0:
				line = fmt.Sprintf("%s, and %s that it is less likely to need", names(likely), terminal.Count(others, "other", "others"))
			case len(likely) > 0:
				line = names(likely)
			case others > 0:
				line = terminal.Count(others, "variable that it is not likely to need", "variables that it is not likely to need")
			default:
				continue
			}
			if keys[line] == nil {
				said = append(said, line)
			}
			keys[line] = append(keys[line], e.Key())
		}
		for _, line := range said {
			fmt.Fprintf(out, "Behind the desk %s of %s would miss: %s.\n", names(keys[line]), f.File.Client.Name, line)
		}
		found = found || len(said) > 0
	}
	if found {
		fmt.Fprintln(out, `"--carry NAME" takes one along, as a secret; "connect --list --json" names them all.`)
	}
}

// entries are those that would move and are of interest.
func entries(files []connect.Planned, of func(connect.Entry) bool) (all []connect.Entry) {
	for _, f := range files {
		if f.Plan != nil {
			all = append(all, slices.DeleteFunc(f.Plan.Moves(), func(e connect.Entry) bool { return !of(e) })...)
		}
	}
	return all
}

// choose asks at the terminal what goes along to the desk, and plans with it.
func (w *wiring) choose(ctx context.Context, s *connect.Survey) (*connect.Survey, error) {
	if w.yes {
		return s, nil
	}
	misses := entries(s.Files, func(e connect.Entry) bool { likely, _ := missed(e); return len(likely) > 0 })
	for len(misses) > 0 && len(w.Carry) == 0 {
		answer, err := w.answer(ctx, "Which variables shall go along to the desk, as secrets? Their names, with commas; nothing for none: ")
		if err != nil {
			return nil, err
		}
		w.Carry = strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' })
		with, err := w.Survey(ctx)
		if refused := (*connect.CarryError)(nil); errors.As(err, &refused) {
			fmt.Fprintln(w.out, terminal.Visible(refused.Error()))
			w.Carry = nil
			continue
		}
		if err != nil {
			return nil, err
		}
		s = with
		break
	}
	var short []string
	for _, f := range s.Files {
		if f.Plan != nil && slices.ContainsFunc(f.Plan.Moves(), func(e connect.Entry) bool { return e.Limit != "" }) {
			short = append(short, f.File.Client.Name)
		}
	}
	if len(short) > 0 && !w.Limits {
		var err error
		w.Limits, err = w.agreed(ctx, fmt.Sprintf("The desk may wait an hour for a person, and a call of %s ends sooner. Raise the limit in the file too?",
			strings.Join(slices.Compact(short), ", ")))
		if err != nil {
			return nil, err
		}
	}
	if !w.Limits {
		return s, nil
	}
	return w.Survey(ctx)
}

// trusted are the files whose servers may be started before they are moved. What a project
// brings along may be somebody else's: its client would ask before it starts that.
func (w *wiring) trusted(ctx context.Context, s *connect.Survey, warn io.Writer) ([]connect.Planned, error) {
	own, brought := bothways.Apart(s.Files)
	foreign := entries(brought, bothways.Starts)
	if len(foreign) == 0 || w.foreign {
		return s.Files, nil
	}
	fmt.Fprintf(warn, "The project in this folder brings %s, perhaps somebody else's:\n", terminal.Count(len(foreign), "server", "servers"))
	for _, e := range foreign {
		showDifference(warn, "  "+
			terminal.Visible(strings.Join(append([]string{e.Key() + ":", e.Server.Command + e.Server.URL}, e.Server.Args...), " ")))
	}
	if w.yes {
		fmt.Fprintln(warn, `They are not started now; "--check" starts them, too.`)
		return own, nil
	}
	yes, err := w.agreed(ctx, "Start them now, to compare their tools?")
	if yes || err != nil {
		return s.Files, err
	}
	return own, nil
}

// direct starts the servers as their clients do, before anything is written. What does not
// start is named, and a person may leave it as it is.
func (w *wiring) direct(ctx context.Context, s *connect.Survey, warn io.Writer) (*connect.Survey, []bothways.Started, error) {
	files, err := w.trusted(ctx, s, warn)
	if err != nil {
		return s, nil, err
	}
	n := len(entries(files, bothways.Starts))
	if n == 0 {
		return s, nil, nil
	}
	most := terminal.Count(int(bothways.Longest(n).Minutes()), "minute", "minutes")
	fmt.Fprintf(w.out, "Starting %s as the clients do, in %s at most…\n", terminal.Count(n, "server", "servers"), most)
	found := w.prover().Direct(ctx, files)
	if ctx.Err() != nil {
		return s, nil, errBroken
	}
	w.Starts = map[string]map[string]time.Duration{}
	for _, d := range found {
		if d.Err == nil {
			fmt.Fprintf(w.out, "  %s of %s: %s\n", terminal.Visible(d.Key), d.Client, started(d))
			set(&w.Starts, d.File, d.PathKey(), d.Took)
			continue
		}
		fmt.Fprintf(warn, "  %s of %s does not start even without the desk: %s\n", terminal.Visible(d.Key), d.Client, terminal.Visible(d.Err.Error()))
		all, err := w.agreed(ctx, "Put it behind the desk all the same?")
		if err != nil {
			return s, nil, err
		} else if !all {
			set(&w.Leave, d.File, d.PathKey(), "it does not start")
		}
	}
	if w.Leave == nil && !w.Limits {
		return s, found, nil
	}
	s, err = w.Survey(ctx)
	return s, found, err
}

// set puts a value into a table of tables.
func set[V any](all *map[string]map[string]V, file, path string, value V) {
	if *all == nil {
		*all = map[string]map[string]V{}
	}
	if (*all)[file] == nil {
		(*all)[file] = map[string]V{}
	}
	(*all)[file][path] = value
}

// behind starts the lines that were written, and says whether the servers are what they were.
func (w *wiring) behind(ctx context.Context, files []connect.Planned, direct []bothways.Started) error {
	if len(direct) == 0 || len(files) == 0 {
		return nil
	}
	proofs := w.prover().Behind(ctx, files, direct)
	if ctx.Err() != nil {
		return errors.New("the files are written; whether the servers are what they were was not seen to the end: it was broken off")
	}
	wrong := 0
	for _, p := range proofs {
		if p.State() != bothways.Same {
			wrong++
		}
		fmt.Fprintf(w.out, "%s of %s: %s\n", terminal.Visible(p.Direct.Key), p.Direct.Client, verdict(p))
	}
	if wrong == 0 {
		return nil
	}
	undo := "sekisho disconnect"
	if len(w.clients) > 0 {
		undo += " --client " + strings.Join(w.clients, ",")
	}
	return fmt.Errorf("%d of %s not behind the desk what they were: see above; %q puts the files back", wrong,
		terminal.Count(len(proofs), "server is", "servers are"), undo)
}

func (w *wiring) prover() *bothways.Prover {
	return &bothways.Prover{Environ: w.Places.Environ(), Home: w.Places.Home}
}

// started says what a server that started has.
func started(s bothways.Started) string {
	return fmt.Sprintf("%s, starts in %.1f s", terminal.Count(len(s.Tools), "tool", "tools"), s.Took.Seconds())
}

// verdict says what a proof shows.
func verdict(p bothways.Proof) string {
	switch p.State() {
	case bothways.Lost:
		return "starts directly, and not behind the desk: " + terminal.Visible(p.Behind.Err.Error())
	case bothways.Different:
		var parts []string
		for _, part := range []struct {
			of   []string
			what string
		}{{p.Missing, "missing"}, {p.Added, "added"}, {p.Changed, "defined otherwise"}} {
			if len(part.of) > 0 {
				parts = append(parts, part.what+": "+names(part.of))
			}
		}
		return started(p.Direct) + ", other tools behind the desk: " + strings.Join(parts, "; ")
	}
	return started(p.Direct) + ", the same behind the desk"
}
