package connect

import (
	"fmt"
	"strings"
)

const (
	around      = 3    // lines shown before and after a change
	maxDistance = 2000 // changed lines after which a difference is no longer made small
)

// unified writes the difference of two texts as diff -u does; "" when there is none.
func unified(from, to, a, b string) string {
	if a == b {
		return ""
	}
	steps := script(lines(a), lines(b))
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
	for start := 0; start < len(steps); {
		first := start
		for first < len(steps) && steps[first].op == ' ' {
			first++
		}
		if first == len(steps) {
			break
		}
		end, quiet := first, 0
		for ; end < len(steps) && quiet <= 2*around; end++ {
			if quiet++; steps[end].op != ' ' {
				quiet = 0
			}
		}
		end -= max(0, quiet-around)
		hunk(&out, steps, max(start, first-around), end)
		start = end
	}
	return out.String()
}

// step is one line of a difference: kept, taken away or added.
type step struct {
	op   byte
	line string
}

func hunk(out *strings.Builder, steps []step, start, end int) {
	count := func(steps []step, op byte) (n int) {
		for _, s := range steps {
			if s.op == ' ' || s.op == op {
				n++
			}
		}
		return n
	}
	at := func(op byte) string {
		n, size := count(steps[:start], op), count(steps[start:end], op)
		if size > 0 {
			n++
		}
		return fmt.Sprintf("%d,%d", n, size)
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", at('-'), at('+'))
	for _, s := range steps[start:end] {
		out.WriteByte(s.op)
		out.WriteString(s.line)
		if !strings.HasSuffix(s.line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// lines splits a text, each line with its end.
func lines(text string) []string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// script gives the steps from a to b: what both begin and end with is kept, and what
// lies between is compared.
func script(a, b []string) []step {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var steps []step
	for _, line := range a[:head] {
		steps = append(steps, step{' ', line})
	}
	steps = append(steps, shortest(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, line := range a[len(a)-tail:] {
		steps = append(steps, step{' ', line})
	}
	return steps
}

// shortest finds a shortest script by Myers' greedy search (1986). Texts further apart
// than maxDistance are taken as wholly different.
func shortest(a, b []string) []step {
	n, m := len(a), len(b)
	furthest := map[int]int{1: 0} // x by diagonal
	var trace []map[int]int
	for d := 0; d <= n+m && d <= maxDistance; d++ {
		round := make(map[int]int, d+1)
		for k := -d; k <= d; k += 2 {
			x := furthest[k-1] + 1
			if k == -d || k != d && furthest[k-1] < furthest[k+1] {
				x = furthest[k+1]
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			round[k] = x
			if x >= n && x-k >= m {
				return walk(a, b, append(trace, round))
			}
		}
		trace = append(trace, round)
		furthest = round
	}
	var steps []step
	for _, line := range a {
		steps = append(steps, step{'-', line})
	}
	for _, line := range b {
		steps = append(steps, step{'+', line})
	}
	return steps
}

// walk goes back over the rounds of a search and gives the steps in order.
func walk(a, b []string, trace []map[int]int) []step {
	x, y := len(a), len(b)
	var back []step
	for d := len(trace) - 1; d > 0; d-- {
		before, k := trace[d-1], x-y
		down := k == -d || k != d && before[k-1] < before[k+1]
		from := k - 1
		if down {
			from = k + 1
		}
		fromX := before[from]
		fromY := fromX - from
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			back = append(back, step{' ', a[x]})
		}
		if down {
			y--
			back = append(back, step{'+', b[y]})
		} else {
			x--
			back = append(back, step{'-', a[x]})
		}
	}
	for x > 0 {
		x--
		back = append(back, step{' ', a[x]})
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}
