// Package learn says what rules would have made of the calls in a history: how many would
// have asked, which of these are dangerous, which few rules would have answered the others,
// and what the permission lists of the programs that wrote it would let pass. It judges by
// package policy and package risk alone, keeps no call longer than it counts, and writes
// nothing.
package learn
