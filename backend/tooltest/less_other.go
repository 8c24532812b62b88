//go:build !linux

package tooltest

// Begin comes before all else in the main function of a test's program. On Linux there are machines that allow
// less than this one.
func Begin() {}
