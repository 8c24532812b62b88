package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sekisho/backend/permission"
)

// nameIssue says what is wrong with a call's names, or "" if nothing is. A name that a
// person could misread, or that slips past a pattern unseen, must not be allowed by a
// rule (CONTRACT section 2, bad names).
func nameIssue(c Call) string {
	if issue := BadThing(&c); issue != "" {
		return issue
	}
	if c.ServerID == nil {
		return ""
	}
	if issue := BadName(*c.ServerID); issue != "" {
		return "the server name " + issue
	}
	return ""
}

// BadThing says what is wrong with the name of the tool or prompt or the URI that a call
// is about.
func BadThing(c *Call) string {
	what, issue := "the tool name ", ""
	switch {
	case permission.AboutResource(c.Method):
		what, issue = "the URI ", badURI(c.ToolName)
	case c.Method == permission.GetPrompt:
		what, issue = "the prompt name ", BadName(c.ToolName)
	default:
		issue = BadName(c.ToolName)
	}
	if issue == "" {
		return ""
	}
	return what + issue
}

// BadName says what is wrong with the name of a server, tool or prompt, or "".
func BadName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case name == "." || name == "..": // an address that ends in it is another address
		return "is a step in a path"
	case len(name) > permission.MaxNameBytes:
		return fmt.Sprintf("is longer than %d bytes", permission.MaxNameBytes)
	case Plain(name):
		return ""
	case !utf8.ValidString(name):
		return "is not valid UTF-8"
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	for _, r := range [...]rune{first, last} {
		if unicode.IsSpace(r) {
			return fmt.Sprintf("begins or ends with a blank (U+%04X)", r)
		}
	}
	for _, r := range name {
		if issue := badRune(r); issue != "" {
			return fmt.Sprintf("%s (U+%04X)", issue, r)
		}
	}
	return mixture(name)
}

// Plain reports whether a name is printable ASCII without outer blanks, as nearly all
// names are: nothing more needs to be looked at.
func Plain(name string) bool {
	for i := range len(name) {
		if name[i] < ' ' || name[i] > '~' {
			return false
		}
	}
	return name[0] != ' ' && name[len(name)-1] != ' '
}

func badRune(r rune) string {
	issue := unseen(r)
	if issue == "" && scriptsOf(r) == 0 {
		return "holds a character that is not for names"
	}
	return issue
}

// unseen says of a character that nobody sees it.
func unseen(r rune) string {
	switch {
	case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp):
		return "holds a control character"
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return "holds an invisible character"
	}
	return ""
}

// covers are the mixtures of scripts that Highly Restrictive allows (UTS 39 section
// 5.2): Latin with the scripts of one East Asian writing system.
var covers = [...]scripts{latin | jpan, latin | hanb, latin | kore}

// mixture says which letters of a name do not go together at the level Highly
// Restrictive: it must be of one script, or covered by one of the mixtures.
func mixture(name string) string {
	shared, covered := anyScript, [len(covers)]bool{true, true, true}
	for i, r := range name {
		set := scriptsOf(r)
		shared &= set
		fits := shared != 0
		for j := range covers {
			covered[j] = covered[j] && set&covers[j] != 0
			fits = fits || covered[j]
		}
		if !fits {
			return mixed(name[:i], r)
		}
	}
	return ""
}

// mixed words a mixture that r ends. It points at the letter that is not ASCII, since
// that is the one which passes for another.
func mixed(before string, r rune) string {
	other := strings.IndexFunc(before, func(o rune) bool { return scriptsOf(o)&scriptsOf(r) == 0 })
	if other < 0 {
		return fmt.Sprintf("mixes letters of several scripts (U+%04X)", r)
	}
	a, _ := utf8.DecodeRuneInString(before[other:])
	if r < utf8.RuneSelf {
		a, r = r, a
	}
	return fmt.Sprintf("mixes %s and %s letters (U+%04X)", scriptsOf(a), scriptsOf(r), r)
}

// BadPattern says what makes every name of a pattern a bad one, or "": what a star
// stands for mends nothing.
func BadPattern(written string) string {
	if Plain(written) {
		return ""
	}
	literal := strings.ReplaceAll(written, "*", "")
	first, _ := utf8.DecodeRuneInString(written)
	last, _ := utf8.DecodeLastRuneInString(written)
	for _, r := range [...]rune{first, last} {
		if unicode.IsSpace(r) {
			return fmt.Sprintf("begins or ends with a blank (U+%04X)", r)
		}
	}
	shared, covered := anyScript, covers
	for _, r := range literal {
		set := scriptsOfAll(r)
		if set == 0 {
			return fmt.Sprintf("%s (U+%04X)", badRune(r), r)
		}
		shared &= set
		for i := range covered {
			if covered[i]&set == 0 {
				covered[i] = 0
			}
		}
	}
	if shared == 0 && covered == [len(covers)]scripts{} {
		return mixture(literal)
	}
	return ""
}

// scriptsOfAll gives the scripts of a character and of all that are it but for their
// case, or 0 if none of them may be in a name.
func scriptsOfAll(r rune) scripts {
	var all scripts
	for o := unicode.SimpleFold(r); ; o = unicode.SimpleFold(o) {
		if badRune(o) == "" {
			all |= scriptsOf(o)
		}
		if o == r {
			return all
		}
	}
}

// badURI says what is wrong with the URI of a resource, or "". Unlike names, URIs are
// written in any script.
func badURI(uri string) string {
	switch {
	case uri == "":
		return "is empty"
	case len(uri) > permission.MaxURIBytes:
		return fmt.Sprintf("is longer than %d bytes", permission.MaxURIBytes)
	case Plain(uri):
		return ""
	case !utf8.ValidString(uri):
		return "is not valid UTF-8"
	}
	for _, r := range uri {
		if issue := unseen(r); issue != "" {
			return fmt.Sprintf("%s (U+%04X)", issue, r)
		}
	}
	letters := []rune(uri)
	if i := slices.IndexFunc([]rune{letters[0], letters[len(letters)-1]}, unicode.IsSpace); i >= 0 {
		return "begins or ends with a blank"
	}
	return ""
}
