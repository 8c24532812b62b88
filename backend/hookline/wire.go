package hookline

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"sekisho/backend/proof"
)

// connection is one to a desk.
type connection struct {
	conn net.Conn
	br   *bufio.Reader
	host string
}

// connect connects to a desk that proves that it knows the token, before it is sent.
func (o *Options) connect(to *url.URL, token string) (*connection, error) {
	late := time.Now().Add(o.Found)
	conn, address, err := o.dial(to)
	if err != nil {
		return nil, fmt.Errorf("the desk at %s cannot be reached: %w", to.Host, err)
	}
	c := &connection{conn, bufio.NewReader(conn), to.Host}
	err = conn.SetDeadline(late)
	if err == nil {
		err = c.prove(strings.TrimRight(to.Path, "/"), proof.Dialled(address, conn), token)
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("what answers at %s did not prove that it is the desk, and was sent nothing: %w", to.Host, err)
	}
	return c, nil
}

func (o *Options) dial(to *url.URL) (conn net.Conn, address string, err error) {
	port := to.Port()
	switch {
	case port != "":
	case to.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	address = net.JoinHostPort(to.Hostname(), port)
	if to.Scheme == "http" {
		conn, err = net.DialTimeout("tcp", address, o.Found)
	} else if err = errors.New("use sekisho hook for a desk with https"); o.TLS != nil {
		conn, err = o.TLS(address)
	}
	return conn, address, err
}

// prove asks for the proof of package proof.
func (c *connection) prove(path, address, token string) error {
	hash := proof.HashOf(token)
	q := hash.Ask(address)
	raw, err := json.Marshal(q)
	if err != nil {
		return err
	}
	status, body, err := c.post(path+proof.Path, "", raw)
	switch {
	case err != nil:
		return err
	case status == 401:
		return errors.New("it does not know this token")
	case status != 200:
		return fmt.Errorf("it answered %d", status)
	case !hash.Proves(q, body):
		return errors.New("its proof is wrong")
	case c.br.Buffered() > 0:
		return errors.New("it answered more than was asked")
	}
	return nil
}

// post sends a body, and reads the answer to it.
func (c *connection) post(path, token string, body []byte) (status int, answer []byte, err error) {
	head := "POST " + path + " HTTP/1.1\r\nHost: " + c.host + "\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n"
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	if _, err := (&net.Buffers{[]byte(head + "\r\n"), body}).WriteTo(c.conn); err != nil {
		return 0, nil, err
	}
	return c.answer()
}

// maxAnswer bounds an answer, in bytes: an edited input comes back in it.
const maxAnswer = 70 << 20

var errNoHTTP = errors.New("it does not speak HTTP as a desk does")

// answer reads a status and a body, whose length is said or that comes in chunks.
func (c *connection) answer() (status int, body []byte, err error) {
	first, err := c.line()
	if err != nil {
		return 0, nil, err
	}
	version, rest, _ := strings.Cut(first, " ")
	code, _, _ := strings.Cut(rest, " ")
	if status, err = strconv.Atoi(code); err != nil || version != "HTTP/1.1" || status < 200 || status > 599 {
		return 0, nil, errNoHTTP
	}
	length, chunked := -1, false
	for {
		line, err := c.line()
		if err != nil {
			return 0, nil, err
		}
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		value = strings.Trim(value, " \t")
		ok = ok && name != "" && !strings.ContainsFunc(name, strange) && !strings.ContainsFunc(value, unicode.IsControl)
		switch strings.ToLower(name) {
		case "content-length":
			ok = ok && length < 0 // said once
			if length, err = strconv.Atoi(value); err != nil || length < 0 || length > maxAnswer {
				return 0, nil, errNoHTTP
			}
		case "transfer-encoding":
			ok = ok && !chunked && strings.EqualFold(value, "chunked")
			chunked = true
		}
		if !ok {
			return 0, nil, errNoHTTP
		}
	}
	switch {
	case chunked && length < 0:
		body, err = c.chunks()
	case length >= 0 && !chunked:
		body = make([]byte, length)
		_, err = io.ReadFull(c.br, body)
	default:
		err = errNoHTTP
	}
	return status, body, err
}

// strange reports whether a character is none of a header's name.
func strange(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-')
}

// line reads one without its end.
func (c *connection) line() (string, error) {
	raw, err := c.br.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	line, ok := strings.CutSuffix(string(raw), "\r\n")
	if !ok {
		return "", errNoHTTP
	}
	return line, nil
}

func (c *connection) chunks() (body []byte, err error) {
	for {
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		digits, _, _ := strings.Cut(line, ";")
		size, err := strconv.ParseUint(strings.TrimSpace(digits), 16, 31)
		if err != nil || len(body)+int(size) > maxAnswer {
			return nil, errNoHTTP
		}
		at := len(body)
		body = append(body, make([]byte, size)...)
		if _, err := io.ReadFull(c.br, body[at:]); err != nil {
			return nil, err
		}
		if line, err = c.line(); err != nil || line != "" {
			return nil, errNoHTTP
		}
		if size == 0 {
			return body, nil
		}
	}
}
