package show

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// replay makes the second list out of the first one and the blocks.
func replay(a, b lines, found []block) (out string, changes int) {
	at := 0
	var text strings.Builder
	copied := func(l lines, from, to int) { text.WriteString(l.text[l.start[from]:l.start[to]]) }
	for _, f := range found {
		copied(a, at, f.a)
		copied(b, f.b, f.bEnd)
		at, changes = f.aEnd, changes+f.aEnd-f.a+f.bEnd-f.b
	}
	copied(a, at, a.len())
	return text.String(), changes
}

// fewest is the length of a shortest difference, by the plain table.
func fewest(a, b lines) int {
	row := make([]int, b.len()+1)
	for i := range a.len() {
		diagonal := 0
		for j := range b.len() {
			next := row[j+1]
			if a.at(i) == b.at(j) {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = next
		}
	}
	return a.len() + b.len() - 2*row[b.len()]
}

func TestBlocksAreAShortestDifference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := func(n, kinds int) lines {
		text := ""
		for range r.IntN(n + 1) {
			text += string(rune('a'+r.IntN(kinds))) + "\n"
		}
		return cut(text)
	}
	for i := range 20_000 {
		n, kinds := 1+i%24, 1+i%5
		a, b := some(n, kinds), some(n, kinds)
		found := blocks(a, b)
		got, changes := replay(a, b, found)
		if got != b.text {
			t.Fatalf("%q and %q: %v makes %q", a.text, b.text, found, got)
		}
		if want := fewest(a, b); changes != want {
			t.Fatalf("%q and %q: %d changes by %v, the fewest are %d", a.text, b.text, changes, found, want)
		}
		for j := 1; j < len(found); j++ {
			if found[j].a <= found[j-1].aEnd || found[j].b <= found[j-1].bEnd {
				t.Fatalf("%q and %q: blocks touch: %v", a.text, b.text, found)
			}
		}
	}
}

// Beyond the bound a difference may be long, but never wrong.
func TestTheWorkIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	shuffled := func() lines {
		var text strings.Builder
		for range 200_000 {
			fmt.Fprintln(&text, r.IntN(1000))
		}
		return cut(text.String())
	}
	a, b := shuffled(), shuffled()
	start := time.Now()
	found := blocks(a, b)
	t.Logf("%d blocks in %v", len(found), time.Since(start))
	if got, _ := replay(a, b, found); got != b.text {
		t.Error("the difference is wrong")
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

// text writes a difference as a reader of patches knows it.
func (d difference) text() string {
	var b strings.Builder
	for _, l := range d.lines {
		end := map[permission.Ending]string{"": "", permission.EndingCRLF: " <crlf>", permission.EndingNone: " <none>"}[l.Ending]
		switch l.Kind {
		case permission.LineGap:
			fmt.Fprintf(&b, "... %d\n", l.Count)
		default:
			mark := map[permission.LineKind]string{permission.LineSame: " ", permission.LineAdded: "+", permission.LineRemoved: "-"}[l.Kind]
			fmt.Fprintf(&b, "%s%d,%d %s%s\n", mark, l.Old, l.New, l.Text, end)
		}
	}
	return b.String()
}
