package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"

	"sekisho/backend/desk"
)

// operatorToken reads the operator's token once, or makes one to be shown.
func operatorToken(file string, log *slog.Logger) (token, shown string, err error) {
	if file == "" {
		token = desk.NewToken("sko_")
		return token, token, nil
	}
	raw, err := readOnce(file, log)
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
func readOnce(file string, log *slog.Logger) ([]byte, error) {
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	if err == nil {
		tighten(f, log)
	}
	return raw, err
}

func open(file string) (*os.File, error) {
	number, ok := strings.CutPrefix(file, "/dev/fd/")
	if n, err := strconv.ParseUint(number, 10, 31); ok && err == nil {
		return os.NewFile(uintptr(n), file), nil
	}
	return os.Open(file)
}

// tokenFile is an open file whose mode can be seen and changed.
type tokenFile interface {
	Name() string
	Stat() (fs.FileInfo, error)
	Chmod(fs.FileMode) error
}

// tighten takes from others what rights they have in the file of the operator's token, if
// it is this user's: who reads it can decide. It stays in use all the same, since a file
// system may know no modes, or be read-only.
func tighten(f tokenFile, log *slog.Logger) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return
	}
	log = log.With("file", f.Name(), "mode", fmt.Sprintf("%#o", info.Mode().Perm()))
	if !ours(info) {
		log.Warn("others may read the operator's token, and the file is another user's")
		return
	}
	if err := f.Chmod(info.Mode().Perm() & 0o600); err != nil {
		log.Warn("others may read the operator's token", "err", err)
		return
	}
	log.Warn("others could read the operator's token: its file is closed to them now; make a new token if one of them may have")
}
