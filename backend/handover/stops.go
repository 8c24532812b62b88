package handover

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"sekisho/backend/mcpwire"
)

const (
	listenAgain = 2 * time.Second  // after a stream of events that broke off
	deskSilent  = 45 * time.Second // of a desk that gives a sign of life every 15 s
)

// HearStops follows the events of the desk at a URL, and says on stops that a person stopped the
// agent of the token. It ends with ctx, or when the desk does not know the token any more.
func HearStops(ctx context.Context, client *http.Client, url, token string, stops chan<- struct{}) {
	for hearStops(ctx, client, url, token, stops) {
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
			return
		}
	}
}

// hearStops follows one stream to its end; again says that another one may be had.
func hearStops(ctx context.Context, client *http.Client, url, token string, stops chan<- struct{}) (again bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(deskSilent, cancel)
	defer silence.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/events", nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		return true // no desk is there
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode != http.StatusUnauthorized
	}
	_ = mcpwire.EachEvent(lively{resp.Body, silence}, func(raw []byte) {
		var e struct{ Kind string }
		if json.Unmarshal(raw, &e) != nil || e.Kind != "agent.stopped" {
			return
		}
		select {
		case stops <- struct{}{}:
		default: // it is known already
		}
	})
	return true
}

// lively takes what is read for a sign of life.
type lively struct {
	io.Reader
	silence *time.Timer
}

func (l lively) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	l.silence.Reset(deskSilent)
	return n, err
}
