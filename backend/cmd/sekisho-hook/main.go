// Sekisho-hook is the program that an agent's client starts for each event of its hooks: what
// "sekisho hook" does, and little else, since it is started for every tool call.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"sekisho/backend/hookline"
)

func main() {
	// A client that ends it without waiting may take the signal for a yes.
	stop, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer release()
	o, err := options(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "Sekisho: %s. The call was not allowed.\n", err)
		os.Exit(2)
	}
	o.Stop = stop.Done()
	os.Exit(hookline.Run(o, os.Stdin, os.Stdout, os.Stderr))
}

// options reads the command line. To ask for help is no yes either.
func options(args []string) (o hookline.Options, err error) {
	f := flag.NewFlagSet("sekisho-hook", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.Client, "client", "", "")
	f.StringVar(&o.Defer, "defer", "", "")
	f.StringVar(&o.Desk, "desk", "", "")
	f.StringVar(&o.TokenFile, "token-file", "", "")
	f.StringVar(&o.Agent, "agent", "", "")
	switch err = f.Parse(args); {
	case err == nil && f.NArg() > 0:
		err = fmt.Errorf("%q is one word too many", f.Arg(0))
	case err == nil && o.Client == "":
		err = fmt.Errorf("say --client: sekisho-hook --client CLIENT [--defer SECONDS] [--desk URL] [--agent NAME] [--token-file FILE]")
	}
	return o, err
}
