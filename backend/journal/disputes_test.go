package journal

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"sekisho/backend/permission"
)

// TestTheDifferenceIsNamed: of two long versions the part that differs is told, whatever
// comes before it.
func TestTheDifferenceIsNamed(t *testing.T) {
	long := strings.Repeat("関", 400)
	for name, c := range map[string]struct{ journal, table string }{
		"far in":       {long + "good" + long, long + "evil" + long},
		"in the first": {"good" + long, "evil" + long},
		"at the end":   {long, long + "evil"},
		"short":        {"good", "evil"},
	} {
		row := func(text string) json.RawMessage { return append(appendValue([]byte(`{"a":`), text), '}') }
		words := versions(permission.Difference{Journal: row(c.journal), Table: row(c.table)})
		journal, table, _ := strings.Cut(words, " in the journal, ")
		if !strings.Contains(table, "evil") || strings.Contains(c.journal, "good") && !strings.Contains(journal, "good") ||
			len([]rune(words)) > 600 || !utf8.ValidString(words) {
			t.Errorf("%s: %s", name, words)
		}
	}
}
