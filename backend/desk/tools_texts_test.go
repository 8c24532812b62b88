package desk_test

import (
	"errors"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// TestShownTextsTestify: what another hand makes of a kept definition is shown to nobody as
// the server's, and cannot be accepted, until the server has said it again. A cut text is
// held against what was kept of it.
func TestShownTextsTestify(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	for name, texts := range map[string][2]string{
		"before": {`UPDATE tool_texts SET text = replace(text, 'good', 'evil')`, ""},
		"after":  {`UPDATE tool_texts SET text = replace(text, 'evil', 'good')`, ""},
		"cut":    {`UPDATE tool_texts SET text = replace(text, 'evil', 'good') WHERE cut = 1`, long},
		"gone":   {`DELETE FROM tool_texts WHERE text LIKE '%evil%'`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			h := openAt(t, dir)
			h.install("npx")
			good, evil := `{"description":"good","name":"read_file"}`, `{"description":"evil","name":"read_file","z":"`+texts[1]+`"}`
			h.saw(good)
			h.rule(permission.Allow, "read_*")
			server := "filesystem"
			r := h.request("read_file")
			r.ServerID = &server
			h.askAll(r)
			h.saw(evil)
			h.close()
			meddled(t, dir, texts[0])
			h = openAt(t, dir)
			defer h.close()
			k, err := h.Tool(ctx, server, "read_file")
			if err != nil || k.Change != permission.ChangedDefinition || k.After.Hash == k.Before.Hash {
				t.Fatalf("%+v, %v", k, err)
			}
			if strings.Contains(k.After.Text, "good") || strings.Contains(k.Before.Text, "evil") {
				t.Errorf("shown as the server's: %.200s\n%.200s", k.Before.Text, k.After.Text)
			}
			seen := permission.SeenTool{Definition: &k.After.Hash, Launch: &k.LaunchAfter.Hash, Back: &k.Back}
			if _, err := h.AcceptTool(ctx, server, "read_file", seen); !errors.Is(err, &permission.Error{Code: permission.CodeUnavailable}) {
				t.Errorf("accepted, and another one was shown: %v", err)
			}
			if _, err := h.AcceptTool(ctx, server, "read_file", permission.SeenTool{}); err == nil {
				t.Error("accepted by name")
			}
			if name == "before" {
				return // its server says something else by now
			}
			h.saw(evil)
			if k, err = h.AcceptTool(ctx, server, "read_file", seen); err != nil || k.Change != "" || !strings.Contains(k.After.Text, "evil") ||
				k.After.Cut != (name == "cut") {
				t.Errorf("said again: %.200s %v", k.After.Text, err)
			}
		})
	}
}

// TestFlagsOfWhatWasCut: what deceives behind the end of a kept text is known after a
// restart.
func TestFlagsOfWhatWasCut(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	h.install("npx")
	h.saw(`{"description":"` + strings.Repeat("x", 300<<10) + `","name":"read","z":"a\u200bb"}`)
	want := h.FlaggedTools("filesystem")
	h.close()
	h = openAt(t, dir)
	defer h.close()
	if got := h.FlaggedTools("filesystem"); len(want) != 1 || len(got) != 1 || len(got[0].Flags) != len(want[0].Flags) {
		t.Errorf("%+v, %+v after a restart", want, got)
	}
}

// TestOlderTextsStand: a definition that an older desk kept under its own hash is shown and
// accepted, and is held against that hash.
func TestOlderTextsStand(t *testing.T) {
	for name, damage := range map[string]string{"whole": "", "damaged": `UPDATE tool_texts SET text = replace(text, 'later', 'first')`} {
		dir := t.TempDir()
		h := openAt(t, dir)
		h.install("npx")
		h.saw(`{"name":"read","description":"first"}`)
		h.rule(permission.Allow, "*")
		h.wantAllowed("read")
		h.saw(`{"name":"read","description":"later"}`)
		h.close()
		for _, of := range []string{"seen", "pinned"} {
			meddled(t, dir, "UPDATE tool_texts SET hash = (SELECT "+of+" FROM tool_pins) WHERE hash = (SELECT "+of+"_text FROM tool_pins)")
		}
		meddled(t, dir, "UPDATE tool_pins SET seen_text = '', pinned_text = ''")
		if damage != "" {
			meddled(t, dir, damage)
		}
		h = openAt(t, dir)
		list, err := h.Differences(ctx)
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v %v", list, err)
		}
		if _, err := h.Settle(ctx, []string{list[0].ID}, permission.VersionTable); err != nil {
			t.Fatal(err)
		}
		if _, err := h.AcceptTool(ctx, "filesystem", "read", permission.SeenTool{}); (err == nil) != (damage == "") {
			t.Errorf("%s: %v", name, err)
		}
		h.close()
	}
}
