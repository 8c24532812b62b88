// Package shell reads a text as bash does: its syntax, its words, their quotes and their
// braces, and what it computes as a number. It knows no program, and judges nothing.
//
// A text that a plain shell would read in another way, or that is over a bound of the work, has
// an error that says so. A Word says what a program gets, and how much of that every shell would
// agree to.
package shell
