package gateway

import "testing"

// TestAListIsNarrowedToWhatMayBeUsed: by every name that a client could read in an entry, and
// without a word of the others. What is left is as it was written.
func TestAListIsNarrowedToWhatMayBeUsed(t *testing.T) {
	may := func(tool string) bool { return tool == "a" || tool == "é" }
	for _, c := range [][2]string{
		{`{"tools":[{"name":"a"},{"name":"b","inputSchema":{"enum":["x"]}}],"nextCursor":"c"}`, `{"tools":[{"name":"a"}],"nextCursor":"c"}`},
		{`{"tools":[ {"name" : "a", "big":9007199254740993} ]}`, `{"tools":[{"name" : "a", "big":9007199254740993}]}`},
		{`{"tools":[{"name":"b"}]}`, `{"tools":[]}`},
		{`{"tools":[]}`, `{"tools":[]}`},
		{`{"tools":[{"name":"a","Name":"b"},{"name":"b","name":"a"},{"NAME":"b"},{"title":"x"},{"name":1},7]}`, `{"tools":[]}`},
		{`{"tools":[{"name":"\u00e9"},{"name":"A"},{"name":"a "}]}`, `{"tools":[{"name":"\u00e9"}]}`},
		{`{"Tools":[{"name":"b"}],"tools":[{"name":"a"}]}`, `{"Tools":[],"tools":[{"name":"a"}]}`},
		{`{"tools":{"name":"b"}}`, `{"tools":[]}`},
		{`{"cacheScope":"public","ttlMs":9,"tools":[{"name":"a"}]}`, `{"cacheScope":"private","ttlMs":0,"tools":[{"name":"a"}]}`},
		{`[{"name":"b"}]`, `{"tools":[]}`},
	} {
		if got := string(narrowed([]byte(c[0]), may)); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}
