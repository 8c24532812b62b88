package sqlite

import (
	"context"
	"testing"

	"sekisho/backend/permission"
)

func TestToolsAreKept(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := opened(t, dir)
	pin := permission.ToolPin{ServerID: "fs", ToolName: "read", Seen: "h", Pinned: "h", Launch: "l"}
	if pins, err := s.ToolPins(ctx); err != nil || len(pins) != 0 {
		t.Errorf("%+v %v", pins, err)
	}
	if _, err := s.EditTools(ctx, permission.Versions{}, permission.ToolEdit{Put: []permission.ToolPin{pin},
		Texts: []permission.ToolText{{Hash: "h", Text: "x"}}}); err != nil {
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
