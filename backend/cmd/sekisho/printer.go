package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"sekisho/backend/terminal"
)

// printer is standard output that remembers its first error: what could not be printed
// is no success. A terminal is given the letters that it takes. It is safe for use by many goroutines.
type printer struct {
	out io.Writer
	tty bool
	mu  sync.Mutex
	err error
}

// Write writes on after an error too: a disk may have room again.
func (p *printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := len(b), error(nil)
	if p.tty {
		_, err = io.WriteString(p.out, terminal.Letters(string(b)))
	} else {
		n, err = p.out.Write(b)
	}
	if err != nil && p.err == nil {
		p.err = err
	}
	return n, err
}

// Fd is the descriptor of a file, by which a terminal is known.
func (p *printer) Fd() uintptr {
	if f, ok := p.out.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// remember puts a printer in the place of a command's standard output.
func remember(c *cobra.Command, _ []string) {
	out := c.OutOrStdout()
	f, is := out.(*os.File)
	c.SetOut(&printer{out: out, tty: is && isatty.IsTerminal(f.Fd())})
}

// printed is the error of a command that is done, but for what it had to print.
func printed(c *cobra.Command, _ []string) error {
	p, ok := c.OutOrStdout().(*printer)
	if !ok {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return fmt.Errorf("print: %w", p.err)
	}
	return nil
}
