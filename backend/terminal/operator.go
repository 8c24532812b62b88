package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"sekisho/backend/operatorkey"
	"sekisho/backend/permission"
	"sekisho/backend/restclient"
)

// Finder finds the running desk and the token that was given, by flags, by the environment
// or by what the desk has left.
type Finder struct {
	URL   func() (string, error)
	Token func() (string, error) // ErrNoToken where none was given
}

// ErrNoToken says that no token was given.
var ErrNoToken = errors.New("no token: say --token-file FILE or --agent NAME, or set SEKISHO_TOKEN")

// errWindow says that nobody decides at a terminal.
var errWindow = errors.New("the window is the operator: this desk is that of sekisho-desktop, which takes no token; answer, and change it, in its window " +
	"(\"sekisho status\" works here, and a desk of \"sekisho service install\" is one without a window)")

// Operator gives a client of the person, to do something: with the token that was given, or
// that they type at the terminal.
func Operator(ctx context.Context, f Finder, to string) (*restclient.Client, error) {
	url, err := f.URL()
	if err != nil {
		return nil, err
	}
	h, err := healthOf(ctx, url)
	switch {
	case err != nil:
		return nil, err
	case h.Operator == decidedByWindow:
		return nil, errWindow
	}
	token, err := waited(ctx, f.Token)
	if errors.Is(err, ErrNoToken) {
		token, err = typed(ctx, to)
	}
	if err != nil {
		return nil, err
	}
	if _, _, err := operatorkey.Parse(token); err != nil {
		return nil, err
	}
	return restclient.New(url, token), nil
}

// typed asks for the token at the terminal.
func typed(ctx context.Context, to string) (string, error) {
	token, err := askHidden(ctx, "Operator's token, to "+to+" (it is not shown): ")
	switch {
	case errors.Is(err, errNoTerminal):
		return "", errors.New("no token, and no terminal to ask for it: say --token-file FILE, a file with the operator's token, or run this at a terminal")
	case err == nil && token == "":
		return "", errors.New("no token was typed: it was printed once when the desk was installed (\"sekisho service install\"), or stands in the first line of sekishod")
	}
	return token, err
}

// decidedByWindow is the operator of a desk with a window.
const decidedByWindow = "window"

// health is what a desk says to everybody.
type health struct {
	OK       bool   `json:"ok"`
	Version  string `json:"version"`
	Operator string `json:"operator"`
	Trouble  string `json:"trouble"`
}

const (
	healthWithin = 5 * time.Second
	maxHealth    = 64 << 10 // bytes
)

// healthOf asks a desk how it is. Nothing is told to it, so that nothing of it has to be
// proved; and nothing that it says is a reason to tell it anything.
func healthOf(ctx context.Context, url string) (h health, err error) {
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/healthz", nil)
	if err != nil || req.URL.Host == "" || req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return h, fmt.Errorf("%q is no desk's URL, which looks like http://127.0.0.1:7360", permission.Short(url, maxCell))
	}
	direct := &http.Transport{}
	defer direct.CloseIdleConnections()
	resp, err := direct.RoundTrip(req)
	if err != nil {
		return h, fmt.Errorf("no desk answers at %s: start it (\"sekisho service install\", sekishod, or sekisho-desktop), or say where it is with --desk URL", url)
	}
	defer resp.Body.Close()
	if json.NewDecoder(io.LimitReader(resp.Body, maxHealth)).Decode(&h) != nil {
		return health{}, nil // the desk itself refuses what it must
	}
	return h, nil
}
