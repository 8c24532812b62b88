package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"sekisho/backend/cputime"
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

// repeated gives lines, each as often as is said.
func repeated(lines ...any) string {
	var text strings.Builder
	for i := 0; i < len(lines); i += 2 {
		text.WriteString(strings.Repeat(lines[i].(string)+"\n", lines[i+1].(int)))
	}
	return text.String()
}

// Where one side is short the ways leave the rectangle on its side soon, and the others
// grow longer than in a square.
func TestLopsidedDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	random := func(n, kinds int) string {
		var text strings.Builder
		for range n {
			fmt.Fprintln(&text, r.IntN(kinds))
		}
		return text.String()
	}
	sides := [][2]string{
		{repeated("x", 1, "y", 1), repeated("y", 3000, "x", 3000)}, {repeated("x", 1), repeated("y", 9000, "x", 1, "y", 9000)},
		{repeated("x", 1, "y", 1), repeated("y", 60_000, "x", 60_000)}, {random(300, 3), random(6000, 3)},
	}
	for range 60 {
		sides = append(sides, [2]string{random(1+r.IntN(12), 2+r.IntN(3)), random(r.IntN(9000), 2+r.IntN(3))})
	}
	for i, s := range sides {
		for _, side := range [][2]string{s, {s[1], s[0]}} {
			a, b := cut(side[0]), cut(side[1])
			if got, _ := replay(a, b, blocks(a, b)); got != b.text {
				t.Errorf("case %d, %d and %d lines: the difference is wrong", i, a.len(), b.len())
			}
		}
	}
}

// FuzzLopsided makes two texts out of few kinds of lines, one of them many times as long.
func FuzzLopsided(f *testing.F) {
	f.Add([]byte{0, 1}, []byte{1, 0}, uint16(3000))
	f.Add([]byte{0, 1, 2, 1, 0}, []byte{2, 1, 1, 0, 1}, uint16(2000))
	f.Fuzz(func(t *testing.T, short, long []byte, times uint16) {
		if len(short) > 100 || len(long) > 100 {
			return
		}
		text := func(kinds []byte, times int) lines {
			var b strings.Builder
			for _, kind := range kinds {
				b.WriteString(strings.Repeat(string(rune('a'+kind%4))+"\n", times))
			}
			return cut(b.String())
		}
		a, b := text(short, 1), text(long, int(times%5000))
		for _, side := range [][2]lines{{a, b}, {b, a}} {
			if got, _ := replay(side[0], side[1], blocks(side[0], side[1])); got != side[1].text {
				t.Fatalf("%q and %d times %q: the difference is wrong", short, times, long)
			}
		}
	})
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
	start := cputime.Now()
	found := blocks(a, b)
	t.Logf("%d blocks in %v", len(found), cputime.Since(start))
	if got, _ := replay(a, b, found); got != b.text {
		t.Error("the difference is wrong")
	}
	if took := cputime.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

// FuzzCompare holds differences against both texts: what is shown of each is in it, in
// its place, and what is not shown is counted.
func FuzzCompare(f *testing.F) {
	for _, seed := range [][2]string{{"", ""}, {"a\nb\nc\n", "a\nc\n"}, {"a\r\n", "a\n"}, {"a", "a\n"}, {"\n\n\n\n\n\n\n\n\n", "\n\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		a, b := cut(before), cut(after)
		i, j, added, removed := 0, 0, 0, 0
		is := func(l permission.DiffLine, side lines, at int) bool {
			end := map[permission.Ending]string{"": "\n", permission.EndingCRLF: "\r\n", permission.EndingNone: ""}[l.Ending]
			return at < side.len() && side.at(at) == l.Text+end
		}
		for _, l := range Compare(before, after).Lines {
			good := true
			switch l.Kind {
			case permission.LineGap:
				for range l.Count {
					good = good && i < a.len() && j < b.len() && a.at(i) == b.at(j)
					i, j = i+1, j+1
				}
			case permission.LineSame:
				good = is(l, a, i) && is(l, b, j) && l.Old == i+1 && l.New == j+1
				i, j = i+1, j+1
			case permission.LineRemoved:
				good = is(l, a, i) && l.Old == i+1 && l.New == 0
				i, removed = i+1, removed+1
			case permission.LineAdded:
				good = is(l, b, j) && l.New == j+1 && l.Old == 0
				j, added = j+1, added+1
			}
			if !good {
				t.Fatalf("%q and %q: %+v is not so", before, after, l)
			}
		}
		d := Compare(before, after)
		if len(d.Lines) > MaxLines || before == after {
			return
		}
		if i != a.len() || j != b.len() || added != d.Added || removed != d.Removed || d.More != 0 {
			t.Fatalf("%q and %q: %d of %d, %d of %d lines, %+v", before, after, i, a.len(), j, b.len(), d)
		}
	})
}

// TestUnified holds hunks against what diff -u writes.
func TestUnified(t *testing.T) {
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	for _, c := range []struct{ before, after, want string }{
		{ten, ten, ""}, {"", "", ""}, {"", "a\n", "@@ -0,0 +1,1 @@\n+a\n"}, {"a", "", "@@ -1,1 +0,0 @@\n-a\n\\ No newline at end of file\n"},
		{"a\r\nb", "a\nb", "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n\\ No newline at end of file\n"},
		{ten, "x\n" + ten, "@@ -1,3 +1,4 @@\n+x\n 1\n 2\n 3\n"}, {ten, ten[2:], "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n"},
		{ten, "1\n3\n4\n5\n6\n7\n8\n10\n", "@@ -1,10 +1,8 @@\n 1\n-2\n 3\n 4\n 5\n 6\n 7\n 8\n-9\n 10\n"},
		{ten, "2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -8,3 +7,4 @@\n 8\n 9\n 10\n+11\n"},
	} {
		want := c.want
		if want != "" {
			want = "--- f\n+++ g\n" + want
		}
		if got := Unified("f", "g", c.before, c.after); got != want {
			t.Errorf("%q and %q:\n%s\nnot\n%s", c.before, c.after, got, want)
		}
	}
}
