package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sekisho/backend/permission"
	"sekisho/backend/restclient"
)

const watchHelp = `Show each call that waits for a person as it comes, and take the answer.

  y           yes, to this call
  n, n WHY    no; WHY is for the agent, and asked for where it is left out
  w           a wider answer: to calls of its kind, or to all of the session
  s           show the whole of it, page by page; what was not shown is not approved
  Enter       later: the next one
  l           show again what was put aside
  q           leave; what waits goes on waiting

The terminal rings when a call comes. An answer that is typed before its call could be
read is not taken. The operator's token is kept in memory, so that a desk which is started
again, at another address too, is found again.`

// arming is how soon an answer is taken after its call was shown: what is typed sooner was
// meant for something else.
const arming = 700 * time.Millisecond

// retry is how often a desk that went away is looked for.
const retry = time.Second

func newWatchCommand(f Finder) *cobra.Command {
	return &cobra.Command{
		Use: "watch", Short: "Show calls as they come, and answer them (operator's token)", Long: watchHelp, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			in, isFile := c.InOrStdin().(*os.File)
			if !isFile || !isTerminal(in) || !isTerminal(c.OutOrStdout()) {
				return errors.New("watch asks a person, and there is no terminal: run it at one, or use \"sekisho pending\" and \"sekisho approve ID\"")
			}
			desk, err := Operator(c.Context(), f, "answer calls")
			if err != nil {
				return err
			}
			w := &watch{finder: f, desk: desk, in: in, out: c.OutOrStdout(), lines: make(chan typedLine), rung: map[permission.CallID]bool{},
				later: map[permission.CallID]int64{}}
			return w.run(c.Context())
		},
	}
}

// watch is a person at a terminal who answers calls.
type watch struct {
	finder Finder
	desk   *restclient.Client
	in     *os.File
	out    io.Writer
	lines  chan typedLine

	on    *onScreen // the call that is asked about; nil: none
	names naming    // of what waits
	rung  map[permission.CallID]bool
	later map[permission.CallID]int64 // calls that were put aside, at the rev that was shown
	idle  bool                        // it was said that nothing is to be answered
	away  string                      // what was said of a desk that went away; "" is there
}

// typedLine is a line of the person, and when it was read.
type typedLine struct {
	text string
	at   time.Time
}

// onScreen is a call as it was shown.
type onScreen struct {
	call  permission.Call
	text  []string // lines of the whole
	shown int      // how many of them were shown
	armed time.Time
	takes func(ctx context.Context, line string) error // the next line; nil: a command
}

func (s *onScreen) whole() bool { return s.shown >= len(s.text) }

// news is what happened at the desk, or to it.
type news struct {
	desk *restclient.Client
	err  error
}

func (w *watch) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changed := make(chan news)
	go follow(ctx, w.finder, w.desk, changed)
	go w.read(ctx)
	for {
		select {
		case <-ctx.Done():
			return w.leave()
		case n := <-changed:
			if err := w.heard(ctx, n); err != nil {
				return err
			}
		case line, open := <-w.lines:
			if !open || strings.EqualFold(line.text, "q") && (w.on == nil || w.on.takes == nil) {
				return w.leave()
			}
			if err := w.typed(ctx, line); err != nil {
				return err
			}
		}
	}
}

// leave says that nothing was decided by leaving.
func (w *watch) leave() error { return w.say("\nWhat waits goes on waiting.\n") }

// read reads lines until the terminal is closed.
func (w *watch) read(ctx context.Context) {
	defer close(w.lines)
	typed := bufio.NewReader(w.in)
	for {
		line, err := typed.ReadString('\n')
		if err != nil {
			return
		}
		select {
		case w.lines <- typedLine{strings.TrimSpace(line), time.Now()}:
		case <-ctx.Done():
			return
		}
	}
}

// follow tells of what happens at the desk, and looks for it where it went away.
func follow(ctx context.Context, f Finder, desk *restclient.Client, changed chan<- news) {
	tell := func(n news) {
		select {
		case changed <- n:
		case <-ctx.Done():
		}
	}
	for ctx.Err() == nil {
		look := func() { tell(news{desk: desk}) }
		err := desk.Events(ctx, look, func(permission.EntryKind) { look() })
		if err == nil {
			return
		}
		tell(news{err: err})
		select {
		case <-time.After(retry):
		case <-ctx.Done():
		}
		if url, err := f.URL(); err == nil && url != desk.URL {
			desk.Close()
			desk = desk.At(url)
		}
	}
}

// heard looks at what waits now.
func (w *watch) heard(ctx context.Context, n news) error {
	if n.err != nil {
		return w.lost(n.err)
	}
	if w.away != "" {
		w.away, w.idle, w.on = "", false, nil
		if err := w.say("The desk is back at %s.\n", n.desk.URL); err != nil {
			return err
		}
	}
	w.desk = n.desk
	return w.refresh(ctx)
}

// lost says once that the desk is away, and why.
func (w *watch) lost(err error) error {
	if w.away == err.Error() {
		return nil
	}
	w.away = err.Error()
	return w.say("\nThe desk does not answer (%s). What waits goes on waiting; it is looked for.\n", Visible(err.Error()))
}

// refresh shows the next call where none is shown, and what became of the one that is.
func (w *watch) refresh(ctx context.Context) error {
	waiting, err := w.desk.PendingBriefly(ctx)
	if err != nil {
		return w.failed(ctx, err)
	}
	w.names = namesOf(waiting)
	if err := w.ring(waiting); err != nil {
		return err
	}
	if w.on != nil {
		i := slices.IndexFunc(waiting, func(c permission.Call) bool { return c.ID == w.on.call.ID })
		switch {
		case i < 0:
			return w.gone(ctx)
		case waiting[i].ShownRev > w.on.call.Rev:
			if err := w.say("\n%s has changed; it is shown anew.\n", w.names.of(w.on.call.ID, w.on.call.Rev)); err != nil {
				return err
			}
			return w.show(ctx, w.on.call.ID)
		}
		return nil
	}
	for _, c := range waiting {
		if rev, aside := w.later[c.ID]; !aside || c.ShownRev > rev {
			return w.show(ctx, c.ID)
		}
	}
	return w.nothing(len(waiting))
}

// failed takes an error of the desk: one that it says itself ends the watch.
func (w *watch) failed(ctx context.Context, err error) error {
	var p *restclient.Problem
	switch {
	case errors.As(err, &p):
		return err
	case ctx.Err() != nil: // the person leaves, which run says
		return nil
	}
	return w.lost(err)
}

// ring rings for calls that are new.
func (w *watch) ring(waiting []permission.Call) error {
	fresh := false
	for _, c := range waiting {
		fresh = fresh || !w.rung[c.ID]
		w.rung[c.ID] = true
	}
	if !fresh {
		return nil
	}
	return w.say("\a")
}

func (w *watch) nothing(aside int) error {
	switch {
	case w.idle:
		return nil
	case aside > 0:
		w.idle = true
		return w.say("Nothing else waits; %s put aside (l shows it again, q leaves).\n", Count(aside, "call is", "calls are"))
	}
	w.idle = true
	return w.say("Nothing waits for a person. (q leaves)\n")
}

// gone says what became of a call that was on the screen.
func (w *watch) gone(ctx context.Context) error {
	c, err := w.desk.Call(ctx, w.on.call.ID)
	if err != nil {
		return w.failed(ctx, err)
	}
	if err := w.say("\n%s is %s; it waits no more.\n", w.names.of(c.ID, c.Rev), c.Status); err != nil {
		return err
	}
	return w.next(ctx)
}

func (w *watch) next(ctx context.Context) error {
	w.on, w.idle = nil, false
	return w.refresh(ctx)
}

// show asks about a call. What was typed before it was shown is thrown away.
func (w *watch) show(ctx context.Context, id permission.CallID) error {
	call, err := w.desk.Call(ctx, id)
	if err != nil {
		return w.failed(ctx, err)
	}
	text := folded(described(w.names.of(id, call.Rev), call, lookAt(ctx, w.desk, id), time.Now()), columns(w.out))
	w.on, w.idle = &onScreen{call: call, text: strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")}, false
	first := len(w.on.text)
	if most := rows(w.out) - 4; first > most { // with the lines around it, it would leave the screen
		first = most
	}
	if err := w.print(first); err != nil {
		return err
	}
	flush(w.in)
	w.on.armed = time.Now().Add(arming)
	return w.prompt()
}

// print shows so many more lines of the call.
func (w *watch) print(lines int) error {
	end := min(w.on.shown+lines, len(w.on.text))
	text := strings.Join(w.on.text[w.on.shown:end], "")
	w.on.shown = end
	return w.say("%s", "\n"+strings.TrimSuffix(text, "\n")+"\n")
}

func (w *watch) prompt() error {
	if !w.on.whole() {
		return w.say("… %s more. [s]how all, [n]o, Enter: later, [q]uit > ", Count(len(w.on.text)-w.on.shown, "line", "lines"))
	}
	wider := ""
	if w.on.call.Covers != nil {
		wider = ", [w]ider"
	}
	return w.say("%s: [y]es, [n]o%s, [s]how all, Enter: later, [q]uit > ", w.names.of(w.on.call.ID, w.on.call.Rev), wider)
}

func (w *watch) say(format string, values ...any) error {
	if _, err := io.WriteString(w.out, Letters(fmt.Sprintf(format, values...))); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
