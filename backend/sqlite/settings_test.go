package sqlite_test

import (
	"testing"

	"sekisho/backend/permission"
)

// TestSettingsOfAnOlderFolder: what an older desk did not know of is as on a new one.
func TestSettingsOfAnOlderFolder(t *testing.T) {
	defaults := permission.DefaultSettings().Window
	if !defaults.PopUp || !defaults.Sound || defaults.Quiet || defaults.StartHidden || !defaults.CloseToTray || defaults.Autostart {
		t.Errorf("a new desk has %+v", defaults)
	}
	quiet := defaults
	quiet.Quiet = true
	for document, want := range map[string]permission.WindowSettings{
		`{"undoSeconds":7}`:                          defaults,
		`{"undoSeconds":7,"window":null}`:            defaults,
		`{"undoSeconds":7,"window":{}}`:              defaults,
		`{"undoSeconds":7,"window":{"quiet":true}}`:  quiet,
		`{"undoSeconds":7,"window":{"popUp":false}}`: {Sound: true, CloseToTray: true},
	} {
		dir := t.TempDir()
		if err := open(t, dir).Close(); err != nil {
			t.Fatal(err)
		}
		raw(t, dir, `INSERT OR REPLACE INTO settings (id, document) VALUES (1, '`+document+`')`)
		s := open(t, dir)
		got, err := s.Settings(t.Context())
		if err != nil || got.Window != want || got.UndoSeconds != 7 {
			t.Errorf("%s reads as %+v, %v", document, got, err)
		}
	}
}
