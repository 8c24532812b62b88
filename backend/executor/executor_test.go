package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"sekisho/backend/proof"
	"sekisho/backend/rawjson"
	"sekisho/backend/restclient"
	"sekisho/backend/tool"
)

// forgetful is a desk at the edge: it acts on a claim and on a result, and is gone before it answers, some times.
type forgetful struct {
	mu     sync.Mutex
	signal string
	lost   int      // answers that are still to be lost
	keys   []string // of claims
	claims []string // of results
}

const token = "ske_x"

func (f *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q proof.Question
	var said struct {
		ClaimKey string `json:"claimKey"`
		ClaimID  string `json:"claim_id"`
	}
	switch r.URL.Path {
	case proof.Path:
		_ = json.NewDecoder(r.Body).Decode(&q)
		_ = json.NewEncoder(w).Encode(proof.Answer{Proof: proof.HashOf(token).Of(q.Nonce, q.Address)})
		return
	case "/my/projects/site/events":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", signalName, f.signal)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	_ = json.NewDecoder(r.Body).Decode(&said)
	f.mu.Lock()
	defer f.mu.Unlock()
	if said.ClaimKey != "" {
		f.keys = append(f.keys, said.ClaimKey)
	} else {
		f.claims = append(f.claims, said.ClaimID)
	}
	if f.lost--; f.lost >= 0 {
		panic(http.ErrAbortHandler)
	}
	f.lost = 2
	fmt.Fprint(w, `{"call":{"id":"c","claimId":"claim"}}`)
}

// serve serves a desk until something is so there, and gives how often it ran the call.
func (f *forgetful) serve(t *testing.T, is func() bool) (runs int) {
	t.Helper()
	project, input := "site", []byte(`{"path":"a"}`)
	hash, err := rawjson.Hash(&project, "tool_read_file", input)
	if err != nil {
		t.Fatal(err)
	}
	f.signal = fmt.Sprintf(`{"tool_id":"c","tool_name":"tool_read_file","tool_params":%s,"input_hash":%q}`, input, hash)
	desk := httptest.NewServer(f)
	defer desk.Close()
	client := restclient.New(desk.URL, token)
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	x := Executor{Desk: client, Project: project, Logger: slog.New(slog.DiscardHandler), Retry: time.Millisecond,
		Run: func(context.Context, string, []byte) (tool.Result, error) {
			runs++
			return tool.Result{Success: true}, nil
		}}
	over := make(chan error, 1)
	go func() { over <- x.Serve(ctx, func() {}) }()
	for so, until := false, time.Now().Add(time.Minute); !so && time.Now().Before(until); time.Sleep(time.Millisecond) {
		f.mu.Lock()
		so = is()
		f.mu.Unlock()
	}
	cancel()
	if err := <-over; err != nil {
		t.Error(err)
	}
	return runs
}

// TestAnswersThatAreLost: a claim and a result whose answers are lost are sent again as they were, and the call runs once.
func TestAnswersThatAreLost(t *testing.T) {
	f := &forgetful{lost: 2}
	runs := f.serve(t, func() bool { return len(f.claims) == 3 })
	if len(f.keys) != 3 || len(slices.Compact(f.keys)) != 1 || !slices.Equal(f.claims, []string{"claim", "claim", "claim"}) || runs != 1 {
		t.Errorf("claimed with %q, reported of %q, run %d times", f.keys, f.claims, runs)
	}
}

// TestToldToEndWhileItClaims: an executor that is told to end claims nothing any more, and ends at once.
func TestToldToEndWhileItClaims(t *testing.T) {
	f, began := &forgetful{lost: 1 << 30}, time.Now()
	runs := f.serve(t, func() bool { return len(f.keys) > 2 })
	if took := time.Since(began); runs != 0 || len(f.claims) != 0 || took > leaveFor/2 {
		t.Errorf("run %d times, %d results, after %v", runs, len(f.claims), took)
	}
}
