package handover_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/handover"
)

// script answers one request after the other.
type script []func(*http.Request) (*http.Response, error)

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	next := (*s)[0]
	*s = (*s)[1:]
	return next(r)
}

func status(code int, body string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

// TestStopsAreHeard over streams that break off, fail or fall silent, until the desk does not know
// the token any more. No other event is taken for a stop.
func TestStopsAreHeard(t *testing.T) {
	const other, stopped = ": \n\nid: 1\nevent: call.decided\ndata: {\"kind\":\"call.decided\"}\n\ndata: no JSON\n\n",
		"id: 2\nevent: agent.stopped\ndata: {\"kind\":\"agent.stopped\"}\n\n"
	synctest.Test(t, func(t *testing.T) {
		desk := &script{
			func(r *http.Request) (*http.Response, error) {
				if r.URL.String() != "http://desk/v1/events" || r.Header.Get("Authorization") != "Bearer token" {
					t.Errorf("%s with %q", r.URL, r.Header)
				}
				return status(200, other+stopped+stopped)(r)
			},
			status(503, ""),
			func(*http.Request) (*http.Response, error) { return nil, errors.New("no desk") },
			status(200, other),
			func(r *http.Request) (*http.Response, error) { // which says no more
				body, says := io.Pipe()
				context.AfterFunc(r.Context(), func() { says.CloseWithError(r.Context().Err()) })
				return &http.Response{StatusCode: 200, Body: body}, nil
			},
			status(200, stopped),
			status(401, ""),
		}
		began, stops := time.Now(), make(chan struct{}, 10)
		handover.HearStops(t.Context(), &http.Client{Transport: desk}, "http://desk", "token", stops)
		if len(stops) != 3 || len(*desk) != 0 {
			t.Errorf("%d stops were heard; %d answers are left", len(stops), len(*desk))
		}
		if took := time.Since(began); took > 2*time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}
