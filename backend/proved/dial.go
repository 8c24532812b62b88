// Package proved makes HTTP connections over which a desk has proved itself before anything
// else is sent; see package proof.
package proved

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"sekisho/backend/proof"
)

// patience is how long a desk may take to prove itself.
const patience = 10 * time.Second

// maxAnswer bounds what is read of an answer that may be anybody's, in bytes.
const maxAnswer = 16 << 10

// Error says that what answers somewhere did not prove that it is the desk.
type Error struct {
	Address string
	Why     string
	Unknown bool // it says that it does not know the token
}

func (e *Error) Error() string {
	if e.Unknown {
		return fmt.Sprintf(
			"what answers at %s does not know this token, or is not the desk that it is of: no token was sent to it, and nothing else (check --agent, --token-file or SEKISHO_TOKEN; a desk behind a proxy or in a container has to be started with --address %s)", e.Address, e.Address)
	}
	return fmt.Sprintf(
		"what answers at %s did not prove that it is the desk, so that it was sent no token and nothing else: %s (a desk behind a proxy or in a container has to be started with --address %s)", e.Address, e.Why, e.Address)
}

// NewTransport makes a transport for one token. Every connection of it has proved, by
// itself and before anything else is sent, that the desk at its other end knows the
// token: what took the port since an earlier connection has to do so anew. Nothing goes
// through a proxy, which would be told the token.
func NewTransport(token string) *http.Transport {
	p := &prover{hash: proof.HashOf(token)}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy, t.ForceAttemptHTTP2, t.MaxIdleConnsPerHost = nil, false, 16
	t.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{} // HTTP/1.1 alone: it is what is asked on the bare connection
	t.DialContext, t.DialTLSContext = p.dial, p.dialTLS
	return t
}

type prover struct {
	hash   proof.Hash
	dialer net.Dialer
}

func (p *prover) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := p.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return p.proved(ctx, conn, address)
}

func (p *prover) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	secure := tls.Dialer{NetDialer: &p.dialer, Config: &tls.Config{ServerName: host, NextProtos: []string{"http/1.1"}}}
	conn, err := secure.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return p.proved(ctx, conn, address)
}

// proved gives a connection back once its other end has proved itself.
func (p *prover) proved(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	conn.SetDeadline(time.Now().Add(patience))
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	err := p.ask(conn, address)
	if stop(); err == nil {
		err = errors.Join(ctx.Err(), conn.SetDeadline(time.Time{}))
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// ask puts the question on a connection, and holds the answer against it.
func (p *prover) ask(conn net.Conn, address string) error {
	at := proof.Dialled(address, conn)
	q := p.hash.Ask(at)
	raw, err := json.Marshal(q)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, "http://"+address+proof.Path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if err := req.Write(conn); err != nil {
		return &Error{Address: at, Why: err.Error()}
	}
	br := bufio.NewReader(&io.LimitedReader{R: conn, N: maxAnswer})
	status, body, err := answer(br, req)
	switch {
	case err != nil:
		return &Error{Address: at, Why: err.Error()}
	case status == http.StatusUnauthorized:
		return &Error{Address: at, Unknown: true}
	case status != http.StatusOK:
		return &Error{Address: at, Why: fmt.Sprintf("it answered %d", status)}
	case !p.hash.Proves(q, body):
		return &Error{Address: at, Why: "its proof is wrong"}
	case br.Buffered() > 0:
		return &Error{Address: at, Why: "it answered more than was asked"}
	}
	return nil
}

var errClosing = errors.New("it closes the connection")

// answer reads one answer to its end.
func answer(br *bufio.Reader, req *http.Request) (status int, body []byte, err error) {
	resp, err := http.ReadResponse(br, req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		return 0, nil, err
	}
	if resp.Close && resp.StatusCode == http.StatusOK {
		return 0, nil, errClosing
	}
	return resp.StatusCode, body, nil
}
