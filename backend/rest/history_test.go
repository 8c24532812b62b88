package rest

import (
	"context"
	"strings"
	"testing"
	"time"

	"sekisho/backend/history"
	"sekisho/backend/learn"
	"sekisho/backend/permission"
)

// recorded learns from a home that was recorded.
func recorded(ctx context.Context, progress func(files int, bytes int64, calls int)) (*learn.Result, error) {
	return learn.From(ctx, history.In("../history/testdata/homes/older", nil),
		learn.Options{Now: permission.Time(1_800_000_000_000), Progress: progress})
}

// state asks how far a reading is.
func (s *site) state(method string) (now historyState, raw string) {
	s.t.Helper()
	got := s.send(method, "/v1/history", tokenOp, "")
	if got.status != 200 {
		s.t.Fatalf("%s: %d %s", method, got.status, got.body)
	}
	got.into(s.t, &now)
	return now, string(got.body)
}

// until waits for a state.
func (s *site) until(state string) (historyState, string) {
	s.t.Helper()
	for range 2000 {
		if now, raw := s.state("GET"); now.State == state {
			return now, raw
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.t.Fatalf("no history is %s", state)
	return historyState{}, ""
}

// TestHistory: a reading is begun by a person, told of, and forgotten.
func TestHistory(t *testing.T) {
	s := newSite(t, nil)
	if now, _ := s.state("GET"); now.State != "none" || now.Result != nil {
		t.Errorf("before: %+v", now)
	}
	if now, _ := s.state("POST"); now.State != "reading" {
		t.Errorf("begun: %+v", now)
	}
	now, raw := s.until("done")
	if now.Calls != 16 || now.Result == nil || now.Result.Calls != 16 || now.Result.Asked != 16 || len(now.Result.Unread) != 1 {
		t.Errorf("done: %.400s", raw)
	}
	for _, part := range []string{`"code":"passes_high","params":{"line":"git push --force"}`, `"client":"opencode"`, `"kind":"line","count":6`} {
		if !strings.Contains(raw, part) {
			t.Errorf("no %s in %.2000s", part, raw)
		}
	}
	doc, _ := readSpec(t)
	var answer any
	s.send("GET", "/v1/history", tokenOp, "").into(t, &answer)
	schema := doc.Paths["/v1/history"]["get"].Responses["200"].Content["application/json"].Schema
	for _, complaint := range mismatches(doc, schema, answer, "$") {
		t.Error(complaint)
	}
	if got := s.send("GET", "/v1/history", tokenA, ""); got.status != 403 {
		t.Errorf("an agent: %d", got.status)
	}
	if now, _ := s.state("DELETE"); now.State != "none" {
		t.Errorf("forgotten: %+v", now)
	}
	if now, _ := s.state("GET"); now.State != "none" || now.Result != nil {
		t.Errorf("after: %+v", now)
	}
}

// TestHistoryIsOne: one reading goes on at a time, and ends when it is forgotten or the
// door closes.
func TestHistoryIsOne(t *testing.T) {
	begun, ended := make(chan struct{}, 8), make(chan struct{}, 8)
	s := newSite(t, func(o *Options) {
		o.History = func(ctx context.Context, progress func(int, int64, int)) (*learn.Result, error) {
			begun <- struct{}{}
			progress(3, 4000, 50)
			<-ctx.Done()
			progress(9, 9, 9) // too late to be told
			ended <- struct{}{}
			return nil, ctx.Err()
		}
	})
	s.state("POST")
	<-begun
	for now := (historyState{}); now.Calls != 50; now, _ = s.state("POST") {
		time.Sleep(time.Millisecond)
	}
	if len(begun) != 0 {
		t.Error("two are read at a time")
	}
	s.state("DELETE")
	<-ended
	if now, _ := s.state("GET"); now.State != "none" || now.Files != 0 {
		t.Errorf("ended: %+v", now)
	}
	s.state("POST")
	<-begun
	s.door.Close()
	select {
	case <-ended:
	default:
		t.Error("the door closed before the reading ended")
	}
	if got := s.send("POST", "/v1/history", tokenOp, ""); got.status != 503 {
		t.Errorf("closed: %d %s", got.status, got.body)
	}
}

// TestNoHistory: a desk that cannot read says so.
func TestNoHistory(t *testing.T) {
	s := newSite(t, func(o *Options) { o.History = nil })
	if got := s.send("POST", "/v1/history", tokenOp, ""); got.status != 503 || got.problem(t).Code != permission.CodeUnavailable {
		t.Errorf("%d %s", got.status, got.body)
	}
}
