package rest

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/insights"
	"sekisho/backend/permission"
	"sekisho/backend/tally"
)

// fewCounts is a store of counts in memory, and of settings.
type fewCounts struct {
	mu       sync.Mutex
	presence tally.Presence
	settings permission.Settings
}

func counted() *insights.Insights {
	f := &fewCounts{settings: permission.DefaultSettings()}
	return insights.New(f, f, func() permission.Time { return permission.TimeOf(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)) })
}

func (f *fewCounts) Counts(_ context.Context, borders []permission.Time) ([]tally.Count, error) {
	return []tally.Count{{At: borders[0], Kind: tally.Asked, Calls: 2}, {At: borders[0], Kind: tally.Unread, Of: "1500", Calls: 1},
		{At: borders[0], Kind: tally.Allowed, Of: "r1", Calls: 3}}, nil
}

func (f *fewCounts) FirstCount(context.Context) (permission.Time, int64, error) {
	return 60_000, 1, nil
}

func (f *fewCounts) MergeCounts(context.Context, permission.Time) error { return nil }

func (f *fewCounts) Presence(context.Context) (tally.Presence, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.presence, nil
}

func (f *fewCounts) Seen(_ context.Context, at, _ permission.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.presence.SeenAt = at
	return nil
}

func (f *fewCounts) Pause(_ context.Context, until permission.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.presence.PausedUntil = until
	return nil
}

func (f *fewCounts) Settings(context.Context) (permission.Settings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.settings, nil
}

func (f *fewCounts) ChangeSettings(_ context.Context, change func(*permission.Settings) error) (permission.Settings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.settings, change(&f.settings)
}

func TestInsightsRefuseWhatIsNoRange(t *testing.T) {
	s := newSite(t, nil)
	for query, field := range map[string]string{
		"from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z":             "to",
		"from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z":             "to",
		"from=2000-01-01T00:00:00Z&to=2026-01-01T00:00:00Z":             "from",
		"bucket=hour&from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z": "from",
		"from=0001-01-01T00:00:00Z":                                     "from",
		"to=9999-12-31T23:59:59Z":                                       "to",
		"to=yesterday":                                                  "to",
		"bucket=week":                                                   "bucket",
		"zone=Mars/Olympus":                                             "zone",
		"zone=Local":                                                    "zone",
		"zone=" + url.QueryEscape("../../etc/passwd"):                   "zone",
		"zone=" + url.QueryEscape("/etc/localtime"):                     "zone",
		"zone=" + url.QueryEscape("Asia/\x00Tokyo"):                     "zone",
	} {
		got := s.send("GET", "/v1/insights?"+query, tokenOp, "")
		p := got.problem(t)
		if got.status != 422 || len(p.Errors) != 1 || !strings.HasSuffix(p.Errors[0].Location, "."+field) {
			t.Errorf("%s: %d %s", query, got.status, got.body)
		}
	}
	for _, query := range []string{"", "?zone=Asia/Tokyo", "?bucket=hour&from=2026-03-01T00:00:00%2B09:00", "?zone=Asia/Kathmandu"} {
		if got := s.send("GET", "/v1/insights"+query, tokenOp, ""); got.status != 200 {
			t.Errorf("%s: %d %s", query, got.status, got.body)
		}
	}
	for _, body := range []string{`{"minutes":0}`, `{"minutes":241}`, `{"minutes":-1}`, `{}`, `{"minutes":"5"}`} {
		if got := s.send("POST", "/v1/pause", tokenOp, body); got.status != 422 {
			t.Errorf("pause %s: %d", body, got.status)
		}
	}
}

func TestInsightsOfWhatWasCounted(t *testing.T) {
	s := newSite(t, nil)
	var got insights.Report
	s.send("GET", "/v1/insights?from=2026-03-01T10:00:00Z&to=2026-03-03T00:00:00Z&zone=Europe/Berlin", tokenOp, "").into(t, &got)
	if len(got.Buckets) != 3 || got.Buckets[1].From.String() != "2026-03-01T23:00:00.000Z" || got.Buckets[2].To != got.Total.To {
		t.Errorf("%+v", got.Buckets)
	}
	if b := got.Buckets[0]; b.Calls != 5 || b.Questions != 2 || b.Approved != 1 || b.Unread != 1 || b.MedianMs == nil || *b.MedianMs != 1500 {
		t.Errorf("%+v", b)
	}
	if got.Total.Calls != 5 || got.InDoubt != 1 || len(got.Rules) != 1 || got.Rules[0] != (tally.RuleCount{Rule: "r1", Calls: 3}) {
		t.Errorf("%+v", got)
	}
}

func TestADeskThatCountsNothingSaysSo(t *testing.T) {
	s := newSite(t, func(o *Options) { o.Insights = nil })
	for _, row := range [][2]string{{"GET", "/v1/insights"}, {"POST", "/v1/presence"}, {"GET", "/v1/pause"}, {"DELETE", "/v1/pause"}} {
		if got := s.send(row[0], row[1], tokenOp, ""); got.status != 503 {
			t.Errorf("%v: %d %s", row, got.status, got.body)
		}
	}
}

// TestHasteLengthensArming: ten approvals from a page after less than a second of looking each
// make the desk want calls in view for three times as long, for a while; slow ones do not.
func TestHasteLengthensArming(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return at } })
	page := func(method, path, body string) *reply { return s.inside(method, path, body) }
	answer := func(after time.Duration) *reply {
		page("POST", "/v1/attention", `{"callId":"call-a","rev":3}`)
		at = at.Add(after)
		return page("POST", "/v1/calls/call-a/decision", goodDecision)
	}
	arming := func() (ms, high int64, until permission.Time) {
		var got struct {
			Ms, HighMs int64
			Until      permission.Time
		}
		if err := json.Unmarshal(page("GET", "/v1/arming", "").body, &got); err != nil {
			t.Fatal(err)
		}
		return got.Ms, got.HighMs, got.Until
	}
	for range 20 {
		if got := answer(time.Second); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if ms, high, until := arming(); ms != 700 || high != 1500 || until != 0 {
		t.Errorf("after slow answers: %d %d %s", ms, high, until)
	}
	for range 10 {
		if got := answer(800 * time.Millisecond); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if ms, high, until := arming(); ms != 2100 || high != 4500 || until != permission.TimeOf(at.Add(15*time.Minute)) {
		t.Errorf("after hasty answers: %d %d %s", ms, high, until)
	}
	if got := answer(2 * time.Second); got.status != 409 || got.problem(t).Code != codeNotArmed {
		t.Errorf("the desk took it after two seconds: %d %s", got.status, got.body)
	}
	at = at.Add(15 * time.Minute)
	if ms, _, until := arming(); ms != 700 || until != 0 {
		t.Errorf("a while later: %d %s", ms, until)
	}
}
