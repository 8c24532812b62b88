package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sekisho/backend/permission"
)

// Settings reads them; the defaults where nothing was said.
func (s *Store) Settings(ctx context.Context) (permission.Settings, error) {
	settings := permission.DefaultSettings()
	var document string
	err := s.reader.QueryRowContext(ctx, "SELECT document FROM settings").Scan(&document)
	if errors.Is(err, sql.ErrNoRows) {
		return settings, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(document), &settings)
	}
	if err == nil {
		err = settings.Valid()
	}
	if err != nil {
		return settings, fmt.Errorf("read settings: %w", err)
	}
	return settings, nil
}

// SaveSettings keeps them. The policy gets a new version, because holding
// everything is a judgement too; it is answered.
func (s *Store) SaveSettings(ctx context.Context, settings permission.Settings, e permission.Entry) (version int64, err error) {
	document, err := json.Marshal(settings)
	if err != nil {
		return 0, fmt.Errorf("save settings: %w", err)
	}
	err = s.write(ctx, func(t *tx) error {
		if err := forgetDenials(t, settings); err != nil {
			return fmt.Errorf("save settings: %w", err)
		}
		if _, err := t.Exec("INSERT OR REPLACE INTO settings (id, document) VALUES (1, ?)", string(document)); err != nil {
			return fmt.Errorf("save settings: %w", err)
		}
		if version, err = newPolicy(t); err != nil {
			return fmt.Errorf("save settings: %w", err)
		}
		t.touch("settings", "1")
		return t.append(e, nil)
	})
	return version, err
}

// forgetDenials forgets what was declined when denial memory is switched off. What a
// person wants remembered all the same, later, stays.
func forgetDenials(t *tx, next permission.Settings) error {
	if next.DenialMemory {
		return nil
	}
	_, err := t.Exec("DELETE FROM denials WHERE COALESCE((SELECT json_extract(document, '$.denialMemory') FROM settings WHERE json_valid(document)), 1)")
	return err
}

// newPolicy gives the policy its next version.
func newPolicy(t *tx) (version int64, err error) {
	return version, t.QueryRow("UPDATE policy SET version = version + 1 RETURNING version").Scan(&version)
}
