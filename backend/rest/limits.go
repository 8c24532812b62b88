package rest

import (
	"fmt"
	"math"
	"strings"
	"time"

	"sekisho/backend/permission"
)

// Limits in bytes. Rules and risk have an opinion on much shorter names; these
// only keep a row from being absurd.
const (
	maxID          = 256
	maxName        = 64 << 10
	maxDescription = 64 << 10
	maxCwd         = 4 << 10
	maxReason      = 16 << 10
	maxSchema      = 64 << 10
)

// longest bounds what callers may give in seconds, so that no sum overflows.
const longest = 10 * 365 * 24 * time.Hour

// atMost bounds a field.
func atMost(field, value string, limit int) error {
	if len(value) > limit {
		return permission.Invalid(field, permission.FieldTooLong,
			fmt.Sprintf("longer than %d bytes", limit)).With(permission.Param("most", limit))
	}
	return nil
}

// plain reports whether a number of a query is written as digits, with or without a
// fraction: what else a parser of numbers takes is nothing that a caller can mean.
func plain(number string) bool {
	whole, fraction, dotted := strings.Cut(number, ".")
	return digits(whole) && (!dotted || digits(fraction))
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// seconds turns a positive number of seconds into a duration of at least a
// millisecond, since 0 means "none" further in.
func seconds(s float64) time.Duration {
	if !(s < longest.Seconds()) {
		return longest
	}
	return max(time.Duration(math.Ceil(s*1000))*time.Millisecond, time.Millisecond)
}
