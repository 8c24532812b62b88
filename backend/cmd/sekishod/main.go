// Sekishod is the desk without a window: for servers, containers and tests. It
// serves the same front end to a browser.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sekisho/backend"
	"sekisho/backend/desk"
	"sekisho/backend/place"
	"sekisho/backend/rest"
	"sekisho/backend/server"
	"sekisho/frontend"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(os.Stdout).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "sekishod:", err)
		os.Exit(1)
	}
}

type flags struct {
	data, listen, tokenFile string
	remote                  bool
}

func command(out io.Writer) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:           "sekishod",
		Short:         "The permission desk between AI agents and the tools they call, without a window",
		Version:       backend.Version,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(c *cobra.Command, _ []string) error { return run(c.Context(), f, out) },
	}
	c.Flags().StringVar(&f.data, "data", "", "folder of the desk's data (default: the user's data folder)")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:7360", "address to listen on; port 0 takes any free one")
	c.Flags().StringVar(&f.tokenFile, "operator-token-file", "", "file with the operator's token, read once (default: a new token, printed in the ready line)")
	c.Flags().BoolVar(&f.remote, "insecure-remote", false, "allow an address that other machines reach, without encryption")
	return c
}

// ready is the one line on standard output when connections are accepted.
type ready struct {
	Event         string `json:"event"`
	URL           string `json:"url"`
	LoginURL      string `json:"loginUrl"`
	OperatorToken string `json:"operatorToken,omitempty"`
	Version       string `json:"version"`
	Trouble       string `json:"trouble,omitempty"` // why nothing can be kept
}

func run(ctx context.Context, f flags, out io.Writer) error {
	token, shown, err := operatorToken(f.tokenFile)
	if err != nil {
		return err
	}
	config := server.Config{
		Data: f.data, Listen: f.listen, InsecureRemote: f.remote, Operator: rest.NewOperator(token), Files: frontend.Files(),
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	if f.data == "" {
		if config.Data, err = place.Data(); err != nil {
			return err
		}
		config.DeskFile = place.Runtime(config.Data)
	}
	if f.remote {
		config.Logger.Warn("other machines may reach this desk: whoever has a token can ask, and tokens cross the network unencrypted", "listen", f.listen)
	}
	s, err := server.Open(ctx, config)
	if err != nil {
		return err
	}
	line := ready{Event: "ready", URL: s.URL, LoginURL: config.Operator.LoginURL(s.URL, time.Now()), OperatorToken: shown, Version: backend.Version, Trouble: s.Trouble()}
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

// operatorToken reads the operator's token once, or makes one to be shown.
func operatorToken(file string) (token, shown string, err error) {
	if file == "" {
		token = desk.NewToken("sko_")
		return token, token, nil
	}
	raw, err := readOnce(file)
	if err != nil {
		return "", "", fmt.Errorf("read the operator's token: %w", err)
	}
	token = strings.TrimSpace(string(raw))
	if err := checkToken(token); err != nil {
		return "", "", fmt.Errorf("read the operator's token: %s %w", file, err)
	}
	return token, "", nil
}

// Bounds of a token, in characters: fewer can be guessed, and more are not looked at.
const (
	minToken = 16
	maxToken = 512
)

// checkToken refuses a token that no request could carry: it goes in one line of a header,
// as one word.
func checkToken(token string) error {
	switch {
	case len(token) < minToken:
		return fmt.Errorf("holds fewer than %d characters", minToken)
	case len(token) > maxToken:
		return fmt.Errorf("holds more than %d characters", maxToken)
	case strings.ContainsAny(token, "\r\n"):
		return errors.New("holds more than one line: it is to hold the token alone")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("holds blanks or other than ASCII characters in the token: no request could carry it")
	}
	return nil
}

// readOnce reads a file, or the descriptor that /dev/fd/N names: that may be a
// socket, which cannot be opened by a path.
func readOnce(file string) ([]byte, error) {
	number, ok := strings.CutPrefix(file, "/dev/fd/")
	if n, err := strconv.ParseUint(number, 10, 31); ok && err == nil {
		f := os.NewFile(uintptr(n), file)
		defer f.Close()
		return io.ReadAll(f)
	}
	return os.ReadFile(file)
}
