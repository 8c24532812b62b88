package diff

import (
	"fmt"
	"math"
	"strings"

	"sekisho/backend/permission"
)

// Unified writes the difference of two texts as diff -u does; "" when there is none.
func Unified(from, to, before, after string) string {
	rest := compare(before, after, math.MaxInt).Lines
	if len(rest) == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
	for old, new := 0, 0; len(rest) > 0; {
		if gap := rest[0]; gap.Kind == permission.LineGap {
			old, new, rest = old+gap.Count, new+gap.Count, rest[1:]
			continue
		}
		var lines strings.Builder
		a, b := 0, 0 // lines of this hunk on each side
		for ; len(rest) > 0 && rest[0].Kind != permission.LineGap; rest = rest[1:] {
			l := rest[0]
			mark := " "
			switch l.Kind {
			case permission.LineSame:
				a, b = a+1, b+1
			case permission.LineRemoved:
				mark, a = "-", a+1
			case permission.LineAdded:
				mark, b = "+", b+1
			}
			lines.WriteString(mark + l.Text + ends[l.Ending])
		}
		fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n%s", old+min(a, 1), a, new+min(b, 1), b, &lines)
		old, new = old+a, new+b
	}
	return out.String()
}

var ends = map[permission.Ending]string{"": "\n", permission.EndingCRLF: "\r\n", permission.EndingNone: "\n\\ No newline at end of file\n"}
