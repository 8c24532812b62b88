// Package place knows where things lie: the folders for data, settings and the
// running desk's address, on each platform, and the files in them that more than
// one program reads (CONTRACT section 1). A relative path in a variable of XDG's base
// directories is passed over, as its specification wants: it would be another folder
// for each program.
package place

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

const app = "sekisho"

// ErrNoDesk says that no running desk has left its address.
var ErrNoDesk = errors.New("no desk is running")

// Data is the folder of the desk's data: $XDG_DATA_HOME/sekisho, or what the
// platform has in its place.
func Data() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, app), nil
	}
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, app), nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", app), nil
	}
	return filepath.Join(home, ".local", "share", app), nil
}

// Config is the folder of agents' tokens: $XDG_CONFIG_HOME/sekisho, or what the
// platform has in its place.
func Config() (string, error) {
	dir, err := os.UserConfigDir()
	if set := os.Getenv("XDG_CONFIG_HOME"); err != nil && set != "" && !filepath.IsAbs(set) {
		dir, err = os.UserHomeDir()
		dir = filepath.Join(dir, ".config")
	}
	if err != nil {
		return "", fmt.Errorf("find the settings folder: %w", err)
	}
	return filepath.Join(dir, app), nil
}

// Runtime is the folder of desk.json for a desk on the usual data folder: under
// $XDG_RUNTIME_DIR, else the data folder itself.
func Runtime(data string) string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, app)
	}
	return data
}

// TokenFile is where an agent's program finds its token. A name that is not one
// file's name is refused.
func TokenFile(agent string) (string, error) {
	if agent == "" || strings.ContainsAny(agent, `/\`) || strings.Trim(agent, ".") == "" {
		return "", fmt.Errorf("%q is not an agent's name", agent)
	}
	dir, err := Config()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "agents", agent+".token"), nil
}

// Private makes a folder that only this user can enter, or tightens it.
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// WriteSecret writes a file of mode 0600 at once: a reader sees the old or the
// new content, never half.
func WriteSecret(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// SyncFolder makes a new name in a folder last. Windows keeps names by itself.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Desk is what a running desk says of itself in desk.json.
type Desk struct {
	URL     string `json:"url"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

// WriteDesk leaves desk.json in dir, mode 0600.
func WriteDesk(dir string, d Desk) error {
	raw, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("write desk.json: %w", err)
	}
	if err := errors.Join(os.MkdirAll(dir, 0o700), WriteSecret(filepath.Join(dir, "desk.json"), append(raw, '\n'))); err != nil {
		return fmt.Errorf("write desk.json: %w", err)
	}
	return nil
}

// RemoveDesk takes desk.json away if it is still pid's.
func RemoveDesk(dir string, pid int) error {
	d, err := readDesk(dir)
	if err != nil || d.PID != pid {
		return nil
	}
	return os.Remove(filepath.Join(dir, "desk.json"))
}

// FindDesk reads the address of the running desk; ErrNoDesk when none left one.
func FindDesk() (Desk, error) {
	data, err := Data()
	if err != nil {
		return Desk{}, err
	}
	for _, dir := range []string{Runtime(data), data} {
		d, err := readDesk(dir)
		if err == nil && !alive(d.PID) {
			continue // it was killed: whoever has its port now is not to see a token
		}
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return d, err
		}
	}
	return Desk{}, ErrNoDesk
}

// alive reports whether a process of this id exists and is this user's: another user's
// is not the desk that wrote it down.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	if runtime.GOOS == "windows" {
		return true // there FindProcess has looked
	}
	return p.Signal(syscall.Signal(0)) == nil
}

func readDesk(dir string) (d Desk, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, "desk.json"))
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return d, fmt.Errorf("read desk.json: %w", err)
	}
	return d, nil
}

// WriteToken keeps an agent's token in its TokenFile and says where that is.
func WriteToken(agent, token string) (path string, err error) {
	if path, err = TokenFile(agent); err != nil {
		return "", err
	}
	if err := errors.Join(Private(filepath.Dir(path)), WriteSecret(path, []byte(token+"\n"))); err != nil {
		return "", fmt.Errorf("keep the token of %s: %w", agent, err)
	}
	return path, nil
}

// RemoveToken forgets what WriteToken kept.
func RemoveToken(agent string) error {
	path, err := TokenFile(agent)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the token of %s: %w", agent, err)
	}
	return nil
}
