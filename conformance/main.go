// Conformance holds the gateway to the official suites of MCP: what a server passes
// bare it must pass behind the desk, check by check.
//
// It runs two versions of the suite against the everything-server of the Go SDK,
// first bare and then through /mcp/{serverId} and /mcp of a real sekishod with one rule that
// allows all and a person who says yes to what the desk asks about all the same, once with the
// server as the desk's child and once over HTTP. Both eras
// of the protocol come in on one URL. Bare, the server needs two processes for that:
// it serves either sessions, with requests of its own to the client, or the stateless
// era. See sameURL for how the desk reaches both at one address.
//
// The suite sends no token, so a proxy between it and the desk adds one. What else
// was sent, Host and Origin too, arrives as it was.
//
// From the module's root, after npm ci in this folder:
//
//	go run ./conformance
//
// Exit status 1 says that the bare server does not give what is written here of it, or
// that something which it passes does not pass behind the desk. All processes end
// with the program, on Ctrl-C too. It is no part of the product and imports none of it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	desk := flag.String("sekishod", "build/bin/sekishod", "the desk's program")
	transports := flag.String("transports", "stdio,http", "how the desk reaches the server, one run for each")
	flag.Parse()
	if err := run(ctx, os.Stdout, *desk, strings.Split(*transports, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// errDiffers is the verdict when everything ran.
var errDiffers = errors.New("the desk does not give what the server gives")

// run holds everything that must be ended or removed at the end, however it comes.
func run(ctx context.Context, out io.Writer, desk string, transports []string) error {
	dir, err := os.MkdirTemp("", "sekisho-conformance-")
	if err != nil {
		return fmt.Errorf("make a folder for results: %w", err)
	}
	defer os.RemoveAll(dir)
	f, err := newField(ctx, dir)
	if err != nil {
		return err
	}
	defer f.stop()
	bare, err := f.bare(ctx, out)
	if err != nil {
		return err
	}
	verdict := error(nil)
	for _, transport := range transports {
		same, err := f.behind(ctx, out, desk, transport, bare)
		if err != nil {
			return fmt.Errorf("behind the desk over %s: %w", transport, err)
		}
		if !same {
			verdict = errDiffers
		}
	}
	return verdict
}

// field is what all runs share: the server's program and its two processes.
type field struct {
	dir, program string
	addresses    [2]string // by era
	ends         []func()
}

// newField builds the server and starts it for each era.
func newField(ctx context.Context, dir string) (*field, error) {
	f := &field{dir: dir, program: filepath.Join(dir, "everything-server")}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", f.program,
		"github.com/modelcontextprotocol/go-sdk/conformance/everything-server")
	if said, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the everything-server: %w\n%s", err, said)
	}
	for _, e := range []era{sessions, stateless} {
		address, end, err := startServer(ctx, f.program, fmt.Sprintf("-stateless=%t", e == stateless))
		if err != nil {
			f.stop()
			return nil, err
		}
		f.addresses[e] = address
		f.ends = append(f.ends, end)
	}
	return f, nil
}

func (f *field) stop() {
	for _, end := range f.ends {
		end()
	}
}

// bare runs the suites against the server itself. That it gives what is known of it
// is part of the verdict: else the comparison would compare less and say nothing.
func (f *field) bare(ctx context.Context, out io.Writer) ([]outcome, error) {
	var all []outcome
	for _, s := range suites {
		o, err := s.run(ctx, f.dir, "http://"+f.addresses[s.era])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(out, "bare: %s: %s\n", s, o)
		if o.passed() != s.passed || o.scored() != s.scored {
			return nil, fmt.Errorf("%s: the bare server gives %s instead of %d of %d", s, o, s.passed, s.scored)
		}
		all = append(all, o)
	}
	return all, nil
}

// behind runs the same behind a desk of its own and reports whether nothing is worse.
func (f *field) behind(ctx context.Context, out io.Writer, program, transport string, bare []outcome) (bool, error) {
	entry, end, err := f.entry(transport)
	if err != nil {
		return false, err
	}
	defer end()
	own, joined, end, err := openDesk(ctx, program, filepath.Join(f.dir, "desk-"+transport), entry)
	if err != nil {
		return false, err
	}
	defer end()
	same := true
	for i, s := range suites {
		for _, at := range []struct{ url, words string }{{own, ""}, {joined, ", all servers as one"}} {
			o, err := s.run(ctx, f.dir, at.url)
			if err != nil {
				return false, err
			}
			fmt.Fprintf(out, "behind the desk, %s%s: %s: %s\n", transport, at.words, s, o)
			same = tell(out, bare[i], o) && same
		}
	}
	repeated, err := f.logging(ctx, out, transport, own)
	return same && repeated, err
}

// entry is the server as the desk is to list it.
func (f *field) entry(transport string) (entry serverEntry, end func(), err error) {
	switch transport {
	case "stdio":
		return serverEntry{ID: serverID, Transport: transport, Command: f.program}, func() {}, nil
	case "http":
		url, end, err := serve(sameURL(f.addresses))
		return serverEntry{ID: serverID, Transport: transport, URL: url}, end, err
	}
	return entry, nil, fmt.Errorf("%q is no transport: stdio or http", transport)
}

// loggingRuns is how often the scenario must pass in which a relay that lets the
// answer overtake its notifications loses some, in about a third of all runs.
const loggingRuns = 20

func (f *field) logging(ctx context.Context, out io.Writer, transport, url string) (bool, error) {
	s := suite{folder: suites[0].folder, args: []string{"--scenario", "tools-call-with-logging"}}
	var first outcome
	passed := 0
	for range loggingRuns {
		o, err := s.run(ctx, f.dir, url)
		switch {
		case err != nil:
			return false, err
		case o.scored() > 0 && o.passed() == o.scored():
			passed++
		case first == nil:
			first = o
		}
	}
	fmt.Fprintf(out, "behind the desk, %s: tools-call-with-logging: %d times of %d\n", transport, passed, loggingRuns)
	for name, c := range first {
		fmt.Fprintf(out, "  WORSE %s: %s: %s\n", name, c.Status, c.ErrorMessage)
	}
	return passed == loggingRuns, nil
}
