package restclient

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheUsualPatience(t *testing.T) {
	_, usual := New("http://desk", "").watch(t.Context())
	usual.stop()
	if usual.limit != 30*time.Second {
		t.Errorf("a desk may be silent for %v", usual.limit)
	}
}

// slowly is an answer in parts, each some seconds after the one before.
type slowly struct {
	every time.Duration
	parts []string
}

func (s *slowly) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Request: r, Body: io.NopCloser(s)}, nil
}

func (s *slowly) Read(b []byte) (int, error) {
	if len(s.parts) == 0 {
		return 0, io.EOF
	}
	time.Sleep(s.every)
	part := s.parts[0]
	s.parts = s.parts[1:]
	return copy(b, part), nil
}

// TestASlowDeskIsWaitedFor: an answer may take longer than any silence in it may last.
func TestASlowDeskIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		c := New("http://desk", "operators")
		c.fixed.Transport = &slowly{20 * time.Second, []string{`{"calls":`, `[],`, `"next":`, `null}`}}
		if err := c.Pending(t.Context(), nil); err != nil || time.Since(begun) != 80*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		watched, watch := c.watch(t.Context())
		watch.Reader = &slowly{20 * time.Second, []string{"a", "b", "c"}}
		if _, err := io.ReadAll(watch); err != nil || watched.Err() != nil {
			t.Errorf("given up: %v %v", err, context.Cause(watched))
		}
		watch.stop()
	})
}
