package show

import (
	"testing"

	"sekisho/backend/permission"
)

func TestToolShowsWhatChanged(t *testing.T) {
	kept := permission.KeptTool{ServerID: "fs", ToolName: "read", Back: true,
		Before: permission.ToolText{Hash: "1", Text: "a\nb\n"}, After: permission.ToolText{Hash: "2", Text: "a\nc\n", Cut: true},
		LaunchBefore: permission.ToolText{Hash: "3", Text: "npx\n"}, LaunchAfter: permission.ToolText{Hash: "4", Text: "npx\nx\n"}}
	for change, shown := range map[permission.ToolChange][2]bool{"": {}, permission.ChangedDefinition: {true, false},
		permission.ChangedLaunch: {false, true}, permission.ChangedBoth: {true, true}} {
		kept.Change = change
		look := Tool(kept)
		if look.ServerID != "fs" || look.ToolName != "read" || look.Changed != change ||
			look.Shown != (permission.ShownTool{Definition: "2", Launch: "4", Back: true}) || !look.Back || (look.Definition != nil) != shown[0] ||
			(look.Launch != nil) != shown[1] {
			t.Errorf("%q: %+v", change, look)
		}
		if d := look.Definition; d != nil && (d.Before != "1" || d.After != "2" || !d.Cut || d.Added != 1 || d.Removed != 1 ||
			len(d.Lines) != 3) {
			t.Errorf("%q: %+v", change, d)
		}
		if d := look.Launch; d != nil && (d.Before != "3" || d.After != "4" || d.Cut || d.Added != 1 || d.Removed != 0) {
			t.Errorf("%q: %+v", change, d)
		}
	}
}
