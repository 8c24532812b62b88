package show

import (
	"sekisho/backend/diff"
	"sekisho/backend/permission"
)

// Tool says how a tool differs from what it was when it was allowed.
func Tool(k permission.KeptTool) permission.ToolLook {
	look := permission.ToolLook{ServerID: k.ServerID, ToolName: k.ToolName, Changed: k.Change, Back: k.Back,
		Shown: permission.ShownTool{Definition: k.After.Hash, Launch: k.LaunchAfter.Hash, Back: k.Back}}
	if look.Level = k.Level; k.Level != nil && !k.Level.Void {
		look.Risk = &k.Level.Risk
	}
	if k.Change == permission.ChangedDefinition || k.Change == permission.ChangedBoth {
		look.Definition = texts(k.Before, k.After)
	}
	if k.Change == permission.ChangedLaunch || k.Change == permission.ChangedBoth {
		look.Launch = texts(k.LaunchBefore, k.LaunchAfter)
	}
	return look
}

func texts(before, after permission.ToolText) *permission.TextLook {
	d := diff.Compare(before.Text, after.Text)
	return &permission.TextLook{Before: before.Hash, After: after.Hash, Cut: before.Cut || after.Cut,
		Added: d.Added, Removed: d.Removed, Lines: d.Lines, More: d.More}
}
