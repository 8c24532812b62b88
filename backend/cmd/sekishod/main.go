// Sekishod is the desk without a window: for servers, containers and tests. It
// serves the same front end to a browser.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"sekisho/backend"
	"sekisho/backend/journalkey"
	"sekisho/backend/place"
	"sekisho/backend/process"
	"sekisho/backend/rest"
	"sekisho/backend/server"
	"sekisho/backend/usage"
	"sekisho/frontend"
)

func main() {
	process.Begin()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(os.Stdout).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "sekishod:", err)
		os.Exit(usage.ExitCode(err))
	}
}

type flags struct {
	data, listen, tokenFile string
	keyFile                 string
	address                 string
	journalKey              string
	remote, openAPI         bool
}

// command is the program. What it prints goes to out.
func command(out io.Writer) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:           "sekishod",
		Short:         "The permission desk between AI agents and the tools they call, without a window",
		Long:          "The permission desk between AI agents and the tools they call, without a window.\n\nExit code: 0 ended as told, 1 could not go on, 2 wrong usage.",
		Version:       backend.Version,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		PreRunE:       func(c *cobra.Command, _ []string) error { return given(c) },
		RunE: func(c *cobra.Command, _ []string) error {
			if f.openAPI {
				return printDocument(out)
			}
			return run(c.Context(), f, out)
		},
	}
	c.Flags().StringVar(&f.data, "data", "", "folder of the desk's data (default: the user's data folder)")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:7360",
		"address to listen on; port 0 takes any free one, 0.0.0.0 is all of IPv4, [::] all of IPv6, and nothing before the port both")
	c.Flags().StringVar(&f.tokenFile, "operator-token-file", "",
		"file with the operator's token, read once (default: a new token, printed in the ready line)")
	c.Flags().StringVar(&f.keyFile, "operator-key-file", "",
		"file with the public half of the operator's key, in place of a token: then nothing that decides is printed or lies in a file")
	c.Flags().StringVar(&f.address, "address", "",
		"host:port by which programs reach this desk, where that is not where it listens (a container, a proxy): it then proves itself for this one too")
	c.Flags().BoolVar(&f.remote, "insecure-remote", false, "allow an address that other machines reach, without encryption")
	c.Flags().StringVar(&f.journalKey, "journal-key", "",
		"file of the key that the journal is signed with, made when missing (default: one for this journal in the user's settings folder)")
	c.Flags().BoolVar(&f.openAPI, "openapi", false, "print the OpenAPI document of the REST API, and end")
	c.AddCommand(newJournalCommand())
	usage.Strict(c)
	return c
}

func printDocument(out io.Writer) error {
	document, err := rest.Document(backend.Version)
	if err != nil {
		return err
	}
	_, err = out.Write(document)
	return err
}

// ready is the one line on standard output when connections are accepted.
type ready struct {
	Event         string `json:"event"`
	URL           string `json:"url"`
	LoginURL      string `json:"loginUrl,omitempty"` // not of an operator who has a key: this line ends up in logs
	OperatorToken string `json:"operatorToken,omitempty"`
	Version       string `json:"version"`
	Trouble       string `json:"trouble,omitempty"` // why nothing can be kept
}

// journalKey is where the key of a journal is: in a file that was named, or among the keys
// of this user.
func journalKey(file string) (string, error) {
	if file != "" {
		return filepath.Clean(file), nil
	}
	dir, err := journalkey.Folder()
	if err != nil {
		return "", err
	}
	return dir + "/", nil
}

func run(ctx context.Context, f flags, out io.Writer) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	operator, shown, err := operatorOf(f, log)
	if err != nil {
		return err
	}
	config := server.Config{
		Data: f.data, Listen: f.listen, Address: f.address, InsecureRemote: f.remote, Operator: operator, Files: frontend.Files(),
		Logger: log,
	}
	if f.data == "" {
		if config.Data, err = place.Data(); err != nil {
			return err
		}
		config.DeskFile = place.Runtime(config.Data)
	}
	if config.JournalKey, err = journalKey(f.journalKey); err != nil {
		log.Warn("the journal is not signed: there is no settings folder for its key", "err", err)
	}
	if f.remote {
		log.Warn("other machines may reach this desk: whoever has a token can ask, and tokens cross the network unencrypted", "listen", f.listen)
	}
	s, err := server.Open(ctx, config)
	if err != nil {
		return err
	}
	line := ready{Event: "ready", URL: s.URL, OperatorToken: shown, Version: backend.Version, Trouble: s.Trouble()}
	if f.keyFile == "" {
		line.LoginURL = operator.LoginURL(s.URL, s.Desk.Calls.Now().Std())
	}
	if err := json.NewEncoder(out).Encode(line); err != nil {
		s.Close()
		return fmt.Errorf("say that the desk is ready: %w", err)
	}
	select {
	case <-ctx.Done():
		return s.Close()
	case err := <-s.Failed():
		s.Close()
		return err
	}
}
