package risk

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// TestWhatNamesAFileIsPinned: a rule that is proposed for a call leaves no member free
// under which this room looks for a file.
func TestWhatNamesAFileIsPinned(t *testing.T) {
	server := "fs"
	for _, word := range slices.Concat(fileWords, wideWords) {
		for _, key := range []string{word, "new_" + word, word + "_path", "old" + strings.ToUpper(word[:1]) + word[1:], "data_" + word} {
			input, err := json.Marshal(map[string]string{"notebook_path": "/work/sub/a", key: "/work/sub/b"})
			if err != nil {
				t.Fatal(err)
			}
			call := permission.PastCall{ServerID: &server, ToolName: "x", Input: input, Risk: permission.RiskMedium}
			for _, p := range advice.Choices(policy.Compile(nil, 0), call, nil, 1) {
				if p.Covers.Code != permission.CoversTool && !strings.Contains(*p.Rule.Condition, "input."+key) {
					t.Errorf("%s is free: %s", key, *p.Rule.Condition)
				}
			}
		}
	}
	for _, word := range textWords {
		key := "file_" + word
		call := permission.PastCall{ServerID: &server, ToolName: "x", Input: json.RawMessage(`{"path":"/work/sub/a","` + key + `":"x"}`),
			Risk: permission.RiskMedium}
		if list := advice.Choices(policy.Compile(nil, 0), call, nil, 1); strings.Contains(*list[0].Rule.Condition, key) {
			t.Errorf("%s is pinned: %s", key, *list[0].Rule.Condition)
		}
	}
}
