package tally

import (
	"errors"
	"time"

	"sekisho/backend/permission"
)

// Size is how long a bucket is.
type Size string

// The sizes of buckets.
const (
	Hour Size = "hour"
	Day  Size = "day"
)

// Sizes are all of them.
var Sizes = [...]Size{Hour, Day}

// MaxBuckets is how many buckets a range may be cut into: a year of days, a month of hours.
const MaxBuckets = 750

// ErrRange refuses a range that ends before it begins, ErrBuckets one of too many buckets, and
// ErrSize a size that there is none of.
var (
	ErrRange   = errors.New("the range ends before it begins")
	ErrBuckets = errors.New("the range has too many buckets of this size")
	ErrSize    = errors.New("a bucket is an hour or a day")
)

// Borders are where the buckets of a range begin, and at last where the range ends: the first
// begins with the range, the others on the hours or the days of a zone. A day has as many hours
// as it has there: 23 or 25 where the clocks change.
func Borders(from, to permission.Time, size Size, zone *time.Location) ([]permission.Time, error) {
	if from >= to {
		return nil, ErrRange
	}
	next, ok := map[Size]func(time.Time) time.Time{Hour: nextHour, Day: nextDay}[size]
	if !ok {
		return nil, ErrSize
	}
	borders := []permission.Time{from}
	for at := from; ; {
		if len(borders) > MaxBuckets {
			return nil, ErrBuckets
		}
		if at = permission.TimeOf(next(at.Std().In(zone))); at >= to {
			return append(borders, to), nil
		}
		borders = append(borders, at)
	}
}

// nextHour is when the next full hour of the wall clock begins. It counts real time from the
// minute that the clock shows, so that an hour which comes twice is two hours.
func nextHour(t time.Time) time.Time {
	past := time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
	return t.Add(time.Hour - past)
}

// nextDay is when the next day begins: at the first moment of its date, also where the clocks
// leave midnight out, or come to it twice.
func nextDay(t time.Time) time.Time {
	year, month, day := t.Date()
	next := time.Date(year, month, day+1, 0, 0, 0, 0, t.Location())
	const step = 15 * time.Minute
	for next.Day() == day {
		next = next.Add(step)
	}
	for next.Add(-step).Day() != day {
		next = next.Add(-step)
	}
	return next
}
