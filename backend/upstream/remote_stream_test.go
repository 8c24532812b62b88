package upstream

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// answers is a server over HTTP, without the wires.
type answers func(*http.Request) *http.Response

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r), nil }

func says(status int, kind, body string) *http.Response {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	w.WriteString(body)
	return w.Result()
}

const oneEvent = "retry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n"

// listening is a connection that listens for a while to a server; it gives what was heard.
func listening(t *testing.T, d time.Duration, play answers) (heard int) {
	var mu sync.Mutex
	r := dial(&http.Client{Transport: play}, permission.Server{URL: "http://x"}, 1<<20, Listener{Heard: func([]byte, Origin) {
		mu.Lock()
		defer mu.Unlock()
		heard++
	}})
	r.listen()
	time.Sleep(d)
	r.Stop()
	<-r.Over()
	return heard
}

func TestStreamOfAServerThatWasDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries []time.Duration
		began := time.Now()
		heard := listening(t, 10*time.Minute, func(*http.Request) *http.Response {
			if tries = append(tries, time.Since(began)); len(tries) <= 8 {
				return says(http.StatusBadGateway, "", "")
			}
			return says(http.StatusOK, "text/event-stream", "data: {}\n\n")
		})
		if heard < 100 || tries[8]-tries[7] != lastRetry {
			t.Errorf("heard %d times, tried after %v", heard, tries[:min(len(tries), 20)])
		}
	})
}

func TestStreamThatWantsToBeOpenedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := listening(t, time.Minute, func(*http.Request) *http.Response {
			return says(http.StatusOK, "text/event-stream", oneEvent)
		})
		if heard < 100 || heard > 610 {
			t.Errorf("opened %d times in a minute", heard)
		}
	})
}

// TestStreamOfASessionThatWasRenewed while the old one's stream was about to end.
func TestStreamOfASessionThatWasRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r *Remote
		var names []string
		r = dial(&http.Client{Transport: answers(func(req *http.Request) *http.Response {
			if req.Method != http.MethodGet {
				return says(http.StatusOK, "", "")
			}
			names = append(names, req.Header.Get(mcpwire.SessionHeader))
			if len(names) > 1 {
				return says(http.StatusMethodNotAllowed, "", "")
			}
			r.mu.Lock()
			r.session = "new"
			r.mu.Unlock()
			r.listen() // as renew does, and it has one still
			return says(http.StatusNotFound, "", "")
		})}, permission.Server{URL: "http://x"}, 1<<20, Listener{})
		r.session = "old"
		r.listen()
		synctest.Wait()
		if got := strings.Join(names, " "); got != "old new" {
			t.Errorf("asked for streams of %s", got)
		}
		r.Stop()
		<-r.Over()
	})
}
