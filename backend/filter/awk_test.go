package filter_test

import (
	"testing"

	"sekisho/backend/filter"
)

// TestAwkPrints: a program of awk only prints, however its parts look like what opens files and programs, or it does more, however
// that is hidden.
func TestAwkPrints(t *testing.T) {
	for text, want := range map[string]bool{
		"{print ($1 > 5)}": true, "$1 > 5": true, "$1 > 5 { print }": true, "/a|b>/": true, `{ print "a > b | system(1)" }`: true,
		"{ x = $1 / 2 / 3; print x }": true, "$1 ~ /[a-z|>]/ || x": true, "{ print a[$1], length($2) }": true, "{ print } # > f": true,
		"{ if (a > b) print; else print $2 }": true, "BEGIN { OFS=\"|\" }\n{ print $1,\n $2 }": true, "{ print a / 2 \" / \" b > 1 }": false,

		`{ print > "f" }`: false, `{ print >> "f" }`: false, `{ print | "sh" }`: false, `{ print |& "sh" }`: false, `{ print($1) > "f" }`: false,
		`{print /;/ > "f"}`: false, `{print /}/ > "f"}`: false, `/"/ { print "id" | "sh" }`: false, "{print $1,\n$2 > \"f\"}": false,
		"{print $0 \\\n > \"f\"}": false, "{ print # a\n > \"f\" }": false, `{print $1 ~ /[/;]/ > "f"}`: false, `{ system("id") }`: false,
		`{ "id" | getline }`: false, `{ getline x < "f" }`: false, "{ @f() }": false, "{ sys\\\ntem(1) }": false, `{ print "a`: false,
		`{ if (x) /"/ ; print "a" > "f" }`: false, `{ x++ /"/ 2; print "a" > "f" }`: false, `{ print a[1 > 2] }`: false,
		`{ print ENVIRON["A"] }`: false,
		`{ awk::system("id") }`:  false, "{ print (1)(2) > \"f\" }": false, "/a": false, ")": false, "{ print 'a' }": false,
	} {
		if got := filter.AwkPrints(text); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// FuzzAwk: a program that writes is never taken for one that only prints, whatever stands before that.
func FuzzAwk(f *testing.F) {
	for _, seed := range []string{"{print}", "/a/", `"a`, "(", "print", "# a", `\`, "a[", "if (x)", "length"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if more := text + "\n{ print > \"f\" }"; filter.AwkPrints(more) {
			t.Fatalf("%q only prints", more)
		}
	})
}
