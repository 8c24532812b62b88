package terminal

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestJSONHidesNothing from a person who reads it, and means what it meant.
func TestJSONHidesNothing(t *testing.T) {
	const raw = "{\"b\":\"rm \u202e\u2066x\u009b31m\u200b\u007f\U000e0041\", \"a\":\"漢é😀 <&>\",\"n\":9007199254740993}"
	var out strings.Builder
	if err := writeJSON(&out, json.RawMessage(raw)); err != nil {
		t.Fatal(err)
	}
	for _, r := range out.String() {
		if r != '\n' && !seen(r) {
			t.Errorf("%U is printed:\n%s", r, &out)
		}
	}
	for _, want := range []string{`"rm \u202e\u2066x\u009b31m\u200b\u007f\udb40\udc41"`, `"漢é😀 <&>"`, "9007199254740993"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("without %s:\n%s", want, &out)
		}
	}
	var before, after any
	if err := json.Unmarshal([]byte(raw), &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out.String()), &after); err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("%v: %v, want %v", err, after, before)
	}
}
