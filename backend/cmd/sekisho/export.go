package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxEntry bounds what is held in memory of an export, in bytes. An edit that
// replaces all rules is one entry, and the largest there is.
const maxEntry = 256 << 20

// badFile is an export that cannot be taken apart into entries.
type badFile struct {
	at   int64
	what string
}

func (b *badFile) Error() string { return fmt.Sprintf("byte %d: %s", b.at, b.what) }

// splitter takes an exported journal apart: pages of GET /v1/journal, arrays of
// entries and entries alone, one after another. It looks at brackets and strings
// only; what is between them is judged with the entry.
type splitter struct {
	in   *bufio.Reader
	at   int64 // bytes read
	raw  []byte
	max  int // bytes of one entry
	each func(raw []byte, at int64) error
	more bool // the last page says that others follow it
}

// split calls each with the bytes of every entry, which are good until it
// returns, and their offset. It holds max bytes of an entry at most. more says that
// the last page is not the end.
func split(in io.Reader, max int, each func(raw []byte, at int64) error) (more bool, err error) {
	s := splitter{in: bufio.NewReaderSize(in, 1<<16), max: max, each: each}
	for {
		c, err := s.peek()
		switch {
		case errors.Is(err, io.EOF):
			return s.more, nil
		case err != nil:
			return false, err
		}
		s.more = false
		switch c {
		case '[':
			err = s.list()
		case '{':
			err = s.object()
		default:
			err = s.bad("neither an entry nor a page of entries")
		}
		if err != nil {
			return false, whole(err, s.at)
		}
	}
}

// whole says of an end in the middle of something that it is one.
func whole(err error, at int64) error {
	if errors.Is(err, io.EOF) {
		return &badFile{at, "the file ends in the middle of an entry or a page"}
	}
	return err
}

func (s *splitter) bad(what string) error { return &badFile{s.at, what} }

func (s *splitter) read() (byte, error) {
	c, err := s.in.ReadByte()
	if err == nil {
		s.at++
	}
	return c, err
}

// peek gives the next byte that is not white space.
func (s *splitter) peek() (byte, error) {
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c, s.in.UnreadByte()
		}
		s.at++
	}
}

// take reads the one byte that must come next.
func (s *splitter) take(want byte) error {
	c, err := s.peek()
	if err == nil && c != want {
		err = s.bad(fmt.Sprintf("%q where %q is due", c, want))
	}
	if err == nil {
		_, err = s.read()
	}
	return err
}

// list reads an array of entries.
func (s *splitter) list() error {
	if err := s.take('['); err != nil {
		return err
	}
	for n := 0; ; n++ {
		c, err := s.peek()
		switch {
		case err != nil:
			return err
		case c == ']':
			if n > 0 {
				return s.bad("a comma before the end of the list")
			}
		case c == '{':
			_, _ = s.read()
			s.raw = append(s.raw[:0], c)
			err = s.entry(s.at - 1)
		default:
			err = s.bad("not an entry")
		}
		if err != nil {
			return err
		}
		if c, err = s.peek(); err != nil {
			return err
		}
		if c == ']' {
			return s.take(']')
		}
		if err = s.take(','); err != nil {
			return err
		}
	}
}

// object reads an entry or a page: its first key tells which.
func (s *splitter) object() error {
	_, _ = s.read() // the brace that was seen
	start := s.at - 1
	s.raw = append(s.raw[:0], '{')
	if c, err := s.peek(); err != nil || c != '"' {
		return errors.Join(err, s.entry(start))
	}
	if err := s.text(); err != nil {
		return err
	}
	if key := string(s.raw[1:]); key == `"entries"` || key == `"next"` {
		return s.page(key)
	}
	return s.entry(start)
}

// page reads what follows the first key of a page.
func (s *splitter) page(key string) error {
	seen := map[string]bool{}
	for {
		if seen[key] {
			return s.bad("a page has " + key + " twice")
		}
		seen[key] = true
		if err := s.member(key); err != nil {
			return err
		}
		c, err := s.peek()
		switch {
		case err != nil:
			return err
		case c == '}' && !seen[`"entries"`]:
			return s.bad("a page without entries")
		case c == '}':
			return s.take('}')
		}
		if err := s.take(','); err != nil {
			return err
		}
		s.raw = s.raw[:0]
		if c, err := s.peek(); err != nil || c != '"' {
			return errors.Join(err, s.bad("not a page of entries"))
		}
		if err := s.text(); err != nil {
			return err
		}
		key = string(s.raw)
	}
}

func (s *splitter) member(key string) error {
	if err := s.take(':'); err != nil {
		return err
	}
	switch key {
	case `"entries"`:
		return s.list()
	case `"next"`:
		return s.next()
	}
	return s.bad(fmt.Sprintf("a page has no member %.40q", key))
}

// next reads a page's cursor: null at the end, else a number.
func (s *splitter) next() error {
	if _, err := s.peek(); err != nil {
		return err
	}
	var word []byte
	for len(word) < 20 {
		c, err := s.in.ReadByte()
		if err != nil {
			return err
		}
		if bytes.IndexByte([]byte(" \r\n\t,}"), c) >= 0 {
			_ = s.in.UnreadByte() // the byte that was just read
			break
		}
		s.at++
		word = append(word, c)
	}
	var cursor *int64
	if json.Unmarshal(word, &cursor) != nil {
		return s.bad("next is neither null nor a number")
	}
	s.more = cursor != nil
	return nil
}

// entry reads the rest of an object whose beginning is in raw, and hands it on.
func (s *splitter) entry(start int64) error {
	for depth := 1; depth > 0; {
		c, err := s.in.ReadByte()
		if err != nil {
			return err
		}
		if c == '"' {
			if err := errors.Join(s.in.UnreadByte(), s.text()); err != nil {
				return err
			}
			continue
		}
		s.at++
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if s.raw = append(s.raw, c); len(s.raw) > s.max {
			return &badFile{start, "an entry larger than any that the desk writes"}
		}
	}
	return s.each(s.raw, start)
}

// text appends the string literal that comes next to raw.
func (s *splitter) text() error {
	start := len(s.raw)
	for escaped := false; ; {
		c, err := s.read()
		if err != nil {
			return err
		}
		if s.raw = append(s.raw, c); len(s.raw) > s.max {
			return s.bad("an entry larger than any that the desk writes")
		}
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"' && len(s.raw) > start+1:
			return nil
		}
	}
}
