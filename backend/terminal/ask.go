package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

var (
	errNoTerminal = errors.New("there is no terminal")
	errBrokenOff  = errors.New("nothing was done: it was broken off")
)

// controlling is the terminal that this program belongs to, whatever its standard input and
// output are.
func controlling() (in, out *os.File, err error) {
	if runtime.GOOS == "windows" {
		if in, err = os.OpenFile("CONIN$", os.O_RDWR, 0); err == nil {
			out, err = os.OpenFile("CONOUT$", os.O_RDWR, 0)
		}
	} else if in, err = os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		out = in
	}
	if err != nil || !term.IsTerminal(int(in.Fd())) {
		return nil, nil, errNoTerminal
	}
	return in, out, nil
}

// askHidden asks at the terminal for what is not shown as it is typed.
func askHidden(ctx context.Context, question string) (string, error) {
	in, out, err := controlling()
	if err != nil {
		return "", err
	}
	defer in.Close()
	defer out.Close()
	// Nothing is shown from before the question on: an answer may be pasted at once.
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return "", errNoTerminal
	}
	defer term.Restore(int(in.Fd()), before)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGQUIT) // by which a program ends at once, with the terminal as it is
	defer stop()
	type answer struct {
		text string
		err  error
	}
	said := make(chan answer, 1)
	go func() {
		text, err := term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{keys{in}, out}, "").ReadPassword(question)
		said <- answer{text, err}
	}()
	select {
	case a := <-said:
		if errors.Is(a.err, io.EOF) {
			fmt.Fprint(out, "\r\n")
			return "", errBrokenOff
		}
		return strings.TrimSpace(a.text), a.err
	case <-ctx.Done():
		fmt.Fprint(out, "\r\n")
		return "", errBrokenOff
	}
}

// keys are what is typed at a terminal, for a reader that waits for the rest of a letter or of an order that
// it knows the beginning of: no byte begins a letter of several, and Ctrl-C ends all, whatever stands before it.
type keys struct{ io.Reader }

const ctrlC = 3

func (k keys) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	for i, c := range p[:n] {
		switch {
		case c == ctrlC:
			return 0, io.EOF
		case c >= 0x80: // no token has one
			p[i] = '?'
		}
	}
	return n, err
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// columns is how wide a stream is, or 0 where it is no terminal.
func columns(stream any) int {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok {
		return 0
	}
	wide, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return wide
}

// rows is how high a stream is, or usualRows where that is not known.
func rows(stream any) int {
	if f, ok := stream.(interface{ Fd() uintptr }); ok {
		if _, high, err := term.GetSize(int(f.Fd())); err == nil && high > 0 {
			return max(high, fewestRows)
		}
	}
	return usualRows
}

const (
	usualRows  = 24
	fewestRows = 10
)

// agreed asks a person at the terminal for a yes to what was printed. Where standard output is
// elsewhere, they are shown it here. What was typed before is no answer.
func agreed(c *cobra.Command, shown, question string) (bool, error) {
	in, out, err := controlling()
	if err != nil {
		return false, errors.New("nothing was done: there is no terminal to ask at; say --yes to do it")
	}
	defer in.Close()
	defer out.Close()
	if !isTerminal(c.OutOrStdout()) {
		if err := Print(out, shown); err != nil {
			return false, err
		}
	}
	flush(in)
	fmt.Fprint(out, question+" [y/N] ")
	said := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(in).ReadString('\n')
		if err != nil { // Ctrl-D is no Enter, and leaves the cursor behind the question
			fmt.Fprintln(out)
			line = ""
		}
		said <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case line := <-said:
		yes := line == "y" || line == "yes"
		if !yes {
			fmt.Fprintln(c.OutOrStdout(), "Nothing was changed.")
		}
		return yes, nil
	case <-c.Context().Done():
		fmt.Fprintln(out)
		return false, errBrokenOff
	}
}

// waited gives what may be long in coming, as from a pipe that nobody writes to, unless the person breaks it off.
func waited[T any](ctx context.Context, get func() (T, error)) (got T, err error) {
	done := make(chan struct{})
	var found T
	var failed error
	go func() {
		found, failed = get()
		close(done)
	}()
	select {
	case <-done:
		return found, failed
	case <-ctx.Done():
		return got, errBrokenOff
	}
}
