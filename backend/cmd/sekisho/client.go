package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/restclient"
	"sekisho/backend/terminal"
)

// finder finds the desk and the token to speak with (CONTRACT section 1).
type finder struct{ desk, tokenFile, agent string }

var errNoDesk = errors.New("Sekisho is not running")

// url is --desk, SEKISHO_URL, or what the running desk left in desk.json.
func (f *finder) url() (string, error) {
	if f.desk != "" {
		return strings.TrimRight(f.desk, "/"), nil
	}
	if url := os.Getenv("SEKISHO_URL"); url != "" {
		return strings.TrimRight(url, "/"), nil
	}
	d, err := place.FindDesk()
	if errors.Is(err, place.ErrNoDesk) {
		return "", fmt.Errorf("%w: start it, or say where it is with --desk URL", errNoDesk)
	}
	return d.URL, err
}

// token is --token-file, the agent's kept one, or SEKISHO_TOKEN.
func (f *finder) token() (string, error) { return f.tokenBy(terminal.ReadToken) }

func (f *finder) tokenBy(read func(path string) (string, error)) (string, error) {
	path := f.tokenFile
	if path == "" && f.agent != "" {
		var err error
		if path, err = place.TokenFile(f.agent); err != nil {
			return "", err
		}
	}
	if path == "" {
		if t := strings.TrimSpace(os.Getenv("SEKISHO_TOKEN")); t != "" {
			return t, nil
		}
		return "", terminal.ErrNoToken
	}
	return read(path)
}

func (f *finder) client() (*client, error) {
	url, err := f.url()
	if err != nil {
		return nil, err
	}
	token, err := f.token()
	return newClient(url, token), err
}

// operator is the client of a person, who is asked for their token at the terminal where
// none is given.
func (f *finder) operator(ctx context.Context, to string) (*client, error) {
	c, err := terminal.Operator(ctx, f.finding(), to)
	if err != nil {
		return nil, err
	}
	return &client{c}, nil
}

// finding lets the commands of a person find the desk and the token.
func (f *finder) finding() terminal.Finder {
	return terminal.Finder{URL: f.url, Token: func() (string, error) { return f.tokenBy(terminal.ReadOwnToken) }}
}

// client speaks the desk's REST.
type client struct{ *restclient.Client }

func newClient(url, token string) *client { return &client{restclient.New(url, token)} }

// problem is the desk's error answer (RFC 9457).
type problem = restclient.Problem

// callPath is where a call is.
func callPath(id permission.CallID) string { return restclient.CallPath(id) }

// secret makes a token of 256 random bits.
func secret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}
