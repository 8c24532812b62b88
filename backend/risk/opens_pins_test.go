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
			call := policy.Call{ServerID: &server, ToolName: "x", Input: input}
			pinned := 0
			for _, f := range advice.Widen(policy.Compile(nil, 0), call, permission.RiskHigh, 1) {
				if f.Condition != nil {
					pinned++
					if !strings.Contains(*f.Condition, "input."+key) {
						t.Errorf("%s is free: %s", key, *f.Condition)
					}
				}
			}
			if pinned == 0 {
				t.Errorf("%s: no condition is proposed", key)
			}
		}
	}
	for _, word := range textWords {
		key := "file_" + word
		call := policy.Call{ServerID: &server, ToolName: "x", Input: json.RawMessage(`{"path":"/work/sub/a","` + key + `":"x"}`)}
		if forms := advice.Widen(policy.Compile(nil, 0), call, permission.RiskHigh, 1); strings.Contains(*forms[0].Condition, key) {
			t.Errorf("%s is pinned: %s", key, *forms[0].Condition)
		}
	}
}
