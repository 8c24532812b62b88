package sqlite

import (
	"fmt"
	"testing"

	"sekisho/backend/permission"
)

// TestAKeyWithAQuoteIsOneOfItsOwn: what is settled of a tool does not reach another that has
// the same name but for the quote at its end.
func TestAKeyWithAQuoteIsOneOfItsOwn(t *testing.T) {
	for name, sql := range map[string]string{
		"changed": `UPDATE tool_pins SET seen = 'c' WHERE tool_name = 'read_file'''`,
		"removed": `DELETE FROM tool_pins WHERE tool_name = 'read_file'''`,
		"added": `INSERT INTO tool_pins
			(server_id, tool_name, seen, pinned, launch, back, withheld, destructive, whole, seen_text, pinned_text, flags, level, level_at, level_void)
			VALUES ('fs', 'list''', 'c', '', '', 0, 0, 0, 0, '', '', '', '', 0, 0)`,
	} {
		dir := furnished(t)
		s := opened(t, dir)
		for _, tool := range []string{"read_file'", "list"} {
			if _, err := s.EditTools(t.Context(), permission.Versions{},
				permission.ToolEdit{Put: []permission.ToolPin{{ServerID: "fs", ToolName: tool, Seen: "b"}}}); err != nil {
				t.Fatal(err)
			}
		}
		before, err := s.ToolPins(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		tampered(t, dir, sql)
		s = opened(t, dir)
		if _, err := s.Settle(t.Context(), ids(s.Differences()), permission.VersionJournal, entry(permission.StateSettled)); err != nil ||
			s.Disputed() != "" {
			t.Errorf("%s: %v %q", name, err, s.Disputed())
		}
		if after, err := s.ToolPins(t.Context()); err != nil || fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%s: %+v, not %+v, %v", name, after, before, err)
		}
		s.Close()
		if s = opened(t, dir); s.Disputed() != "" {
			t.Errorf("%s: %s", name, s.Disputed())
		}
	}
}
