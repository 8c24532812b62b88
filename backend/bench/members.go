package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	heavyKeys   = 1_000_000 // of one body, which is refused for them
	heavyAtOnce = 8
	askGoal     = 100 * time.Millisecond
)

// members measures how long another agent's ask takes while one agent sends bodies of a
// million keys, eight at once, without a pause.
func members(ctx context.Context, s settings, dir string) (rows []row, err error) {
	y := &yard{}
	defer func() { err = errors.Join(err, y.close()) }()
	flood, err := y.desk(ctx, s.sekishod, filepath.Join(dir, "members"), []entry{})
	if err != nil {
		return nil, err
	}
	var made struct{ Token string }
	if err := operate(ctx, flood.url, flood.operator, "POST", "/v1/agents", map[string]any{"name": "other"}, &made); err != nil {
		return nil, err
	}
	other := deskAt{url: flood.url, token: made.Token}
	body := `{"runId":"r","toolCallId":"heavy","toolName":"x","input":{` + heavyObject() + `}}`
	var over atomic.Bool
	var faults [heavyAtOnce]error
	var floods sync.WaitGroup
	for i := range faults {
		floods.Go(func() {
			for !over.Load() && faults[i] == nil {
				faults[i] = flood.post(ctx, "/v1/calls", body, http.StatusUnprocessableEntity)
			}
		})
	}
	times, err := other.askFor(ctx, time.Duration(s.rounds)*s.turn)
	over.Store(true)
	floods.Wait()
	if err = errors.Join(append(faults[:], err)...); err != nil {
		return nil, err
	}
	slices.Sort(times)
	p95 := times[len(times)*95/100]
	return []row{{
		what: fmt.Sprintf("an ask beside %d bodies of %d keys at once, p95", heavyAtOnce, heavyKeys),
		figure: fmt.Sprintf("%v (%v..%v)", p95.Round(100*time.Microsecond), times[0].Round(100*time.Microsecond),
			times[len(times)-1].Round(100*time.Microsecond)),
		goal: "≤ " + askGoal.String(), reached: p95 <= askGoal,
	}}, nil
}

func heavyObject() string {
	var b strings.Builder
	for i := range heavyKeys {
		fmt.Fprintf(&b, `,"%07d":1`, i)
	}
	return b.String()[1:]
}

// askFor asks one call after the other for a while, and gives how long each took.
func (d deskAt) askFor(ctx context.Context, long time.Duration) (times []time.Duration, err error) {
	for began := time.Now(); time.Since(began) < long; {
		at := time.Now()
		body := fmt.Sprintf(`{"runId":"r","toolCallId":"%d","toolName":"x","input":{"path":"a"}}`, len(times))
		if err := d.post(ctx, "/v1/calls", body, http.StatusCreated); err != nil {
			return nil, err
		}
		times = append(times, time.Since(at))
	}
	return times, nil
}

// post sends a body and wants a status.
func (d deskAt) post(ctx context.Context, path, body string, want int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		return fmt.Errorf("POST %s: %s %.300s: %w", path, resp.Status, said, err)
	}
	return nil
}
