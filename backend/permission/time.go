package permission

import (
	"fmt"
	"time"
)

// Time is a moment in milliseconds since the Unix epoch. Its JSON form is RFC
// 3339 UTC with milliseconds. The zero Time means "none" and is null in JSON.
type Time int64

const timeLayout = "2006-01-02T15:04:05.000Z"

// TimeOf rounds t down to the millisecond.
func TimeOf(t time.Time) Time { return Time(t.UnixMilli()) }

// Std gives t as a time.Time in UTC.
func (t Time) Std() time.Time { return time.UnixMilli(int64(t)).UTC() }

// Add moves t by d, cut to whole milliseconds.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

// IsZero reports whether t is "none".
func (t Time) IsZero() bool { return t == 0 }

// String is the JSON form without its quotes, or "" for none.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Std().Format(timeLayout)
}

// MarshalJSON writes RFC 3339 UTC with milliseconds, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON reads any RFC 3339 time, or null.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = 0
		return nil
	}
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return fmt.Errorf("read time: not a string")
	}
	return t.UnmarshalText(b[1 : len(b)-1])
}

// MarshalText is String as bytes; it also tells OpenAPI tools that a Time is a
// string.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads an RFC 3339 time.
func (t *Time) UnmarshalText(b []byte) error {
	v, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return fmt.Errorf("read time: %w", err)
	}
	if y := v.UTC().Year(); y < 1 || y > 9999 {
		return fmt.Errorf("read time: %s lies beyond the years 1 to 9999", v)
	}
	if v = v.Truncate(time.Millisecond); v.UnixMilli() == 0 {
		return fmt.Errorf("read time: the first millisecond of 1970 stands for none")
	}
	*t = TimeOf(v)
	return nil
}
