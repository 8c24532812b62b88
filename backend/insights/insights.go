// Package insights tells a person how much an agent's calls ask of them: what happened while
// nobody was there, how often and how fast questions are answered over time, and where that
// tires; and it keeps a person's break, in which nothing asks for attention.
package insights

import (
	"context"
	"fmt"
	"sync"
	"time"

	_ "time/tzdata" // zones are known on machines that have no list of them

	"sekisho/backend/permission"
	"sekisho/backend/tally"
)

// Store keeps counts of calls and when a person was there.
type Store interface {
	// Counts gives those of the buckets between some borders, with a bucket's beginning as
	// their time.
	Counts(ctx context.Context, borders []permission.Time) ([]tally.Count, error)
	// FirstCount is when the oldest count is of, 0 where there is none, and how many calls are
	// in doubt.
	FirstCount(ctx context.Context) (first permission.Time, inDoubt int64, err error)
	// MergeCounts puts the minutes before a time together to quarters of an hour.
	MergeCounts(ctx context.Context, before permission.Time) error
	Presence(ctx context.Context) (tally.Presence, error)
	// Seen notes that a person is there. Who was not for as long as gap was away.
	Seen(ctx context.Context, at, gap permission.Time) error
	// Pause keeps until when a person takes a break; 0: takes none.
	Pause(ctx context.Context, until permission.Time) error
}

// Settings are those of the desk: in a break they say that nothing shall ask for attention.
type Settings interface {
	Settings(ctx context.Context) (permission.Settings, error)
	ChangeSettings(ctx context.Context, change func(*permission.Settings) error) (permission.Settings, error)
}

// Bounds of what is kept.
const (
	// awayAfter is how long nobody was seen before that counts as an absence.
	awayAfter = 5 * tally.Minute
	// minutesKept is how long counts are kept by the minute, so that an absence is cut exactly.
	minutesKept = 30 * 24 * time.Hour
)

// Insights is the use case. It is safe for use by many goroutines.
type Insights struct {
	store    Store
	settings Settings
	now      func() permission.Time
	changed  chan struct{}
	pausing  sync.Mutex // a break begins or ends
}

// New makes one over a store, with the desk's settings and clock.
func New(store Store, settings Settings, now func() permission.Time) *Insights {
	return &Insights{store: store, settings: settings, now: now, changed: make(chan struct{}, 1)}
}

// Bucket is what was counted in a stretch of time.
type Bucket struct {
	From      permission.Time `json:"from"`
	To        permission.Time `json:"to"`
	Calls     int64           `json:"calls" doc:"that came in"`
	Questions int64           `json:"questions" doc:"how often a person was asked"`
	Allowed   int64           `json:"allowed" doc:"at once, by a rule"`
	Granted   int64           `json:"granted" doc:"at once, by an earlier answer of a person"`
	Denied    int64           `json:"denied" doc:"at once, by a rule or a check"`
	Repeated  int64           `json:"repeated" doc:"answered at once as the same was before"`
	Approved  int64           `json:"approved" doc:"by a person"`
	Declined  int64           `json:"declined" doc:"by a person"`
	Expired   int64           `json:"expired" doc:"nobody answered in time"`
	Cancelled int64           `json:"cancelled" doc:"withdrawn while they waited"`
	Settled   int64           `json:"settled" doc:"while they waited, by a rule, by the answer to another call, or with a stop or the removal of their agent"`
	Unread    int64           `json:"unread" doc:"of the approved and declined: answered faster than the input could be read"`
	MedianMs  *int64          `json:"medianMs" doc:"half of the answers came within so many milliseconds, to two digits; null: there was none"`
}

func bucketOf(from, to permission.Time, s *tally.Sum) Bucket {
	b := Bucket{From: from, To: to, Calls: s.Calls(), Questions: s.Questions(),
		Allowed: s.Of(tally.Allowed), Granted: s.Of(tally.Granted), Denied: s.Of(tally.Denied), Repeated: s.Of(tally.Repeated),
		Approved: s.Of(tally.Approved, tally.Unread), Declined: s.Of(tally.Declined, tally.Dismissed), Expired: s.Of(tally.Expired),
		Cancelled: s.Of(tally.Cancelled), Settled: s.Of(tally.Settled), Unread: s.Of(tally.Unread, tally.Dismissed)}
	if ms, ok := s.Median(); ok {
		b.MedianMs = &ms
	}
	return b
}

// Sign is what shows that questions tire.
type Sign string

// The signs.
const (
	SignMany   Sign = "many"   // a quarter of the calls asks, of 50 or more
	SignUnread Sign = "unread" // a quarter of the answers is too fast to have been read, of 10 or more
)

// Signs are all of them.
var Signs = [...]Sign{SignMany, SignUnread}

// Report is what was counted in a range.
type Report struct {
	Since   permission.Time   `json:"since" doc:"when the oldest count is of; null: nothing was counted yet"`
	InDoubt int64             `json:"inDoubt" doc:"calls whose outcome nobody knows, now"`
	Total   Bucket            `json:"total"`
	Buckets []Bucket          `json:"buckets" nullable:"false"`
	Rules   []tally.RuleCount `json:"rules" nullable:"false" doc:"that allowed calls, the one of most calls first"`
	Fatigue []Sign            `json:"fatigue" nullable:"false" doc:"what of the range shows that questions tire"`
}

// Count reports of a range in buckets of a size, on the hours and days of a zone. The errors of
// tally.Borders are its own.
func (i *Insights) Count(ctx context.Context, from, to permission.Time, size tally.Size, zone *time.Location) (*Report, error) {
	from -= from % tally.Minute
	borders, err := tally.Borders(from, to, size, zone)
	if err != nil {
		return nil, err
	}
	counts, err := i.store.Counts(ctx, borders)
	if err != nil {
		return nil, fmt.Errorf("count calls: %w", err)
	}
	r := &Report{Buckets: make([]Bucket, len(borders)-1), Fatigue: []Sign{}}
	if r.Since, r.InDoubt, err = i.store.FirstCount(ctx); err != nil {
		return nil, fmt.Errorf("count calls: %w", err)
	}
	sums, total := map[permission.Time]*tally.Sum{}, tally.Sum{}
	for _, c := range counts {
		if sums[c.At] == nil {
			sums[c.At] = &tally.Sum{}
		}
		sums[c.At].Add(c)
		total.Add(c)
	}
	for n := range r.Buckets {
		sum := sums[borders[n]]
		if sum == nil {
			sum = &tally.Sum{}
		}
		r.Buckets[n] = bucketOf(borders[n], borders[n+1], sum)
	}
	r.Total, r.Rules = bucketOf(from, to, &total), total.Rules()
	r.Fatigue = signs(&total)
	return r, nil
}

func signs(s *tally.Sum) []Sign {
	found := []Sign{}
	if calls := s.Calls(); calls >= 50 && 4*s.Questions() >= calls {
		found = append(found, SignMany)
	}
	if answers := s.Answers(); answers >= 10 && 4*s.Of(tally.Unread, tally.Dismissed) >= answers {
		found = append(found, SignUnread)
	}
	return found
}

// Stretch is a stretch of time.
type Stretch struct {
	From permission.Time `json:"from"`
	To   permission.Time `json:"to"`
}

// Look notes that a person is there, and gives the last time that nobody was; nil is none.
func (i *Insights) Look(ctx context.Context) (*Stretch, error) {
	if err := i.store.Seen(ctx, i.now(), awayAfter); err != nil {
		return nil, fmt.Errorf("note presence: %w", err)
	}
	p, err := i.store.Presence(ctx)
	if err != nil || p.AwayFrom.IsZero() {
		return nil, err
	}
	return &Stretch{p.AwayFrom, p.AwayTo}, nil
}
