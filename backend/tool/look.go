package tool

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"sekisho/backend/guard"
)

// sniffed is how much of a file is read to tell whether it is one that is given.
const sniffed = 8 << 10

// Look says why a call is refused, by its input and by what its paths are on the disk now; nil: it is
// not. It changes nothing. A call that fails for something else is not refused: it may do so when it
// runs.
func (w *Workspace) Look(name string, input []byte) *guard.Refusal {
	c, _, err := w.judge(name, input)
	switch {
	case err != nil:
	case name == guard.ReadFile:
		err = w.sniff(c.Path)
	case name == guard.WriteFile:
		dir, _, bad := w.target(c.Path)
		if err = bad; bad == nil {
			dir.Close()
		}
	case name == guard.ListDirectory:
		err = w.folderAt(c.Path)
	}
	var no *guard.Refusal
	errors.As(err, &no)
	return no
}

// sniff refuses a file that is not given, as far as its beginning tells.
func (w *Workspace) sniff(p string) error {
	f, info, err := w.open(p)
	if err != nil {
		return err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, sniffed))
	if err != nil {
		return err
	}
	if int64(len(raw)) < info.Size() { // the last character may be cut
		for n := 0; n < utf8.UTFMax-1 && len(raw) > 0 && !utf8.Valid(raw); n++ {
			raw = raw[:len(raw)-1]
		}
	}
	if isBinary(raw) || isText(raw) {
		return nil
	}
	return notGiven(p)
}

// isBinary reports whether bytes begin a file that is given though it is no text.
func isBinary(raw []byte) bool {
	for _, b := range binaries {
		if bytes.HasPrefix(raw, []byte(b.start)) && (b.at8 == "" || len(raw) >= 12 && string(raw[8:12]) == b.at8) {
			return true
		}
	}
	return false
}

func isText(raw []byte) bool { return utf8.Valid(raw) && !bytes.ContainsFunc(raw, unprinted) }
