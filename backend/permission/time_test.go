package permission_test

import (
	"regexp"
	"testing"

	"sekisho/backend/permission"
)

var rfc3339 = regexp.MustCompile(
	`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// FuzzTime holds what is taken against the grammar of RFC 3339.
func FuzzTime(f *testing.F) {
	for _, seed := range []string{"2025-01-01T00:00:00Z", "2025-01-01t23:59:59.999z", "2025-12-31T00:00:00,5+23:59",
		"2025-12-31T0:00:00-00:60"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v permission.Time
		if err := v.UnmarshalText([]byte(text)); err == nil && !rfc3339.MatchString(text) {
			t.Errorf("%q was taken as %v", text, v)
		}
	})
}
