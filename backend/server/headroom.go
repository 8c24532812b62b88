package server

import "strings"

// headroom is how many bytes a desk's heap may grow by before garbage is collected,
// whatever it holds.
const headroom = 16 << 20

// Headroom is memory that is reserved and never touched: it costs addresses, and no
// pages. The garbage collector lets a heap double before it collects. That of a desk is
// small, some 4 MB, so that it would collect several times a second under load, each
// time beside the calls (a quarter of what suspending costs). A higher GOGC would do the
// same, but for every heap: one that 100 MB of inputs are held in shall not grow to five
// times that. Whoever calls it keeps what it gives: a builder, since make clears memory
// of which any part was in use before, and so touches all of it.
func Headroom() *strings.Builder {
	b := new(strings.Builder)
	b.Grow(headroom)
	return b
}
