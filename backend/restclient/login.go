package restclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"sekisho/backend/operatorkey"
	"sekisho/backend/proof"
	"sekisho/backend/proved"
)

// entry is what a request goes out with: a token, and connections over which the desk has
// proved that it knows it.
type entry struct {
	token string
	http  *http.Client
}

// session is a token that the operator's key was changed for.
type session struct {
	entry
	until time.Time
}

// entered sends a request with the token, or with that of a session. One that the desk does
// not know any more, since it was started anew, was not taken: it is sent with a new one.
func (c *Client) entered(ctx context.Context, send func(entry) error) error {
	if c.key == nil {
		return send(entry{c.token, c.fixed})
	}
	s, fresh, err := c.enter(ctx)
	if err != nil {
		return err
	}
	if err = send(s.entry); fresh || !forgotten(err) {
		return err
	}
	c.leave(s)
	if s, _, err = c.enter(ctx); err != nil {
		return err
	}
	return send(s.entry)
}

// forgotten reports whether a desk says that it does not know a session.
func forgotten(err error) bool {
	var none *proved.Error
	var p *Problem
	return errors.As(err, &none) && none.Unknown || errors.As(err, &p) && p.Status == http.StatusUnauthorized
}

// enter gives the session, or makes one.
func (c *Client) enter(ctx context.Context) (s *session, fresh bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil && time.Now().Before(c.session.until) {
		return c.session, false, nil
	}
	c.session, err = c.login(ctx)
	return c.session, true, err
}

func (c *Client) leave(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == s {
		s.http.CloseIdleConnections()
		c.session = nil
	}
}

// login changes the key for a token. The desk first proves, on the same connection, that it
// was given the public half. What is signed is of no use to anybody but the desk at the
// address that was reached, and there for a minute, once.
func (c *Client) login(ctx context.Context) (*session, error) {
	door := entry{http: HTTP(c.key.Public().String())}
	defer door.http.CloseIdleConnections()
	at := ""
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		at = dialled(c.URL, i.Conn)
	}})
	var challenge struct {
		Challenge string `json:"challenge"`
	}
	if err := c.send(ctx, door, http.MethodPost, operatorkey.LoginPath, "", nil, into(&challenge)); err != nil {
		return nil, fmt.Errorf("log in: %w", err)
	}
	var made struct {
		Token   string  `json:"token"`
		Seconds float64 `json:"seconds"`
	}
	answer, err := json.Marshal(map[string]any{"challenge": challenge.Challenge, "address": at,
		"signature": c.key.Sign(challenge.Challenge, at)})
	if err == nil {
		err = c.send(ctx, door, http.MethodPost, operatorkey.LoginPath+"/answer", "", answer, into(&made))
	}
	if err != nil {
		return nil, fmt.Errorf("log in: %w", err)
	}
	life := time.Duration(made.Seconds * float64(time.Second))
	return &session{entry{made.Token, HTTP(made.Token)}, time.Now().Add(life - life/10)}, nil
}

// dialled is the address that a connection to a URL has reached, as it is proved for.
func dialled(base string, conn net.Conn) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return proof.Dialled(net.JoinHostPort(u.Hostname(), port), conn)
}
