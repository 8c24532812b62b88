//go:build !linux

package tooltest

import "errors"

// special does the words of a setup for which a system other than Linux has none.
func (y *Yard) special(word string, _, _ func(int) string, _ func(int) int) error {
	return errors.ErrUnsupported
}
