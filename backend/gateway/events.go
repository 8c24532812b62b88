package gateway

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// event is one event of a stream (WHATWG HTML, "Server-sent events").
type event struct {
	id   string
	name string // empty is "message"
	data []byte
	long bool   // it was over the limit: its data were dropped
	head []byte // how those began
}

// events reads an event stream. retry is what the server said last of when to ask
// again; 0 when it said nothing.
type events struct {
	r     *bufio.Reader
	limit int
	id    string // of the last event that had one
	retry time.Duration
}

func newEvents(r io.Reader, limit int) *events {
	return &events{r: bufio.NewReaderSize(r, 16<<10), limit: limit}
}

// next gives the next event that carries data or an id. A stream that breaks off in
// the middle of an event drops it.
func (s *events) next() (event, error) {
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
				e.data = append(e.data, '\n')
			}
			data = true
			e.data = append(e.data, value...)
			if e.long = e.long || long || len(e.data) > s.limit; e.long {
				if e.head == nil {
					e.head = headOf(e.data)
				}
				e.data = nil
			}
		case "event":
			e.name = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				e.id, s.id = string(value), string(value)
			}
		case "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 && ms < 1<<31 {
				s.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// line gives a line without its end, in memory of its own; of one over the limit the
// begin, and long. Line ends are LF and CRLF: no server of MCP is known that writes CR.
func (s *events) line() (line []byte, long bool, err error) {
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
			return line[:min(len(line), len("data: ")+maxHead)], true, nil
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), false, nil
	}
}
