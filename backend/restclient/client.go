// Package restclient speaks a desk's REST for programs: over connections on which the desk
// has proved itself, with an agent's token, the operator's, or the operator's key, which is
// used for short-lived tokens and never sent.
package restclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"sekisho/backend/operatorkey"
	"sekisho/backend/permission"
)

// Client speaks with the desk at a URL. It is safe for use by many goroutines.
type Client struct {
	URL      string
	Patience time.Duration // how long the desk may be silent; 0 is usualPatience

	token string
	key   *operatorkey.Key // what a token is made with; nil: token is what was given

	mu      sync.Mutex
	session *session
	fixed   *http.Client // of a token that was given
}

// New makes a client for a token, which may be the operator's key as it is printed.
func New(url, token string) *Client {
	c := &Client{URL: url, token: token}
	if key, isKey, err := operatorkey.Parse(token); isKey && err == nil {
		c.key = &key
		return c
	}
	c.fixed = HTTP(token)
	return c
}

// At gives the same client for a desk at another URL.
func (c *Client) At(url string) *Client {
	other := New(url, c.token)
	other.Patience = c.Patience
	return other
}

// Close ends connections that are kept.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fixed != nil {
		c.fixed.CloseIdleConnections()
	}
	if c.session != nil {
		c.session.http.CloseIdleConnections()
	}
}

// Problem is the desk's error answer (RFC 9457).
type Problem struct {
	Detail string           `json:"detail"`
	Title  string           `json:"title"`
	Code   permission.Code  `json:"code"`
	Call   *permission.Call `json:"call"`
	Errors []struct {
		Location string `json:"location"`
		Message  string `json:"message"`
	} `json:"errors"`
	Status int `json:"-"`
}

func (p *Problem) Error() string {
	if p.Detail != "" {
		return p.Detail
	}
	return p.Title
}

// Do sends body as JSON, where there is one, and reads the answer into out.
func (c *Client) Do(ctx context.Context, method, path string, body, out any) error {
	_, err := c.Exchange(ctx, method, path, "", body, out)
	return err
}

// Exchange is Do with an entity tag that goes along and one that comes back.
func (c *Client) Exchange(ctx context.Context, method, path, etag string, body, out any) (string, error) {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return "", fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
	back := ""
	err := c.entered(ctx, func(e entry) error {
		return c.send(ctx, e, method, path, etag, raw, func(resp *http.Response, body io.Reader) error {
			back = resp.Header.Get("ETag")
			return into(out)(resp, body)
		})
	})
	return back, err
}

// taker takes an answer that is no error.
type taker func(resp *http.Response, body io.Reader) error

// into reads the body of an answer into out, where there is one.
func into(out any) taker {
	return func(resp *http.Response, body io.Reader) error {
		if out == nil {
			return nil
		}
		if err := json.NewDecoder(body).Decode(out); err != nil {
			return fmt.Errorf("%s: read answer: %w", asked(resp), err)
		}
		return nil
	}
}

// send sends a request, and gives it up when the other side falls silent.
func (c *Client) send(ctx context.Context, e entry, method, path, etag string, raw []byte, take taker) error {
	ctx, watch := c.watch(ctx)
	defer watch.stop()
	req, err := c.request(ctx, e, method, path, raw)
	if err != nil {
		return err
	}
	if etag != "" {
		req.Header.Set("If-Match", etag)
	}
	resp, err := e.http.Do(req)
	if err != nil {
		return watch.why(ctx, fmt.Errorf("reach the desk: %w", unproved(err)))
	}
	defer resp.Body.Close()
	watch.Reader = resp.Body
	if resp.StatusCode >= 300 {
		return watch.why(ctx, problemOf(resp, watch))
	}
	return watch.why(ctx, take(resp, watch))
}

func (c *Client) request(ctx context.Context, e entry, method, path string, body []byte) (*http.Request, error) {
	var send io.Reader
	if body != nil {
		send = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, send)
	if err != nil {
		return nil, err
	}
	if e.token != "" {
		req.Header.Set("Authorization", "Bearer "+e.token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// problemOf reads the answer that is an error.
func problemOf(resp *http.Response, body io.Reader) error {
	p := &Problem{Title: resp.Status, Status: resp.StatusCode}
	if json.NewDecoder(body).Decode(p) != nil {
		return fmt.Errorf("%s: %s", asked(resp), resp.Status)
	}
	return p
}

func asked(resp *http.Response) string { return resp.Request.Method + " " + resp.Request.URL.Path }

// CallAnswer is the usual answer about one call.
type CallAnswer struct {
	Call permission.Call `json:"call"`
}

// CallPath is where a call is. Whatever stands in an id, it is one segment.
func CallPath(id permission.CallID) string { return "/v1/calls/" + url.PathEscape(string(id)) }

// Call gives a call as it stands.
func (c *Client) Call(ctx context.Context, id permission.CallID) (permission.Call, error) {
	var got CallAnswer
	err := c.Do(ctx, http.MethodGet, CallPath(id), nil, &got)
	return got.Call, err
}

// Pending tells visit of each call that waits, oldest first, until it gives an error, and
// holds no more of them than one page.
func (c *Client) Pending(ctx context.Context, visit func(permission.Call) error) error {
	return c.pages(ctx, "", func(raw json.RawMessage) error {
		var call permission.Call
		if err := json.Unmarshal(raw, &call); err != nil {
			return fmt.Errorf("read a call: %w", err)
		}
		return visit(call)
	})
}

// PendingAsSent is Pending with each call as the desk wrote it.
func (c *Client) PendingAsSent(ctx context.Context, visit func(json.RawMessage) error) error {
	return c.pages(ctx, "", visit)
}

// PendingBriefly is Pending without inputs and the like.
func (c *Client) PendingBriefly(ctx context.Context) (all []permission.Call, err error) {
	err = c.pages(ctx, "&brief=true", func(raw json.RawMessage) error {
		var call permission.Call
		err := json.Unmarshal(raw, &call)
		all = append(all, call)
		return err
	})
	return all, err
}

func (c *Client) pages(ctx context.Context, more string, visit func(json.RawMessage) error) error {
	for cursor := ""; ; {
		var got struct {
			Calls []json.RawMessage `json:"calls"`
			Next  *int64            `json:"next"`
		}
		if err := c.Do(ctx, http.MethodGet, "/v1/calls?status=pending&order=oldest"+more+cursor, nil, &got); err != nil {
			return err
		}
		for _, call := range got.Calls {
			if err := visit(call); err != nil {
				return err
			}
		}
		if got.Next == nil {
			return nil
		}
		cursor = "&cursor=" + strconv.FormatInt(*got.Next, 10)
	}
}

// Answer is what a person says to a call.
type Answer struct {
	Approved   bool             `json:"approved"`
	Reason     string           `json:"reason"`
	Scope      permission.Scope `json:"scope,omitempty"`
	ForSeconds float64          `json:"forSeconds,omitempty"`
	InputHash  string           `json:"inputHash"`
	Rev        int64            `json:"rev"`
}

// Decided is what an answer came to.
type Decided struct {
	Call     permission.Call     `json:"call"`
	Settled  []permission.CallID `json:"settled"`
	Repeated bool                `json:"repeated"`
}

// Decide sends an answer to the input and the rev that a person was shown.
func (c *Client) Decide(ctx context.Context, id permission.CallID, a Answer) (d Decided, err error) {
	err = c.Do(ctx, http.MethodPost, CallPath(id)+"/decision", a, &d)
	return d, err
}
