package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/permission"
	"sekisho/backend/place"
)

// finder finds the desk and the token to speak with (CONTRACT section 1).
type finder struct{ desk, tokenFile, agent string }

var errNoDesk = errors.New("Sekisho is not running")

// url is --desk, SEKISHO_URL, or what the running desk left in desk.json.
func (f *finder) url() (string, error) {
	if f.desk != "" {
		return strings.TrimRight(f.desk, "/"), nil
	}
	if url := os.Getenv("SEKISHO_URL"); url != "" {
		return strings.TrimRight(url, "/"), nil
	}
	d, err := place.FindDesk()
	if errors.Is(err, place.ErrNoDesk) {
		return "", fmt.Errorf("%w: start it, or say where it is with --desk URL", errNoDesk)
	}
	return d.URL, err
}

// token is --token-file, the agent's kept one, or SEKISHO_TOKEN.
func (f *finder) token() (string, error) {
	path := f.tokenFile
	if path == "" && f.agent != "" {
		var err error
		if path, err = place.TokenFile(f.agent); err != nil {
			return "", err
		}
	}
	if path == "" {
		if t := strings.TrimSpace(os.Getenv("SEKISHO_TOKEN")); t != "" {
			return t, nil
		}
		return "", errors.New("no token: say --token-file FILE or --agent NAME, or set SEKISHO_TOKEN")
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

func (f *finder) client() (*client, error) {
	url, err := f.url()
	if err != nil {
		return nil, err
	}
	token, err := f.token()
	return newClient(url, token), err
}

// client speaks the desk's REST.
type client struct {
	url, token string
	http       *http.Client
	patience   time.Duration // how long the desk may be silent; 0 is usualPatience
}

func newClient(url, token string) *client {
	return &client{url: url, token: token, http: deskClient(token)}
}

// problem is the desk's error answer (RFC 9457).
type problem struct {
	Detail string           `json:"detail"`
	Title  string           `json:"title"`
	Code   permission.Code  `json:"code"`
	Call   *permission.Call `json:"call"`
}

func (p *problem) Error() string {
	if p.Detail != "" {
		return p.Detail
	}
	return p.Title
}

// do sends body as JSON, where there is one, and reads the answer into out.
func (c *client) do(ctx context.Context, method, path string, body, out any) error {
	_, err := c.exchange(ctx, method, path, "", body, out)
	return err
}

// exchange is do with an entity tag that goes along and one that comes back.
func (c *client) exchange(ctx context.Context, method, path, etag string, body, out any) (string, error) {
	ctx, watch := c.watch(ctx)
	defer watch.stop()
	var send io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return "", fmt.Errorf("%s %s: %w", method, path, err)
		}
		send = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, send)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if etag != "" {
		req.Header.Set("If-Match", etag)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return "", watch.why(ctx, fmt.Errorf("reach the desk: %w", unproved(err)))
	}
	defer resp.Body.Close()
	watch.Reader = resp.Body
	if err := answered(resp, watch, out); err != nil {
		return "", watch.why(ctx, err)
	}
	return resp.Header.Get("ETag"), nil
}

// answered reads the body of an answer into out, or as the error that it is.
func answered(resp *http.Response, body io.Reader, out any) error {
	asked := resp.Request.Method + " " + resp.Request.URL.Path
	if resp.StatusCode >= 300 {
		p := &problem{Title: resp.Status}
		if json.NewDecoder(body).Decode(p) != nil {
			return fmt.Errorf("%s: %s", asked, resp.Status)
		}
		return p
	}
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(body).Decode(out); err != nil {
		return fmt.Errorf("%s: read answer: %w", asked, err)
	}
	return nil
}

type callAnswer struct {
	Call permission.Call `json:"call"`
}

// callPath is where a call is. Whatever stands in an id, it is one segment.
func callPath(id permission.CallID) string { return "/v1/calls/" + url.PathEscape(string(id)) }

// callID takes what a person typed for a call: its id is a UUID.
func callID(typed string) (permission.CallID, error) {
	if len(typed) != len(uuid.Nil.String()) || uuid.Validate(typed) != nil {
		return "", fmt.Errorf("%q is no call: \"sekisho pending\" shows the ids of those that wait", typed)
	}
	return permission.CallID(typed), nil
}

func (c *client) call(ctx context.Context, id permission.CallID) (permission.Call, error) {
	var got callAnswer
	err := c.do(ctx, http.MethodGet, callPath(id), nil, &got)
	return got.Call, err
}

// pending tells visit of each call that waits, oldest first, until it gives an error, and
// holds no more of them than one page.
func (c *client) pending(ctx context.Context, visit func(permission.Call) error) error {
	for cursor := ""; ; {
		var got struct {
			Calls []permission.Call `json:"calls"`
			Next  *int64            `json:"next"`
		}
		if err := c.do(ctx, http.MethodGet, "/v1/calls?status=pending&order=oldest"+cursor, nil, &got); err != nil {
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

// decide answers for the input that the caller of decide has shown.
func (c *client) decide(ctx context.Context, shown permission.Call, approved bool, reason string) (permission.Call, error) {
	var got callAnswer
	err := c.do(ctx, http.MethodPost, callPath(shown.ID)+"/decision", map[string]any{
		"approved": approved, "reason": reason, "inputHash": shown.InputHash, "rev": shown.Rev,
	}, &got)
	return got.Call, err
}

// secret makes a token of 256 random bits.
func secret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}
