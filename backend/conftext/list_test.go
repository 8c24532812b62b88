package conftext

import (
	"reflect"
	"strings"
	"testing"
)

var listItem = Object{{"matcher", "*"}, {"hooks", List{Object{{"command", "ask"}, {"timeout", 660}}}}}

func isAsk(item any) bool {
	m, _ := item.(map[string]any)
	return m["command"] == "ask"
}

// TestAppendKeepsTheRest: an item goes to the end of its list, laid out as the file is, and
// what was there before stays byte for byte; dropping it gives the values of before.
func TestAppendKeepsTheRest(t *testing.T) {
	both := Dialect{Comments: true, TrailingCommas: true}
	for _, c := range []struct{ src, want string }{
		{`{}`, "{\n  \"hooks\": {\n    \"Pre\": [\n      {\n        \"matcher\": \"*\",\n        \"hooks\": [\n          {\n            \"command\": \"ask\",\n            \"timeout\": 660\n          }\n        ]\n      }\n    ]\n  }\n}"},
		{`{ "a": 1 }`, `{ "a": 1, "hooks": { "Pre": [ { "matcher": "*", "hooks": [ { "command": "ask", "timeout": 660 } ] } ] } }`},
		{"{ \"hooks\": { \"Pre\": [\n  \"theirs\"\n] } }", ""},
		{"{\n  \"a\": [{\"b\": 1}], \"hooks\": {\"Pre\": [{\"c\": 1}]}\n}\n", "{\n  \"a\": [{\"b\": 1}], \"hooks\": {\"Pre\": [{\"c\": 1}, { \"matcher\": \"*\", \"hooks\": [ { \"command\": \"ask\", \"timeout\": 660 } ] }]}\n}\n"},
		{"{\r\n\t\"hooks\": {}, // mine\r\n\t\"b\": [1,],\r\n}\r\n", ""},
		{"{\n  \"hooks\": {\n    \"Pre\": [\n      {\"hooks\": [{\"command\": \"other\"}]}, // theirs\n    ],\n    \"Post\": []\n  }\n}\n", ""},
		{"{\n  \"hooks\": { \"Pre\": [] }\n}\n", ""},
		{"{\"hooks\":{\"Pre\":[{\"matcher\":\"x\",\"hooks\":[{\"command\":\"other\"}]}]},\"z\":null}", ""},
	} {
		got, err := Append(c.src, both, []string{"hooks", "Pre"}, listItem)
		if err != nil || c.want != "" && got != c.want {
			t.Errorf("%q: %v\n%s", c.src, err, got)
			continue
		}
		before, _ := Read(c.src, both)
		after, err := Read(got, both)
		if err != nil {
			t.Fatalf("%q: %v\n%s", c.src, err, got)
		}
		list, _ := At(after.Root, []string{"hooks", "Pre"}).([]any)
		if len(list) == 0 || !reflect.DeepEqual(list[len(list)-1], Decoded(listItem)) {
			t.Errorf("%q: the last item is not ours:\n%s", c.src, got)
		}
		for _, line := range strings.Split(c.src, "\n") {
			if word := strings.TrimSpace(line); strings.Contains(word, "//") && !strings.Contains(got, word[strings.Index(word, "//"):]) {
				t.Errorf("%q: a comment is gone:\n%s", c.src, got)
			}
		}
		back, err := Drop(got, both, []string{"hooks", "Pre"}, "hooks", isAsk)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(back, both)
		if err != nil {
			t.Fatalf("%q: dropped: %v\n%s", c.src, err, back)
		}
		if list, _ := At(before.Root, []string{"hooks", "Pre"}).([]any); len(list) > 0 && !reflect.DeepEqual(again.Root, before.Root) {
			t.Errorf("%q: dropped is\n%s", c.src, back)
		}
		if strings.Contains(back, "ask") {
			t.Errorf("%q: it is still there:\n%s", c.src, back)
		}
	}
}

// TestDropLeavesOthersInAGroup: of a group that has others' items too only ours goes.
func TestDropLeavesOthersInAGroup(t *testing.T) {
	src := `{"hooks":{"Pre":[{"matcher":"*","hooks":[{"command":"ask"},{"command":"other"}]},{"hooks":[{"command":"ask"}]}],"Post":[1]}}`
	got, err := Drop(src, Dialect{}, []string{"hooks", "Pre"}, "hooks", isAsk)
	if want := `{"hooks":{"Pre":[{"matcher":"*","hooks":[{"command":"other"}]}],"Post":[1]}}`; err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	for _, src := range []string{`{"hooks":[]}`, `{"hooks":{"Pre":{}}}`, `[]`} {
		if got, err := Append(src, Dialect{}, []string{"hooks", "Pre"}, "x"); err == nil {
			t.Errorf("%s became %s", src, got)
		}
	}
}
