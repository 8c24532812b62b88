package shell

import (
	"strings"
	"unicode/utf16"
)

// Units counts the UTF-16 units before a byte of a text.
func Units(text string) func(int) int {
	ascii := strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 })
	if ascii < 0 {
		return func(at int) int { return at }
	}
	before := make([]int, len(text)+1)
	units, next := 0, 0
	for i, r := range text {
		for ; next <= i; next++ {
			before[next] = units
		}
		units += utf16.RuneLen(r)
	}
	for ; next <= len(text); next++ {
		before[next] = units
	}
	return func(at int) int { return before[at] }
}
