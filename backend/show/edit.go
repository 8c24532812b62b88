package show

import (
	"fmt"
	"slices"
	"strings"
)

// maxScan bounds the bytes that edits are looked for in.
const maxScan = 256 << 20

// apply makes the edits one after the other. An edit counts only where all tools would
// make the same of it. large: the text grows over what is compared.
func apply(before string, edits []edit) (after string, large bool, d doubt) {
	scanned := 0
	for i, e := range edits {
		if scanned += len(before) + len(e.old); scanned > maxScan {
			return "", false, doubt{"too_many_edits", "these are too many edits to try"}
		}
		if before, large, d = e.apply(before); large || d.code != "" {
			if len(edits) > 1 && d.code != "" {
				d.reason = fmt.Sprintf("edit %d of %d: %s", i+1, len(edits), d.reason)
			}
			return "", large, d
		}
	}
	return before, false, doubt{}
}

// dollars stand for parts of the text that is replaced, to a tool that hands its texts to
// replace of JavaScript.
var dollars = []string{"$$", "$&", "$`", "$'"}

func (e edit) apply(before string) (after string, large bool, d doubt) {
	if strings.Contains(before, "\r\n") && (e.loose || strings.Contains(e.old+e.new, "\n")) {
		return "", false, doubt{"line_ends", "the lines of the file end as in Windows, and tools differ in what they make of that"}
	}
	if e.old == "" {
		if before == "" {
			return e.new, len(e.new) > maxText, doubt{}
		}
		return "", false, doubt{"no_match", "the edit replaces nothing, in a file that is not empty"}
	}
	at := strings.Index(before, e.old)
	switch {
	case at < 0:
		return "", false, doubt{"no_match", "the text to be replaced is not in the file"}
	case e.loose && slices.ContainsFunc(dollars, func(sign string) bool { return strings.Contains(e.new, sign) }):
		return "", false, doubt{"dollars", "the new text has a dollar sign that some tools read as the text that was there"}
	case e.new == "" && !strings.HasSuffix(e.old, "\n") && strings.Contains(before, e.old+"\n"):
		return "", false, doubt{"line_goes", "the text that goes is followed by the end of its line, which some tools take away with it"}
	}
	if !e.all {
		if strings.Contains(before[at+1:], e.old) {
			return "", false, doubt{"many_matches", "the text to be replaced is in the file more than once"}
		}
		after = before[:at] + e.new + before[at+len(e.old):]
		return after, len(after) > maxText, doubt{}
	}
	if grown := len(before) + strings.Count(before, e.old)*(len(e.new)-len(e.old)); grown > maxText {
		return "", true, doubt{}
	}
	return strings.ReplaceAll(before, e.old, e.new), false, doubt{}
}
