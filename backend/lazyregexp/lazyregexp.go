// Package lazyregexp compiles regular expressions when they are first used. Those of a
// program took longer than all else of ours before main, and a run of it uses few of them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression as package regexp has it, with the methods that are
// needed. Goroutines may share it.
type Regexp struct{ compiled func() *regexp.Regexp }

// made are all of the program, for the test that compiles them.
var made []*Regexp

// New makes a Regexp for a variable of a package. One that is wrong panics when it is first used.
func New(text string) *Regexp {
	r := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
	made = append(made, r)
	return r
}

func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

func (r *Regexp) ReplaceAllString(s, by string) string { return r.compiled().ReplaceAllString(s, by) }

func (r *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, by)
}
