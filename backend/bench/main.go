// Program bench holds Sekisho against its neighbours, side by side in one run:
// rules against other rule engines, durable suspending against a bare log and a
// queue on the same disk, calls through the gateway against the same without it, the program of
// hooks against one that only starts. The contestants take turns in rounds, so that the noise of
// the machine meets all alike; a figure is the median of its rounds, with the
// smallest and the largest beside it. It is a module of its own, so that the product
// does not depend on its neighbours.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"text/tabwriter"
	"time"

	"sekisho/backend/server"
)

// settings are the flags.
type settings struct {
	dir    string
	rounds int
	turn   time.Duration
	only   string

	sekishod string
}

func main() {
	if err := served(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	var s settings
	flag.StringVar(&s.dir, "dir", ".", "a folder on the disk that is measured; not in memory")
	flag.IntVar(&s.rounds, "rounds", 5, "how often each contestant takes its turn")
	flag.DurationVar(&s.turn, "turn", time.Second, "how long one turn on the disk takes")
	flag.StringVar(&s.only, "only", "", "decide, edit, preview, suspend, pending, members, hook or gateway; empty is all")
	flag.StringVar(&s.sekishod, "sekishod", "../../build/bin/sekishod", "the program of the desk, for members, hook and gateway; sekisho-hook is beside it")
	flag.Parse()
	if err := run(context.Background(), s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// served is a neighbour of the desk, where the program was started as one; it ends with an error alone.
func served(args []string) error {
	switch {
	case len(args) == 3 && args[0] == relayCommand:
		return relay(args[1], args[2])
	case len(args) == 2 && args[0] == largeCommand:
		return large(args[1])
	}
	return nil
}

func run(ctx context.Context, s settings) error {
	defer runtime.KeepAlive(server.Headroom()) // as a desk has it; for all alike
	dir, err := workDir(s.dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var all table
	for _, part := range []struct {
		name string
		run  func(context.Context, settings, string) ([]row, error)
	}{{"decide", decide}, {"edit", edit}, {"preview", preview}, {"suspend", suspend}, {"pending", pending}, {"members", members},
		{"hook", hook}, {"gateway", gateway}} {
		if s.only != "" && s.only != part.name {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring:", part.name)
		rows, err := part.run(ctx, s, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		all = append(all, rows...)
	}
	return all.print()
}

// row is one line of the table: a figure, and whether it reaches its goal. A row
// without a goal is there to compare.
type row struct {
	what, figure, ratio, goal string
	reached                   bool
}

type table []row

func (t table) print() error {
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "what\tmedian (smallest..largest)\tratio\tgoal\treached")
	for _, r := range t {
		answer := ""
		if r.goal != "" {
			answer = map[bool]string{true: "yes", false: "NO"}[r.reached]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.what, r.figure, r.ratio, r.goal, answer)
	}
	return w.Flush()
}
