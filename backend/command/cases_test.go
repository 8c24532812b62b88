package command_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/command"
)

// row is one of testdata/commands.json: commands of a workspace tool, which starts them
// without a shell, and what is expected of them as a whole.
type row struct {
	ID, Cls, Verdict string
	Accept           []string
	Command          json.RawMessage
	Args             json.RawMessage
}

func cases(t testing.TB) []row {
	raw, err := os.ReadFile("testdata/commands.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func (r row) line(own bool) (command.Line, bool) {
	members := map[string][]byte{"command": r.Command, "args": r.Args}
	o, found := command.Find(maps.All(members))
	return o.Read(own), found
}

// reads reports whether all that a line would do is to read.
func reads(l command.Line) bool {
	return !l.Opaque && !slices.ContainsFunc(l.Parts, func(p command.Part) bool {
		return p.Effects != command.Reads || p.Code || p.Unusual || p.Loose || len(p.Writes) > 0
	})
}

// refused are cases that only read, and are refused for something else than what they do:
// a path, the limits of the tool, or its own list of programs and of forms, which knows
// neither shells nor their braces, nor wrappers, nor more than one program.
var refused = strings.Fields("CMD-081 CMD-082 CMD-144 CMD-146 CMD-150 CMD-151 CMD-152 CMD-157 CMD-185 CMD-198 CMD-265 " +
	"CMD-111 CMD-116 CMD-669 CMD-509 CMD-522 CMD-542 CMD-525 CMD-529 CMD-530 CMD-532 CMD-533 CMD-552 CMD-553 CMD-554 CMD-556 CMD-557 CMD-662 CMD-695")

// TestCases: what is expected to run unasked only reads, and nothing else does, but where
// it is a path that is in the way.
func TestCases(t *testing.T) {
	for _, r := range cases(t) {
		l, found := r.line(true)
		if !found {
			t.Errorf("%s: no command in it", r.ID)
			continue
		}
		low := slices.Contains(r.Accept, "allowed-low")
		got := reads(l)
		switch {
		case r.Cls == "low-plain" && !got:
			t.Errorf("%s %s %s: does not only read: %s", r.ID, r.Command, r.Args, written(l))
		case got && !low && r.Cls != "outside-read" && r.Cls != "secret-inside" && !slices.Contains(refused, r.ID):
			t.Errorf("%s %s %s (%s): only reads: %s", r.ID, r.Command, r.Args, r.Cls, written(l))
		}
	}
}
