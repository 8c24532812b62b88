package mcpwire

import (
	"os"
	"strings"
	"testing"

	"sekisho/backend/rawjson"
)

// TestOwnOfNow holds what clients write into _meta against what is known of it.
func TestOwnOfNow(t *testing.T) {
	raw, err := os.ReadFile("testdata/own.txtar")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	_, files, _ := strings.Cut(string(raw), "\n-- ")
	for section := range strings.SplitSeq(files, "\n-- ") {
		name, line, _ := strings.Cut(section, " --\n")
		own, others, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		own, others = strings.TrimSpace(own), strings.TrimSpace(others)
		members, err := rawjson.Members([]byte("{" + strings.Trim(own+","+others, ",") + "}"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		gotOwn, gotOthers := OwnOf(members)
		if got := string(rawjson.Object(gotOwn)); strings.Trim(got, "{}") != strings.Trim(own, "{}") {
			t.Errorf("%s: own is %s, want %s", name, got, own)
		}
		if got := string(rawjson.Object(gotOthers)); strings.Trim(got, "{}") != strings.Trim(others, "{}") {
			t.Errorf("%s: others are %s, want %s", name, got, others)
		}
		for _, m := range gotOwn {
			known[m.Key] = true
		}
	}
	for key := range ownKeys {
		if !known[key] {
			t.Errorf("no call has %s", key)
		}
	}
	for _, long := range []string{strings.Repeat("a", maxOwnID), strings.Repeat("a", maxOwnID+1)} {
		if isID([]byte(`"`+long+`"`)) != (len(long) <= maxOwnID) {
			t.Errorf("an id of %d characters", len(long))
		}
	}
}
