package sqlite

import (
	"errors"
	"fmt"
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
		x.touch("tools", "fs/tool_1")
		return errors.Join(x.tellState(), errFailed)
	}); !errors.Is(err, errFailed) {
		t.Fatal(err)
	}
	rows, full := 0, 0
	var newest statement
	err := statements(s.reader, func(said statement, _ int64) bool {
		if newest.Digests == nil {
			newest = said
		}
		if full++; said.Full {
			return false
		}
		for _, of := range said.Rows {
			rows += len(of)
		}
		return true
	})
	if bound := 1000 + 4*510 + 500; err != nil || rows > bound || full == 0 {
		t.Errorf("%d rows since all were told of, the bound is %d; %v", rows, bound, err)
	}
	if int64(rows) != newest.Since || newest.Since != s.writer.since {
		t.Errorf("%d rows, the journal counts %d, the writer %d", rows, newest.Since, s.writer.since)
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
