package sqlite

import (
	"context"
	"maps"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

func TestAnOldFolderKeepsTools(t *testing.T) {
	ctx, dir := context.Background(), oldFolder(t)
	s := opened(t, dir)
	pin := permission.ToolPin{ServerID: "fs", ToolName: "read", Seen: "h", Pinned: "h", Launch: "l"}
	if pins, err := s.ToolPins(ctx); err != nil || len(pins) != 0 {
		t.Errorf("%+v %v", pins, err)
	}
	if _, err := s.EditTools(ctx, permission.ToolEdit{Put: []permission.ToolPin{pin}, Texts: []permission.ToolText{{Hash: "h", Text: "x"}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opened(t, dir)
	if pins, err := s.ToolPins(ctx); err != nil || len(pins) != 1 || pins[0] != pin {
		t.Errorf("%+v %v", pins, err)
	}
	if texts, err := s.ToolTexts(ctx, []string{"h"}); err != nil || texts["h"].Text != "x" {
		t.Errorf("%+v %v", texts, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestHintsOfTheFormatBefore: what is kept of definitions says which tools may destroy.
func TestHintsOfTheFormatBefore(t *testing.T) {
	dir := t.TempDir()
	db := ofFormat(t, dir, 6)
	for hash, text := range map[string]string{
		"yes": "{\n  \"annotations\": {\n    \"destructiveHint\": true\n  }\n}\n", "no": `{"annotations":{"destructiveHint":false}}`,
		"cut": `{"annotations":{"destructiveHint":true`, "two": "{}\n{}\n", "none": `{}`,
	} {
		if _, err := db.Exec("INSERT INTO tool_texts (hash, text, cut) VALUES (?, ?, 0)", hash, text); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]bool{"yes yes": true, "no no": false, "no yes": true, "yes no": true, "cut cut": false, "two two": false, "none gone": false}
	for name := range want {
		seen, pinned, _ := strings.Cut(name, " ")
		if _, err := db.Exec("INSERT INTO tool_pins (server_id, tool_name, seen, pinned, launch, back, withheld) VALUES ('s', ?, ?, ?, 'l', 0, 0)", name, seen, pinned); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	pins, err := opened(t, dir).ToolPins(context.Background())
	got := map[string]bool{}
	for _, p := range pins {
		got[p.ToolName] = p.Destructive
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
}
