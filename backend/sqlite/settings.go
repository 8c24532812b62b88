package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"sekisho/backend/journal"
	"sekisho/backend/permission"
)

// Settings reads them; the defaults where nothing was said.
func (s *PolicyStore) Settings(ctx context.Context) (permission.Settings, error) {
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

// SaveSettings keeps them. The policy gets a new version too, because holding everything is
// a judgement.
func (s *PolicyStore) SaveSettings(ctx context.Context, of permission.Versions, settings permission.Settings,
	e permission.Entry) (after permission.Versions, err error) {
	document, err := json.Marshal(settings)
	if err != nil {
		return after, fmt.Errorf("save settings: %w", err)
	}
	return edit(ctx, s.base, of, func(t *tx) error { return saveSettings(t, settings, string(document), e) })
}

func saveSettings(t *tx, settings permission.Settings, document string, e permission.Entry) error {
	if err := forgetDenials(t, settings); err != nil {
		return fmt.Errorf("save settings: %w", err)
	}
	if _, err := t.Exec("INSERT OR REPLACE INTO settings (id, document) VALUES (1, ?)", document); err != nil {
		return fmt.Errorf("save settings: %w", err)
	}
	return tellSettings(t, e)
}

func tellSettings(t *tx, e permission.Entry) error {
	if _, err := newPolicy(t); err != nil {
		return fmt.Errorf("save settings: %w", err)
	}
	t.Touch("settings", "1")
	return t.Append(e, nil)
}

// Hold keeps settings of which only that is new whether everything is held. Where the
// stored ones are in dispute that is put into both versions, which stay in dispute: a
// person picks one later, and whichever it is, it holds as was said.
func (s *PolicyStore) Hold(ctx context.Context, of permission.Versions, settings permission.Settings,
	e permission.Entry) (after permission.Versions, err error) {
	document, err := json.Marshal(settings)
	if err != nil {
		return after, fmt.Errorf("hold: %w", err)
	}
	return edit(ctx, s.base, of, func(t *tx) error {
		d, disputed := t.InDispute("settings", "1")
		if !disputed {
			return saveSettings(t, settings, string(document), e)
		}
		if err := holdBoth(t, d, settings.Hold); err != nil {
			return fmt.Errorf("hold: %w", err)
		}
		return tellSettings(t, e)
	})
}

// holdBoth puts a hold, or its end, into both versions of the settings. A version that
// cannot be read holds everything by itself.
func holdBoth(t *tx, d permission.Difference, on bool) error {
	said, _, err := withHold(d.Journal, on)
	if err != nil {
		return err
	}
	t.TellInstead(d, said)
	_, document, err := withHold(d.Table, on)
	if err != nil || document == "" {
		return err
	}
	_, err = t.Exec("INSERT OR REPLACE INTO settings (id, document) VALUES (1, ?)", document)
	return err
}

// withHold is a version of the settings' row with another hold, and its document. What is no
// JSON stays as it is, without a document.
func withHold(row json.RawMessage, on bool) (next json.RawMessage, document string, err error) {
	columns := map[string]json.RawMessage{"id": json.RawMessage("1")}
	if err := journal.UnmarshalRow(row, &columns); err != nil {
		return nil, "", err
	}
	members := map[string]json.RawMessage{}
	if row != nil && (json.Unmarshal(columns["document"], &document) != nil || json.Unmarshal([]byte(document), &members) != nil) {
		return row, "", nil
	}
	members["hold"] = strconv.AppendBool(nil, on)
	raw, err := json.Marshal(members)
	if err != nil {
		return nil, "", err
	}
	columns["document"] = journal.Value(string(raw))
	next, err = json.Marshal(columns)
	return journal.Compact(next), string(raw), err
}

// forgetDenials forgets what was declined when denial memory is switched off. What a
// person wants remembered all the same, later, stays.
func forgetDenials(t *tx, next permission.Settings) error {
	if next.DenialMemory {
		return nil
	}
	_, err := t.Exec(
		"DELETE FROM denials WHERE COALESCE((SELECT json_extract(document, '$.denialMemory') FROM settings WHERE json_valid(document)), 1)")
	return err
}

// newPolicy gives the policy its next version.
func newPolicy(t *tx) (version int64, err error) {
	return version, t.QueryRow("UPDATE policy SET version = version + 1 RETURNING version").Scan(&version)
}
