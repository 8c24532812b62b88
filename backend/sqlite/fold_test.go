package sqlite

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// TestAStartReadsAFewTimesTheSets: however often rows were told of, all are told of again in
// between, so that a difference is found from a bounded part of the journal.
func TestAStartReadsAFewTimesTheSets(t *testing.T) {
	dir := furnished(t)
	s := opened(t, dir)
	edit := func(round int) error {
		var e permission.ToolEdit
		for i := range 500 {
			e.Put = append(e.Put, permission.ToolPin{ServerID: "fs", ToolName: fmt.Sprint("tool_", i), Seen: fmt.Sprint(round)})
		}
		_, err := s.EditTools(t.Context(), permission.Versions{}, e)
		return err
	}
	for round := range 20 {
		if err := edit(round); err != nil {
			t.Fatal(err)
		}
		if round%5 == 2 {
			s.Close()
			s = opened(t, dir)
		}
	}
	if err := s.write(t.Context(), func(x *tx) error {
		x.Touch("tools", "fs/tool_1")
		return errors.Join(x.Append(entry(permission.StateChanged), nil), errFailed)
	}); !errors.Is(err, errFailed) {
		t.Fatal(err)
	}
	if err := edit(20); err != nil { // counts on from what was told, and not from what was taken back
		t.Fatal(err)
	}
	type statement struct {
		Full  bool
		Since int
		Rows  map[string][]any
	}
	rows, full := 0, 0
	var newest *statement
	for _, e := range slices.Backward(chained(t, s)) {
		var of struct{ State *statement }
		if err := json.Unmarshal(e.Data, &of); err != nil || of.State == nil {
			continue
		}
		if newest == nil {
			newest = of.State
		}
		if full++; of.State.Full {
			break
		}
		for _, changed := range of.State.Rows {
			rows += len(changed)
		}
	}
	if bound := 1000 + 4*510 + 500; rows > bound || full == 0 || newest.Since != rows {
		t.Errorf("%d rows since all were told of, the bound is %d, the journal counts %d", rows, bound, newest.Since)
	}
	chained(t, s)
	s.Close()
	tampered(t, dir, "UPDATE tool_permission_rules SET priority = 1 WHERE id = 'reads'")
	s = opened(t, dir)
	if list := s.Differences(); len(list) != 1 || list[0].Key != "reads" || !strings.Contains(s.Disputed(), "priority: 0 in the journal, 1") {
		t.Errorf("%+v %q", list, s.Disputed())
	}
}

var errFailed = errors.New("failed")
