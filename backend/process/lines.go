package process

import (
	"bufio"
	"errors"
	"io"
)

// EachLine hands on what a program says to the end, line by line, each with its line feed; the
// last may have none.
func EachLine(from io.Reader, take func([]byte) error) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if err := take(line); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
