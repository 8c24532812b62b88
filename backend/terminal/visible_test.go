package terminal

import (
	"encoding/json"
	"errors"
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

// TestAComplaintIsOurs: what others wrote of an error begins no line, and a terminal obeys none of it.
func TestAComplaintIsOurs(t *testing.T) {
	hostile := errors.New("open \x1b[2J\u202e\x9b31m\nsekisho: done\r\ntoken\u200b: \u9b31\u00db")
	for locale, want := range map[string]string{
		"C.UTF-8": "sekisho: open ⟦U+001B⟧[2J⟦U+202E⟧\ufffd31m\n  sekisho: done⟦U+000D⟧\n  token⟦U+200B⟧: 鬱Û\n",
		"C":       "sekisho: open [U+001B][2J[U+202E][U+FFFD]31m\n  sekisho: done[U+000D]\n  token[U+200B]: [U+9B31][U+00DB]\n",
	} {
		t.Setenv("LC_ALL", locale)
		if got := Complaint("sekisho", hostile); got != want {
			t.Errorf("%s: %q, want %q", locale, got, want)
		}
	}
}

// TestATabIsAsWideAsATerminalMakesIt, so that what follows it does not begin a line of the terminal's.
func TestATabIsAsWideAsATerminalMakesIt(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	for line := range strings.SplitSeq(folded(strings.Repeat("\tx", 40), 20), "\n") {
		at := 0
		for _, r := range line {
			if at++; r == '\t' {
				at += (tabStop - at%tabStop) % tabStop
			}
		}
		if at > 20 {
			t.Errorf("%q takes %d columns", line, at)
		}
	}
}
