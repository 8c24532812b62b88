package joined

import (
	"fmt"
	"strings"
	"testing"
)

func TestURIsInResults(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":[{"type":"text","text":"a://b"}]}`:                                     "",
		`{"content":[{"type":"text","text":"\"uri\""}]}`:                                   "",
		`{"content":[{"uri":"a:\/\/1"},{"resource":{"uri":"a://2"}}]}`:                     "a://1 a://2",
		`{"content":[{"uri":7},7,null,{"resource":"x"},{"uri":"a://1"}]}`:                  "a://1",
		`{"contents":[{"uri":"a://1","text":"x"},{"uri":"a://2","blob":""}]}`:              "a://1 a://2",
		`{"messages":[{"content":{"resource":{"uri":"a://1"}}},{"content":{"uri":"b:"}}]}`: "a://1 b:",
		`{"structuredContent":{"uri":"a://1"}}`:                                            "",
		`["uri"]`:                                                                          "",
		`{"uri"`:                                                                           "",
	} {
		if got := strings.Join(strings.Fields(strings.Join(urisIn([]byte(result)), " ")), " "); got != want {
			t.Errorf("%s: %s", result, got)
		}
	}
}

// FuzzURIsIn: a server's result is whatever it likes.
func FuzzURIsIn(f *testing.F) {
	f.Add([]byte(`{"content":[{"uri":"a://1"}]}`))
	f.Fuzz(func(t *testing.T, result []byte) { urisIn(result) })
}

func TestNamedURIsAreBounded(t *testing.T) {
	var n namedURIs
	if n.has("") {
		t.Error("it begins with one")
	}
	for i := range 3 * maxPlaced {
		n.add(fmt.Sprint("a://", i))
	}
	if newest := fmt.Sprint("a://", 3*maxPlaced-1); len(n.of) != maxPlaced || len(n.order) != maxPlaced || !n.has(newest) || n.has("a://0") {
		t.Errorf("%d URIs are kept, %d in order", len(n.of), len(n.order))
	}
	for i := range maxPlaced {
		n.add(fmt.Sprint(strings.Repeat("x", maxURI-10), i))
	}
	n.add("")
	n.add(strings.Repeat("y", maxURI+1))
	size := 0
	for uri := range n.of {
		size += len(uri)
	}
	if size > maxNamed || size != n.size || n.has("") || n.has(strings.Repeat("y", maxURI+1)) {
		t.Errorf("%d bytes are kept, and counted as %d", size, n.size)
	}
}
