package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/restclient"
)

// TestASilentDesk: whoever takes a connection and says nothing, or stops in the middle,
// is not waited for for ever, whatever is asked.
func TestASilentDesk(t *testing.T) {
	asks := map[string]func(context.Context, *client) error{
		"pending": func(ctx context.Context, c *client) error {
			return c.Pending(ctx, func(permission.Call) error { return nil })
		},
		"call": func(ctx context.Context, c *client) error { _, err := c.Call(ctx, firstID); return err },
		"decide": func(ctx context.Context, c *client) error {
			_, err := c.Decide(ctx, firstID, restclient.Answer{})
			return err
		},
		"export":  func(ctx context.Context, c *client) error { return c.export(ctx, io.Discard) },
		"servers": func(ctx context.Context, c *client) error { _, err := c.servers(ctx); return err },
	}
	for name, begin := range map[string]string{"nothing": "", "not even a proof": "", "half a body": `{"calls":[`} {
		talk := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // then the end of the connection is seen
			if begin != "" {
				io.WriteString(w, begin)
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		})
		if name != "not even a proof" {
			talk = proving(talk, "operators").ServeHTTP
		}
		silent := httptest.NewServer(talk)
		for ask, do := range asks {
			c := newClient(silent.URL, "operators")
			c.Patience = 50 * time.Millisecond
			if err := do(t.Context(), c); err == nil || !strings.Contains(err.Error(), silent.URL+" does not answer") ||
				!strings.Contains(err.Error(), "50ms") {
				t.Errorf("%s of %s: %v", ask, name, err)
			}
		}
		c := newClient(silent.URL, "operators")
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if err := c.Pending(ctx, nil); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "does not answer") {
			t.Errorf("who leaves hears: %v", err)
		}
		silent.CloseClientConnections() // a connection that is being proved outlives its request
		silent.Close()
	}
}

// TestWhatIsNoCallIsNotAskedFor: a word that is no id would make another path.
func TestWhatIsNoCallIsNotAskedFor(t *testing.T) {
	url, told := stub(t, waiting())
	t.Setenv("SEKISHO_URL", url)
	t.Setenv("SEKISHO_TOKEN", "operators")
	for _, verb := range []string{"approve", "decline"} {
		for _, id := range []string{"", "?x", "../../rules", ".", "id1", firstID + "/decision", firstID[:35], "{" + firstID + "}",
			"urn:uuid:" + firstID, strings.ReplaceAll(firstID, "-", ""), firstID[:35] + "?"} {
			if _, err := run(t, verb, id); err == nil || !strings.Contains(err.Error(), "is no call") ||
				!strings.Contains(err.Error(), "sekisho pending") {
				t.Errorf("%s %q: %v", verb, id, err)
			}
		}
	}
	for _, server := range []string{"../rules", "a b", "?x", "..", "a__b", strings.Repeat("x", 65)} {
		if _, err := run(t, "mcp", "--server", server); err == nil || !strings.Contains(err.Error(), "is no server") {
			t.Errorf("%q: %v", server, err)
		}
	}
	if len(*told) != 0 {
		t.Errorf("the desk was asked %v", *told)
	}
	if got, want := callPath("a/../b?c#d %"), "/v1/calls/a%2F..%2Fb%3Fc%23d%20%25"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestPendingShowsPagesAsTheyCome, and so holds one at a time.
func TestPendingShowsPagesAsTheyCome(t *testing.T) {
	pages := 0
	desk := httptest.NewServer(proving(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if pages++; pages > 2 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, `{"calls":[{"id":"page %d"}],"next":%d}`, pages, pages)
	}), "t"))
	defer desk.Close()
	var seen []permission.CallID
	err := newClient(desk.URL, "t").Pending(t.Context(), func(c permission.Call) error {
		seen = append(seen, c.ID)
		return nil
	})
	if err == nil || fmt.Sprint(seen) != "[page 1 page 2]" {
		t.Errorf("%v %v", seen, err)
	}
}
