package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// maxToken bounds the file of a token, in bytes.
const maxToken = 64 << 10

// ReadToken reads the file of a token, or what a program prints into a pipe that is named in its
// place.
func ReadToken(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	defer file.Close()
	return tokenIn(file)
}

// ReadOwnToken is ReadToken for a token of the person who decides: a file that others can read or
// write, or that is another user's, is refused, as ssh refuses such a file of its user's key.
func ReadOwnToken(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("read token: %w", err)
	case info.Mode().IsRegular() && !owned(info):
		return "", fmt.Errorf("nothing was sent: %s is another user's file, and who has the operator's token decides; "+
			"copy it to a file of your own, and make a new token if that user was not to have it", path)
	case runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("nothing was sent: others can read or change %s (its mode is %#o), and who has the operator's token decides; "+
			"say chmod 600, and make a new token if one of them may have read it", path, info.Mode().Perm())
	}
	return tokenIn(file)
}

func tokenIn(file *os.File) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(file, maxToken+1))
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	switch {
	case len(raw) > maxToken || strings.ContainsFunc(token, func(r rune) bool { return r < ' ' || r >= 0x7F }):
		return "", fmt.Errorf("there is no token in %s: that would be one line of letters, digits and signs", file.Name())
	case token == "":
		return "", errors.New("there is no token in " + file.Name() + ": it is empty")
	}
	return token, nil
}
