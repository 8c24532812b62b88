package permission

import (
	"fmt"
	"slices"
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

// UnmarshalText reads an RFC 3339 time, and no other that is like one.
func (t *Time) UnmarshalText(b []byte) error {
	b = capitals(b)
	v, err := time.Parse(time.RFC3339, string(b))
	if err != nil || !exact(b) {
		return fmt.Errorf("read time: not an RFC 3339 time, as 2030-01-31T12:00:00Z is one")
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

// exact refuses what time.Parse takes beyond RFC 3339: an hour of one digit, a comma
// before the fraction, and a zone that is off by a day or by sixty minutes. b has passed
// it, so all else is in its place.
func exact(b []byte) bool {
	const hour, fraction = len("2006-01-02T15"), len("2006-01-02T15:04:05")
	if b[hour] != ':' || b[fraction] == ',' {
		return false
	}
	zone := string(b[len(b)-len("24:60"):])
	return b[len(b)-1] == 'Z' || zone[:2] < "24" && zone[3:] < "60"
}

// capitals writes the letters T and Z as time.Time wants them: RFC 3339 takes small ones.
func capitals(b []byte) []byte {
	b = slices.Clone(b)
	for _, i := range []int{len("2006-01-02"), len(b) - 1} {
		if i >= 0 && i < len(b) && (b[i] == 't' || b[i] == 'z') {
			b[i] -= 'a' - 'A'
		}
	}
	return b
}
