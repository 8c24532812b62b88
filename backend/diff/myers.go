package diff

import "math"

// maxWork bounds the steps that one difference may take. Beyond it the lines that are
// still to be told apart count as removed and added, all of them: a difference that is
// longer than it had to be, and none that is wrong.
const maxWork = 1 << 22

// block is a stretch of lines of a in whose place the other side has one of b.
type block struct{ a, aEnd, b, bEnd int }

// blocks gives the stretches in which two lists of lines differ, in order. It is
// E. W. Myers' algorithm in linear space ("An O(ND) Difference Algorithm and Its
// Variations", 1986), after what is easily told is taken away: a common beginning and
// end, and lines that one side alone has.
func blocks(a, b lines) []block {
	head := 0
	for head < a.len() && head < b.len() && a.at(head) == b.at(head) {
		head++
	}
	tail := 0
	for tail < a.len()-head && tail < b.len()-head && a.at(a.len()-1-tail) == b.at(b.len()-1-tail) {
		tail++
	}
	m := newMyers(a.part(head, a.len()-tail), b.part(head, b.len()-tail))
	m.split(0, len(m.a), 0, len(m.b))
	var found []block
	for i, j := 0, 0; i < len(m.gone) || j < len(m.come); {
		at := block{i, i, j, j}
		for at.aEnd < len(m.gone) && m.gone[at.aEnd] {
			at.aEnd++
		}
		for at.bEnd < len(m.come) && m.come[at.bEnd] {
			at.bEnd++
		}
		if at.aEnd > at.a || at.bEnd > at.b {
			found = append(found, block{at.a + head, at.aEnd + head, at.b + head, at.bEnd + head})
		}
		i, j = at.aEnd+1, at.bEnd+1 // the lines behind a block are a pair
	}
	return found
}

// myers marks the lines of two lists that are in no pair.
type myers struct {
	a, b       []int32 // a number for each line, without those that the other list does not have
	aAt, bAt   []int32 // where each of these stands in the whole list
	gone, come []bool

	work              int
	forward, backward []int32 // by diagonal: how far the paths from the ends have come
	middle            int     // where diagonal 0 is
}

func newMyers(a, b lines) *myers {
	ids := map[string]int32{}
	whole := number(ids, a, true)
	other := number(ids, b, false)
	m := &myers{work: maxWork, gone: make([]bool, a.len()), come: make([]bool, b.len())}
	inB := make([]bool, len(ids))
	for _, id := range other {
		if id >= 0 {
			inB[id] = true
		}
	}
	m.a, m.aAt = shared(whole, m.gone, func(id int32) bool { return inB[id] })
	m.b, m.bAt = shared(other, m.come, func(id int32) bool { return id >= 0 })
	// Where one side is short its rim leaves the rectangle soon, and half of the ways of
	// each walk are left: d changes have taken d²/2 steps then.
	reach := min((len(m.a)+len(m.b)+1)/2, int(math.Sqrt(2*maxWork))) + 2
	m.forward, m.backward, m.middle = make([]int32, 2*reach+1), make([]int32, 2*reach+1), reach
	return m
}

// number gives lines their numbers; -1 is one that is not known.
func number(ids map[string]int32, text lines, learn bool) []int32 {
	out := make([]int32, text.len())
	for i := range out {
		line := text.at(i)
		id, known := ids[line]
		switch {
		case known:
		case learn:
			id = int32(len(ids))
			ids[line] = id
		default:
			id = -1
		}
		out[i] = id
	}
	return out
}

// shared keeps the lines that both sides have, with their places, and marks the others.
func shared(ids []int32, alone []bool, both func(int32) bool) (kept, place []int32) {
	kept, place = make([]int32, 0, len(ids)), make([]int32, 0, len(ids))
	for i, id := range ids {
		if both(id) {
			kept, place = append(kept, id), append(place, int32(i))
		} else {
			alone[i] = true
		}
	}
	return kept, place
}

// split finds a point on a shortest way through a rectangle and goes on with the two
// rectangles on its sides.
func (m *myers) split(a, aEnd, b, bEnd int) {
	for a < aEnd && b < bEnd && m.a[a] == m.b[b] {
		a, b = a+1, b+1
	}
	for a < aEnd && b < bEnd && m.a[aEnd-1] == m.b[bEnd-1] {
		aEnd, bEnd = aEnd-1, bEnd-1
	}
	if a < aEnd && b < bEnd {
		if x, y, ok := m.meet(m.a[a:aEnd], m.b[b:bEnd]); ok {
			m.split(a, a+x, b, b+y)
			m.split(a+x, aEnd, b+y, bEnd)
			return
		}
	}
	for ; a < aEnd; a++ {
		m.gone[m.aAt[a]] = true
	}
	for ; b < bEnd; b++ {
		m.come[m.bAt[b]] = true
	}
}

// meet goes forward from the beginning and backward from the end at once, and gives
// the point where the ways meet; not ok: the work is used up, or the ways are longer than
// there is room for.
func (m *myers) meet(a, b []int32) (x, y int, ok bool) {
	ahead := walk{m: m, far: m.forward, a: a, b: b, step: 1}
	back := walk{m: m, far: m.backward, a: a, b: b, step: -1}
	delta := len(a) - len(b)
	for d := 0; m.work > 0 && d < m.middle; d++ {
		if x, y, ok := ahead.advance(d, delta, back.far, delta&1 != 0); ok {
			return x, y, true
		}
		if x, y, ok := back.advance(d, delta, ahead.far, delta&1 == 0); ok {
			return len(a) - x, len(b) - y, true
		}
	}
	return 0, 0, false
}

// walk is the set of furthest ways from one end.
type walk struct {
	m        *myers
	far      []int32
	a, b     []int32
	step     int // -1: from the end
	low, top int // diagonals at the rims that have left the rectangle
}

// same compares the lines after x and y, seen from the end that this walk is from.
func (w *walk) same(x, y int) bool {
	if w.step < 0 {
		return w.a[len(w.a)-1-x] == w.b[len(w.b)-1-y]
	}
	return w.a[x] == w.b[y]
}

// advance makes all ways one change longer: of d changes now. With look, it gives the
// point where one has met a way of the other walk.
func (w *walk) advance(d, delta int, other []int32, look bool) (x, y int, met bool) {
	mid := w.m.middle
	w.far[mid-d-1], w.far[mid+d+1] = -1, -1
	if d == 0 {
		w.far[mid+1] = 0
	}
	for k := -d + w.low; k <= d-w.top; k += 2 {
		if k == -d || k != d && w.far[mid+k-1] < w.far[mid+k+1] {
			x = int(w.far[mid+k+1])
		} else {
			x = int(w.far[mid+k-1]) + 1
		}
		y = x - k
		from := x
		for x < len(w.a) && y < len(w.b) && w.same(x, y) {
			x, y = x+1, y+1
		}
		w.far[mid+k] = int32(x)
		w.m.work -= 1 + x - from
		switch {
		case x > len(w.a):
			w.top += 2
		case y > len(w.b):
			w.low += 2
		case look && w.meets(x, delta-k, d, other):
			return x, y, true
		}
	}
	return 0, 0, false
}

// meets reports whether the other walk has come over diagonal k as far as to x, which
// is seen from this walk's end. Its ways that left the rectangle do not count.
func (w *walk) meets(x, k, d int, other []int32) bool {
	if k < -d || k > d {
		return false
	}
	far := int(other[w.m.middle+k])
	return far >= 0 && far <= len(w.a) && far-k >= 0 && far-k <= len(w.b) && x+far >= len(w.a)
}
