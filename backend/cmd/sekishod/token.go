package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"

	"sekisho/backend/agentbook"
	"sekisho/backend/operatorkey"
	"sekisho/backend/rest"
)

// operatorOf makes the operator, by their key or by a token, which is to be shown if it was
// made here.
func operatorOf(f flags, log *slog.Logger) (o *rest.Operator, shown string, err error) {
	if f.keyFile == "" {
		token, shown, err := operatorToken(f.tokenFile, log)
		return rest.NewOperator(token), shown, err
	}
	raw, err := os.ReadFile(f.keyFile)
	if err != nil {
		return nil, "", fmt.Errorf("read the public half of the operator's key: %w", err)
	}
	public, err := operatorkey.ParsePublic(strings.TrimSpace(string(raw)))
	if err != nil {
		return nil, "", fmt.Errorf("read the public half of the operator's key: %s: %w", f.keyFile, err)
	}
	return rest.NewKeyOperator(public), "", nil
}

// operatorToken reads the operator's token once, or makes one to be shown.
func operatorToken(file string, log *slog.Logger) (token, shown string, err error) {
	if file == "" {
		token = agentbook.NewToken("sko_")
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

// maxToken is the longest token that is looked at, in characters.
const maxToken = 512

// minBits is what a token must be able to hold: who has heard its key (package proof) can
// try guesses at it without asking the desk.
const minBits = 128

// checkToken refuses a token that no request could carry: it goes in one line of a header,
// as one word.
func checkToken(token string) error {
	_, isKey, _ := operatorkey.Parse(token)
	switch {
	case isKey:
		return errors.New("holds an operator's key, which is for its person alone: give this program the public half, with --operator-key-file")
	case len(token) > maxToken:
		return fmt.Errorf("holds more than %d characters", maxToken)
	case strings.ContainsAny(token, "\r\n"):
		return errors.New("holds more than one line: it is to hold the token alone")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("holds blanks or other than ASCII characters in the token: no request could carry it")
	case bits(token) < minBits:
		return fmt.Errorf(
			"holds a token that can be guessed, of fewer than %d bits at best: take random ones, at least 22 letters and digits or 32 hexadecimal digits", minBits)
	}
	return nil
}

const digits = "0123456789"

// bits is the most that a token of its length and kinds of characters can hold, as if it
// were random. What only repeats counts once.
func bits(token string) float64 {
	alphabet, different := 0, map[rune]bool{}
	for _, kind := range []string{digits, "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "-_"} {
		if strings.ContainsAny(token, kind) {
			alphabet += len(kind)
		}
	}
	if strings.Trim(token, digits+"abcdef") == "" || strings.Trim(token, digits+"ABCDEF") == "" {
		alphabet = min(alphabet, 16)
	}
	for _, c := range token {
		different[c] = true
	}
	if len(different) < 8 {
		return 0
	}
	return float64(period(token)) * math.Log2(float64(alphabet))
}

// period is the length of the beginning of which a text is a repetition, twice at least.
func period(s string) int {
	for n := 1; n <= len(s)/2; n++ {
		if s[n:] == s[:len(s)-n] {
			return n
		}
	}
	return len(s)
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
