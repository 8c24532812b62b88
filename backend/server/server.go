// Package server assembles one desk: a data folder, its store, the desk and its
// doors, opened and closed in order. Both mains use it.
package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"sekisho/backend"
	"sekisho/backend/desk"
	"sekisho/backend/gateway"
	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/rest"
	"sekisho/backend/sqlite"
)

// ErrHeld says that another desk holds the data folder.
var ErrHeld = errors.New("another desk holds this data folder")

// ErrRemote refuses an address beyond loopback that nobody asked for.
var ErrRemote = errors.New("this address can be reached from other machines: whoever has a token could then ask, and tokens would cross the network unencrypted; say --insecure-remote if you mean it")

// Config says what to open. Only Data and Listen are needed.
type Config struct {
	Data           string // the data folder; made when missing
	DeskFile       string // the folder of desk.json; "" is Data
	Listen         string // host:port; port 0 is any free one
	InsecureRemote bool
	Operator       *rest.Operator // nil: no credential exists that could decide
	Files          fs.FS          // the front end; nil serves none
	Patience       time.Duration  // of MCP callers; 0 is the gateway's own
	Logger         *slog.Logger   // nil is slog.Default
}

// Server is an open desk with its doors.
type Server struct {
	URL  string
	Desk *desk.Desk

	gateway  *gateway.Gateway
	deskFile string
	closers  []func() error
	failed   chan error
}

// Open takes the folder, opens what is in it and listens. On an error nothing
// stays open.
func Open(ctx context.Context, c Config) (*Server, error) {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.DeskFile == "" {
		c.DeskFile = c.Data
	}
	s := &Server{deskFile: c.DeskFile, failed: make(chan error, 1)}
	for _, step := range []func(context.Context, Config) error{s.hold, s.openDesk, s.listen} {
		if err := step(ctx, c); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Close ends the doors, then the desk, then the store, and lets the folder go.
func (s *Server) Close() error {
	var err error
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, s.closers[i]())
	}
	s.closers = nil
	return err
}

// Failed tells of a door that broke while open.
func (s *Server) Failed() <-chan error { return s.failed }

func (s *Server) closing(f func() error) { s.closers = append(s.closers, f) }

// hold takes the folder's lock, which the system lets go when the process ends
// in whatever way.
func (s *Server) hold(_ context.Context, c Config) error {
	if err := enclose(c.Data, c.Logger); err != nil {
		return fmt.Errorf("open data folder: %w", err)
	}
	lock := flock.New(filepath.Join(c.Data, "desk.lock"), flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock data folder: %w", err)
	}
	if !held {
		return fmt.Errorf("%w: %s", ErrHeld, c.Data)
	}
	s.closing(lock.Unlock)
	return nil
}

// enclose makes the folder, or makes it private if it is empty or a desk's already.
// The mode of one that holds other things is its owner's business: the files in it
// are private all the same.
func enclose(dir string, log *slog.Logger) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ours := func(e fs.DirEntry) bool { return e.Name() == sqlite.FileName || e.Name() == "desk.lock" }
	if len(entries) == 0 || slices.ContainsFunc(entries, ours) {
		return place.Private(dir)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm()&0o077 != 0 {
		log.Warn("the data folder holds other things and others may enter it", "folder", dir)
	}
	return nil
}

func (s *Server) openDesk(ctx context.Context, c Config) error {
	store, err := sqlite.Open(ctx, c.Data)
	if err != nil {
		return err
	}
	s.closing(store.Close)
	options := desk.Options{
		Logger:      c.Logger,
		Dismissed:   func(id permission.AgentID) { s.gateway.Dismiss(id) },
		Reinstalled: func(servers []permission.Server) { s.gateway.Reinstall(servers) },
	}
	if s.Desk, err = desk.Open(ctx, store, options); err != nil {
		return err
	}
	s.closing(func() error { s.Desk.Close(); return nil })
	return nil
}

func (s *Server) listen(_ context.Context, c Config) error {
	if err := local(c); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	s.URL = "http://" + listener.Addr().String()
	s.gateway = gateway.New(s.Desk, gateway.Options{AgentFrom: rest.AgentFrom, Patience: c.Patience, Logger: c.Logger})
	door := rest.New(s.Desk, rest.Options{
		Version: backend.Version, Operator: c.Operator, Gateway: s.gateway, Files: c.Files,
		ServerState: s.ServerState, AllowRemote: c.InsecureRemote, Logger: c.Logger,
	})
	web := door.Server()
	go func() {
		if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("listen on %s: %w", c.Listen, err)
		}
	}()
	s.closing(func() error {
		door.Close()
		return errors.Join(s.gateway.Close(), shutdown(web))
	})
	s.closing(func() error { return place.RemoveDesk(s.deskFile, os.Getpid()) })
	return place.WriteDesk(s.deskFile, place.Desk{URL: s.URL, PID: os.Getpid(), Version: backend.Version})
}

func shutdown(web *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if web.Shutdown(ctx) != nil {
		return web.Close()
	}
	return nil
}

// local refuses an address beyond loopback unless it was asked for.
func local(c Config) error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if ip := net.ParseIP(host); c.InsecureRemote || host == "localhost" || (ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("listen on %s: %w", c.Listen, ErrRemote)
}

// ServerState says how a server behind the desk does, and which tools it was
// last seen to offer.
func (s *Server) ServerState(of permission.Server) (state string, tools []string) {
	if !of.Enabled {
		return string(permission.ServerDisabled), s.gateway.Tools(of.ID)
	}
	return string(s.gateway.State(of.ID)), s.gateway.Tools(of.ID)
}
