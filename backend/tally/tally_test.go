package tally

import (
	"errors"
	"testing"
	"time"

	"sekisho/backend/permission"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func at(t *testing.T, text string) permission.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return permission.TimeOf(when)
}

// TestDaysBeginWhereTheyDo also where the clocks change, and where they leave midnight out or
// come to it twice.
func TestDaysBeginWhereTheyDo(t *testing.T) {
	for _, c := range []struct {
		zone, from string
		hours      []float64 // of the days after the first border
	}{
		{"UTC", "2026-03-27T00:00:00Z", []float64{24, 24, 24}},
		{"Europe/Berlin", "2026-03-28T00:00:00+01:00", []float64{24, 23, 24}},
		{"Europe/Berlin", "2026-10-24T00:00:00+02:00", []float64{24, 25, 24}},
		{"Asia/Kathmandu", "2026-03-27T00:00:00+05:45", []float64{24, 24}},
		{"Africa/Cairo", "2026-04-23T00:00:00+02:00", []float64{24, 23, 24}},
		{"America/Havana", "2026-10-31T00:00:00-04:00", []float64{24, 25, 24}},
		{"Australia/Lord_Howe", "2026-04-04T00:00:00+11:00", []float64{24, 24.5, 24}},
		{"Pacific/Apia", "2011-12-29T00:00:00-10:00", []float64{24, 24}},
	} {
		borders, err := Borders(at(t, c.from), at(t, c.from).Add(120*time.Hour), Day, zone(t, c.zone))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.hours {
			if got := float64(borders[i+1]-borders[i]) / 3600_000; got != want {
				t.Errorf("%s: day %d has %v hours, not %v", c.zone, i, got, want)
			}
		}
	}
}

func TestHoursAreThoseOfTheZone(t *testing.T) {
	borders, err := Borders(at(t, "2026-03-27T10:20:00Z"), at(t, "2026-03-27T12:00:00Z"), Hour, zone(t, "Asia/Kathmandu"))
	if err != nil || len(borders) != 3 || borders[1] != at(t, "2026-03-27T11:15:00Z") {
		t.Errorf("%v, %v", borders, err)
	}
}

func TestAbsurdRangesAreRefused(t *testing.T) {
	for want, c := range map[error]struct {
		from, to permission.Time
		size     Size
	}{ErrRange: {5, 5, Day}, ErrBuckets: {0, 1 << 50, Day}, ErrSize: {0, 5, "week"}} {
		if _, err := Borders(c.from, c.to, c.size, time.UTC); !errors.Is(err, want) {
			t.Errorf("%v: %v", want, err)
		}
	}
}

func TestWaitsHaveTwoDigits(t *testing.T) {
	for ms, want := range map[int64]int64{-5: 0, 0: 0, 99: 0, 199: 100, 9_999: 9_900,
		10_999: 10_000, 123_456: 120_000, 604_800_000: 600_000_000} {
		if got := Wait(ms); got != want {
			t.Errorf("%d: %d, not %d", ms, got, want)
		}
	}
}

func TestTheMedianIsOfAllAnswers(t *testing.T) {
	var a Sum
	if _, ok := a.Median(); ok {
		t.Error("a median of nothing")
	}
	for _, c := range []Count{{Kind: Approved, Of: "1000", Calls: 2}, {Kind: Dismissed, Of: "200", Calls: 1},
		{Kind: Allowed, Of: "9", Calls: 50}} {
		a.Add(c)
	}
	if ms, ok := a.Median(); !ok || ms != 1000 {
		t.Error(ms)
	}
	a.Add(Count{Kind: Declined, Of: "5000", Calls: 4})
	if ms, _ := a.Median(); ms != 5000 || a.Answers() != 7 || a.Calls() != 50 || a.Rules()[0] != (RuleCount{"9", 50}) {
		t.Error(ms, a)
	}
}

// TestAStopIsNoAnswer: calls that a stop of their agent declines were not answered, however long they
// waited.
func TestAStopIsNoAnswer(t *testing.T) {
	c := permission.Call{CreatedAt: 1000}
	tr := permission.Transition{At: 61_000, To: permission.Declined, Decision: permission.StopDecision(61_000, 99_000)}
	if n, ok := Change(&tr, &c, permission.Pending); !ok || n != (Count{At: Minute, Kind: Settled, Calls: 1}) {
		t.Errorf("%+v, %v", n, ok)
	}
	tr.Decision = &permission.Decision{By: permission.ByPerson, Explanation: permission.Said("no")}
	if n, ok := Change(&tr, &c, permission.Pending); !ok || n != (Count{At: Minute, Kind: Declined, Of: "60000", Calls: 1}) {
		t.Errorf("%+v, %v", n, ok)
	}
}
