package sqlite_test

import (
	"errors"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/storetest"
)

// TestWhyThereIsNoRoom: a call that may not wait hears of the limit that it meets.
func TestWhyThereIsNoRoom(t *testing.T) {
	for name, test := range map[string]struct {
		most, waiting, bytes string
		says, not            string
	}{
		"room":     {"9", "8", "268435454", "", ""}, // its input is {}
		"calls":    {"9", "9", "0", "9 calls", "MiB"},
		"bytes":    {"9", "8", "268435455", "256 MiB", "8"},
		"no limit": {"0", "9", "268435455", "256 MiB", "9"},
	} {
		dir := t.TempDir()
		open(t, dir).Close()
		raw(t, dir, "INSERT INTO waiting (agent_id, calls, bytes) VALUES ('a', "+test.waiting+", "+test.bytes+")")
		s := open(t, dir)
		_, version, _, err := s.Rules(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c := storetest.NewCall("1")
		c.Input = []byte("{}")
		_, _, err = s.Suspend(t.Context(), permission.Suspension{Call: c, PolicyVersion: version, MaxPending: int(test.most[0] - '0')})
		var e *permission.Error
		switch {
		case test.says == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.says == "":
		case !errors.As(err, &e) || e.Code != permission.CodeTooMany || !strings.Contains(e.Message, test.says) ||
			strings.Contains(e.Message, test.not+" calls"):
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}
