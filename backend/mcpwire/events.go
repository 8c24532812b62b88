package mcpwire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
)

// event is one event of a stream (WHATWG HTML, "Server-sent events").
type event struct {
	id   string
	Name string // empty is "message"
	Data []byte
	Long bool   // it was over the limit: its data were dropped
	Head []byte // how those began
}

// Events reads an event stream. retry is what the server said last of when to ask
// again; 0 when it said nothing.
type Events struct {
	r     *bufio.Reader
	limit int
	ID    string // of the last event that had one
	Retry time.Duration
}

// NewEvents reads events of r, each of at most limit bytes.
func NewEvents(r io.Reader, limit int) *Events {
	return &Events{r: bufio.NewReaderSize(r, 16<<10), limit: limit}
}

// EachEvent gives the data of each event of a stream, to its end, from a sender that bounds
// what it sends.
func EachEvent(r io.Reader, hand func([]byte)) error {
	all := NewEvents(r, math.MaxInt32-1<<10)
	for {
		e, err := all.Next()
		if errors.Is(err, io.EOF) {
			return nil // an event without its end is none
		}
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		if len(e.Data) > 0 {
			hand(e.Data)
		}
	}
}

// Next gives the next event that carries data or an id. A stream that breaks off in
// the middle of an event drops it.
func (s *Events) Next() (event, error) {
	var e event
	data := false
	for {
		line, long, err := s.line()
		if err != nil {
			return event{}, err
		}
		if len(line) == 0 && !long {
			if data || e.id != "" {
				return e, nil
			}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			if data {
				e.Data = append(e.Data, '\n')
			}
			data = true
			e.Data = append(e.Data, value...)
			if e.Long = e.Long || long || len(e.Data) > s.limit; e.Long {
				if e.Head == nil {
					e.Head = HeadOf(e.Data)
				}
				e.Data = nil
			}
		case "event":
			e.Name = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				e.id, s.ID = string(value), string(value)
			}
		case "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 && ms < 1<<31 {
				s.Retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// line gives a line without its end, in memory of its own; of one over the limit the
// begin, and long. Line ends are LF and CRLF: no server of MCP is known that writes CR.
func (s *Events) line() (line []byte, long bool, err error) {
	for {
		part, err := s.r.ReadSlice('\n')
		if len(line) <= s.limit {
			line = append(line, part...)
		}
		long = len(line) > s.limit+len("data: \r\n")
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		if long {
			return line[:min(len(line), len("data: ")+MaxHead)], true, nil
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), false, nil
	}
}
