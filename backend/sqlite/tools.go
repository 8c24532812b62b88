package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"sekisho/backend/callsql"
	"sekisho/backend/database"
	"sekisho/backend/journal"
	"sekisho/backend/permission"
)

const pinColumns = "server_id, tool_name, seen, pinned, launch, back, withheld, destructive, whole, seen_text, pinned_text, flags, " +
	"level, level_at, level_void"

// ToolPins gives what is known of every tool, without the texts.
func (s *CatalogueStore) ToolPins(ctx context.Context) ([]permission.ToolPin, error) {
	pins, err := database.List(scanPin)(s.reader.QueryContext(ctx, "SELECT "+pinColumns+" FROM tool_pins"))
	if err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	return pins, nil
}

func scanPin(row database.Row) (p permission.ToolPin, err error) {
	err = row.Scan(&p.ServerID, &p.ToolName, &p.Seen, &p.Pinned, &p.Launch, &p.Back, &p.Withheld, &p.Destructive, &p.Whole, &p.SeenText,
		&p.PinnedText, &p.Flags, &p.Level, &p.LevelAt, &p.LevelVoid)
	return p, err
}

// ToolTexts gives the texts of those hashes that are known.
func (s *CatalogueStore) ToolTexts(ctx context.Context, hashes []string) (map[string]permission.ToolText, error) {
	texts := make(map[string]permission.ToolText, len(hashes))
	for _, hash := range hashes {
		t := permission.ToolText{Hash: hash}
		err := s.reader.QueryRowContext(ctx, "SELECT text, cut FROM tool_texts WHERE hash = ?", hash).Scan(&t.Text, &t.Cut)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read tool: %w", err)
		}
		texts[hash] = t
	}
	return texts, nil
}

// AskedTools names the tools of a server of which calls wait, or are approved and not
// claimed yet.
func (s *CatalogueStore) AskedTools(ctx context.Context, serverID string) (names []string, err error) {
	names, err = database.List(database.Value[string])(s.reader.QueryContext(ctx,
		"SELECT DISTINCT tool_name FROM calls WHERE "+callsql.Open+" AND server_id = ? AND method IS NULL", serverID))
	if err != nil {
		return nil, fmt.Errorf("read asked tools: %w", err)
	}
	return names, nil
}

// EditTools makes one change.
func (s *CatalogueStore) EditTools(ctx context.Context, of permission.Versions, e permission.ToolEdit) (permission.Versions, error) {
	return edit(ctx, s.base, of, func(t *tx) error { return editTools(t, e) })
}

func editTools(t *tx, e permission.ToolEdit) error {
	for _, x := range e.Texts {
		if _, err := t.Exec("INSERT OR REPLACE INTO tool_texts (hash, text, cut) VALUES (?,?,?)", x.Hash, x.Text, x.Cut); err != nil {
			return fmt.Errorf("keep tool: %w", err)
		}
	}
	for _, p := range slices.Concat(e.Drop, e.Put) {
		t.Touch("tools", journal.Key(p.ServerID, p.ToolName))
	}
	for _, p := range e.Drop {
		if _, err := t.Exec("DELETE FROM tool_pins WHERE server_id = ? AND tool_name = ?", p.ServerID, p.ToolName); err != nil {
			return fmt.Errorf("forget tool: %w", err)
		}
	}
	for _, p := range e.Put {
		if _, err := t.Exec("INSERT OR REPLACE INTO tool_pins ("+pinColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			p.ServerID, p.ToolName, p.Seen, p.Pinned, p.Launch, p.Back, p.Withheld, p.Destructive, p.Whole, p.SeenText, p.PinnedText,
			p.Flags, p.Level, p.LevelAt, p.LevelVoid); err != nil {
			return fmt.Errorf("keep tool: %w", err)
		}
	}
	if len(e.Drop)+len(e.Put) > 0 {
		if _, err := t.Exec(`DELETE FROM tool_texts WHERE hash NOT IN
			(SELECT seen FROM tool_pins UNION SELECT pinned FROM tool_pins UNION SELECT launch FROM tool_pins UNION SELECT seen_text FROM tool_pins UNION SELECT pinned_text FROM tool_pins)`); err != nil {
			return fmt.Errorf("forget tools: %w", err)
		}
	}
	for _, entry := range e.Entries {
		if err := t.Append(entry, nil); err != nil {
			return err
		}
	}
	if err := changeRules(t, e.Rules); err != nil {
		return fmt.Errorf("edit tools: %w", err)
	}
	if !e.Judge {
		return nil
	}
	if _, err := newPolicy(t); err != nil {
		return fmt.Errorf("edit tools: %w", err)
	}
	return nil
}
