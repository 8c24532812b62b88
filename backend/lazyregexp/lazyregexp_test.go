package lazyregexp_test

import (
	"testing"

	"sekisho/backend/lazyregexp"
	_ "sekisho/backend/server" // and with it all rooms that have some
)

// Each expression of the program is compiled here: one that is wrong would panic in the middle of a call.
func TestAllAreRight(t *testing.T) {
	if len(lazyregexp.Made()) < 50 {
		t.Fatalf("%d expressions, where a program has many", len(lazyregexp.Made()))
	}
	for _, r := range lazyregexp.Made() {
		r.MatchString("")
	}
}

func TestMethods(t *testing.T) {
	r := lazyregexp.New(`(\w)(\d)`)
	if !r.MatchString("-a1") || r.FindString("-a1b2") != "a1" || len(r.FindAllString("a1b2c3", 2)) != 2 ||
		r.FindStringSubmatch("a1")[2] != "1" || len(r.FindAllStringSubmatch("a1b2", -1)[1]) != 3 ||
		r.ReplaceAllString("a1", "$2$1") != "1a" || r.ReplaceAllStringFunc("a1", func(string) string { return "x" }) != "x" {
		t.Error("not what package regexp does")
	}
}
