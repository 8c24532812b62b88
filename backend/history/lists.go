package history

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sekisho/backend/conftext"
	"sekisho/backend/permission"
)

// settings reads a file of settings; nil where it is not there or cannot be read.
func (t *tree) settings(name string) map[string]any {
	raw := t.whole(name)
	if raw == nil {
		return nil
	}
	doc, err := conftext.Read(string(raw), conftext.Dialect{TOML: strings.HasSuffix(name, ".toml"), Comments: true, TrailingCommas: true})
	if err != nil || doc.Root == nil {
		t.unread(BadFile, t.name(name))
		return nil
	}
	return doc.Root
}

// texts are the strings in a list, or in what is one string.
func texts(v any) (list []string) {
	if s, is := v.(string); is {
		return []string{s}
	}
	all, _ := v.([]any)
	for _, v := range all {
		if s, is := v.(string); is {
			list = append(list, s)
		}
	}
	return list
}

// keys are those of a table, in order.
func keys(v any) []string {
	table, _ := v.(map[string]any)
	return slices.Sorted(maps.Keys(table))
}

// list tells of an entry that a file has.
func (t *tree) list(file string, effect permission.Effect, said string, about About) {
	t.visit.Entry(Entry{Client: t.client, File: t.name(file), Effect: effect, Text: said, About: about})
}

// projectLists reads the settings in the folders that agents have worked in, as far as
// they lie in the home: a path elsewhere may lead to another machine.
func (r *reader) projectLists(ctx context.Context) {
	for _, folder := range slices.Sorted(maps.Keys(r.projects)) {
		if ctx.Err() != nil || !filepath.IsAbs(folder) || !inside(r.places.Home, folder) {
			continue
		}
		if t := r.tree(Claude, filepath.Join(folder, ".claude")); t != nil && t.folder != r.places.Claude {
			t.claudeSettings("settings.json")
			t.claudeSettings("settings.local.json")
			t.close()
		}
		if t := r.tree(Gemini, filepath.Join(folder, ".gemini")); t != nil && t.folder != r.places.Gemini {
			t.geminiSettings("settings.json")
			t.close()
		}
		if t := r.tree(Opencode, folder); t != nil {
			t.opencodeSettings("opencode.json")
			t.opencodeSettings("opencode.jsonc")
			t.close()
		}
	}
}
