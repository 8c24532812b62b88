package restclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

// desk answers every request alike.
type desk func(*http.Request) (*http.Response, error)

func (d desk) RoundTrip(r *http.Request) (*http.Response, error) { return d(r) }

func says(code int, body string) desk {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Status: http.StatusText(code), Request: r, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

// TestEvents are told by their kind, until the stream breaks off, and nothing else of it is.
func TestEvents(t *testing.T) {
	const stream = ": sekisho\n\nid: 1\nevent: call.decided\ndata: {\"kind\":\"call.decided\"}\n\n: \n\n" +
		"id: 2\nevent: agent.stopped\ndata: {\"desk\":\"event: made.up\"}\n\nid: 3\nevent: broken.off\ndata: {"
	silent := func(r *http.Request) (*http.Response, error) {
		body, says := io.Pipe()
		context.AfterFunc(r.Context(), func() { says.CloseWithError(r.Context().Err()) })
		return &http.Response{StatusCode: 200, Request: r, Body: body}, nil
	}
	for _, tt := range []struct {
		what       string
		desk       desk
		heard, err string
	}{
		{"a stream that breaks off", says(200, stream), "[began call.decided agent.stopped]", "unexpected EOF"},
		{"a desk that falls silent", silent, "[began]", "nothing came for 30s"},
		{"a token that it does not know", says(401, `{"title":"Unauthorized","code":"unauthorized","detail":"no token"}`), "[]", "no token"},
		{"a desk that is stuck", says(503, ""), "[]", "Service Unavailable"},
		{"no desk", func(*http.Request) (*http.Response, error) { return nil, errors.New("refused") }, "[]", "reach the desk"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := New("http://desk", "token")
				c.fixed.Transport = desk(func(r *http.Request) (*http.Response, error) {
					if r.URL.String() != "http://desk/v1/events" || r.Header.Get("Authorization") != "Bearer token" {
						t.Errorf("%s with %q", r.URL, r.Header)
					}
					return tt.desk(r)
				})
				heard := []permission.EntryKind{}
				err := c.Events(t.Context(), func() { heard = append(heard, "began") },
					func(kind permission.EntryKind) { heard = append(heard, kind) })
				if got := fmt.Sprint(heard); got != tt.heard || err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%s %v", got, err)
				}
				var p *Problem
				if known := errors.As(err, &p) && p.Status == http.StatusUnauthorized; known != strings.Contains(tt.what, "token") {
					t.Errorf("%+v", err)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		c := New("http://desk", "token")
		c.fixed.Transport = desk(silent)
		if err := c.Events(ctx, func() {}, nil); err != nil {
			t.Errorf("who leaves hears: %v", err)
		}
	})
}
