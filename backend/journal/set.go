package journal

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sekisho/backend/database"
	"sekisho/backend/rawjson"
)

// set is a table whose rows testify: the journal says what they are, and a start compares.
type set struct {
	name, table string
	keys        []string // the columns that name a row
	uncounted   []string // columns that change without an entry
	veiled      string   // a column of which the journal has a hash: it is a credential's
}

// sets are all that decide what is allowed. A column that a later format adds testifies by
// itself.
var sets = []set{
	{name: "agents", table: "agents", keys: []string{"id"}, veiled: "token_hash"},
	{name: "executors", table: "executors", keys: []string{"id"}, veiled: "token_hash"},
	{name: "grants", table: "grants", keys: []string{"id"}, uncounted: []string{"seq", "hits"}},
	{name: "projects", table: "projects", keys: []string{"id"}},
	{name: "rules", table: "tool_permission_rules", keys: []string{"id"}, uncounted: []string{"hits", "last_hit_at"}},
	{name: "servers", table: "servers", keys: []string{"id"}},
	{name: "sessions", table: "sessions", keys: []string{"id"}, veiled: "secret_hash"},
	{name: "settings", table: "settings", keys: []string{"id"}},
	{name: "tools", table: "tool_pins", keys: []string{"server_id", "tool_name"}},
}

func setNamed(name string) *set {
	i := slices.IndexFunc(sets, func(s set) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return &sets[i]
}

// keyBreak stands between the parts of a key. An id of a server has none.
const keyBreak = "/"

// Key is that of a row with several columns for it.
func Key(parts ...string) string { return strings.Join(parts, keyBreak) }

// where is the condition of the row that a key names, with its arguments.
func (s *set) where(key string) (condition string, args []any) {
	for i, part := range strings.SplitN(key, keyBreak, len(s.keys)) {
		if i > 0 {
			condition += " AND "
		}
		condition += s.keys[i] + " = ?"
		args = append(args, part)
	}
	if condition == "" || len(args) < len(s.keys) {
		return "0", nil
	}
	return condition, args
}

// each visits rows of the set as the JSON that the journal has of them: an object of their
// columns, in order, and what a column holds, whatever its type should be.
func (s *set) each(rows *sql.Rows, visit func(key string, row []byte) error) error {
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values, dest := make([]any, len(names)), make([]any, len(names))
	order := make([]int, 0, len(names))
	for i := range names {
		dest[i] = &values[i]
		if !slices.Contains(s.uncounted, names[i]) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(camel(names[a]), camel(names[b])) })
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		row := []byte{'{'}
		key := make([]string, len(s.keys))
		for n, i := range order {
			if at := slices.Index(s.keys, names[i]); at >= 0 {
				key[at] = keyPart(values[i])
			}
			if n > 0 {
				row = append(row, ',')
			}
			row = append(rawjson.AppendString(row, camel(names[i])), ':')
			switch {
			case names[i] == s.veiled:
				row = rawjson.AppendString(row, veil(values[i]))
			default:
				row = appendValue(row, values[i])
			}
		}
		if err := visit(strings.Join(key, keyBreak), append(row, '}')); err != nil {
			return err
		}
	}
	return rows.Err()
}

// camel is a column's name as JSON has it, and snake the other way round.
func camel(column string) string {
	parts := strings.Split(column, "_")
	for i, part := range parts[1:] {
		if part != "" {
			parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "")
}

func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// veil is the hash of a value that the journal must not tell.
func veil(value any) string {
	sum := sha256.Sum256(appendValue(nil, value))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func keyPart(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return string(appendValue(nil, value))
}

// Value is what a column holds as the journal has it.
func Value(value any) json.RawMessage { return appendValue(nil, value) }

// appendValue writes what a column holds. What JSON has no form for is an object.
func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case string:
		if utf8.ValidString(v) {
			return rawjson.AppendString(b, v)
		}
		return fmt.Appendf(b, `{"bytes":"%x"}`, v)
	case []byte:
		return fmt.Appendf(b, `{"blob":"%x"}`, v)
	}
	return fmt.Appendf(b, `{"other":%q}`, fmt.Sprint(value))
}

// columnValue is what appendValue wrote, for the table again.
func columnValue(raw json.RawMessage) (any, error) {
	var text string
	var number int64
	switch {
	case string(raw) == "null":
		return nil, nil
	case json.Unmarshal(raw, &text) == nil:
		return text, nil
	case json.Unmarshal(raw, &number) == nil:
		return number, nil
	}
	return nil, fmt.Errorf("%s was damaged already when the journal told of it", raw)
}

// read visits the rows of the set that a condition names.
func (s *set) read(from database.Querier, condition string, args []any, visit func(key string, row []byte) error) error {
	rows, err := from.Query("SELECT * FROM "+s.table+" WHERE "+condition, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return s.each(rows, visit)
}
