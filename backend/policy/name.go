package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"sekisho/backend/permission"
)

// nameIssue says what is wrong with a call's names, or nil if nothing is. A name that a
// person could misread, or that slips past a pattern unseen, must not be allowed by a
// rule (CONTRACT section 2, bad names).
func nameIssue(c Call) *permission.Explanation {
	if issue := BadThing(&c); issue != nil {
		return issue
	}
	if c.ServerID == nil {
		return nil
	}
	return BadServer(*c.ServerID)
}

// BadServer says what is wrong with the name of a server, or nil.
func BadServer(name string) *permission.Explanation {
	return of(`{"name":"server"}`, "the server name ", BadName(name))
}

// BadThing says what is wrong with the name of the tool or prompt or the URI that a call
// is about, or nil.
func BadThing(c *Call) *permission.Explanation {
	switch {
	case permission.AboutResource(c.Method):
		return of(`{"name":"uri"}`, "the URI ", badURI(c.ToolName))
	case c.Method == permission.GetPrompt:
		return of(`{"name":"prompt"}`, "the prompt name ", BadName(c.ToolName))
	}
	return of(`{"name":"tool"}`, "the tool name ", BadName(c.ToolName))
}

// of says whose name has an issue; nil is none.
func of(whose permission.Params, words string, issue *permission.Explanation) *permission.Explanation {
	if issue != nil {
		issue.Params, issue.Reason = whose.With(issue.Params), words+issue.Reason
	}
	return issue
}

// odd is an issue of a name, and oddAt one with a character that it is about.
func odd(code permission.ReasonCode, text string) *permission.Explanation {
	return &permission.Explanation{Code: code, Reason: text}
}

func oddAt(code permission.ReasonCode, text string, r rune) *permission.Explanation {
	at := fmt.Sprintf("U+%04X", r)
	return &permission.Explanation{Code: code, Params: permission.Params(`{"character":"` + at + `"}`), Reason: text + " (" + at + ")"}
}

func overlong(limit int64) *permission.Explanation {
	return &permission.Explanation{Code: permission.ReasonNameTooLong, Params: permission.Param("maxBytes", limit),
		Reason: fmt.Sprintf("is longer than %d bytes", limit)}
}

// BadName says what is wrong with the name of a server, tool or prompt, or nil.
func BadName(name string) *permission.Explanation {
	switch {
	case name == "":
		return odd(permission.ReasonNameEmpty, "is empty")
	case name == "." || name == "..": // an address that ends in it is another address
		return odd(permission.ReasonNamePathStep, "is a step in a path")
	case len(name) > permission.MaxNameBytes:
		return overlong(permission.MaxNameBytes)
	case Plain(name):
		return nil
	case !utf8.ValidString(name):
		return odd(permission.ReasonNameNotUTF8, "is not valid UTF-8")
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	for _, r := range [...]rune{first, last} {
		if unicode.IsSpace(r) {
			return oddAt(permission.ReasonNameOuterBlank, "begins or ends with a blank", r)
		}
	}
	for _, r := range name {
		if code, text := badRune(r); code != "" {
			return oddAt(code, text, r)
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

func badRune(r rune) (code permission.ReasonCode, text string) {
	if code, text = unseen(r); code == "" && scriptsOf(r) == 0 {
		return permission.ReasonNameUnusual, "holds a character that is not for names"
	}
	return code, text
}

// unseen says of a character that nobody sees it.
func unseen(r rune) (code permission.ReasonCode, text string) {
	switch {
	case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp):
		return permission.ReasonNameControl, "holds a control character"
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return permission.ReasonNameInvisible, "holds an invisible character"
	}
	return "", ""
}

// covers are the mixtures of scripts that Highly Restrictive allows (UTS 39 section
// 5.2): Latin with the scripts of one East Asian writing system.
var covers = [...]scripts{latin | jpan, latin | hanb, latin | kore}

// mixture says which letters of a name do not go together at the level Highly
// Restrictive: it must be of one script, or covered by one of the mixtures.
func mixture(name string) *permission.Explanation {
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
	return nil
}

// mixed words a mixture that r ends. It points at the letter that is not ASCII, since
// that is the one which passes for another.
func mixed(before string, r rune) *permission.Explanation {
	other := strings.IndexFunc(before, func(o rune) bool { return scriptsOf(o)&scriptsOf(r) == 0 })
	if other < 0 {
		return oddAt(permission.ReasonNameMixed, "mixes letters of several scripts", r)
	}
	a, _ := utf8.DecodeRuneInString(before[other:])
	if r < utf8.RuneSelf {
		a, r = r, a
	}
	issue := oddAt(permission.ReasonNameTwoScripts, fmt.Sprintf("mixes %s and %s letters", scriptsOf(a), scriptsOf(r)), r)
	issue.Params = issue.Params.With(permission.Param("script", scriptsOf(a).String())).
		With(permission.Param("otherScript", scriptsOf(r).String()))
	return issue
}

// BadPattern says what makes every name of a pattern a bad one, or nil: what a star
// stands for mends nothing.
func BadPattern(written string) *permission.Explanation {
	return of(`{"name":"tool"}`, "the tool name ", badPattern(written))
}

func badPattern(written string) *permission.Explanation {
	if Plain(written) {
		return nil
	}
	literal := strings.ReplaceAll(written, "*", "")
	first, _ := utf8.DecodeRuneInString(written)
	last, _ := utf8.DecodeLastRuneInString(written)
	for _, r := range [...]rune{first, last} {
		if unicode.IsSpace(r) {
			return oddAt(permission.ReasonNameOuterBlank, "begins or ends with a blank", r)
		}
	}
	shared, covered := anyScript, covers
	for _, r := range literal {
		set := scriptsOfAll(r)
		if set == 0 {
			code, text := badRune(r)
			return oddAt(code, text, r)
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
	return nil
}

// scriptsOfAll gives the scripts of a character and of all that are it but for their
// case, or 0 if none of them may be in a name.
func scriptsOfAll(r rune) scripts {
	var all scripts
	for o := unicode.SimpleFold(r); ; o = unicode.SimpleFold(o) {
		if code, _ := badRune(o); code == "" {
			all |= scriptsOf(o)
		}
		if o == r {
			return all
		}
	}
}

// badURI says what is wrong with the URI of a resource, or nil. Unlike names, URIs are
// written in any script.
func badURI(uri string) *permission.Explanation {
	switch {
	case uri == "":
		return odd(permission.ReasonNameEmpty, "is empty")
	case len(uri) > permission.MaxURIBytes:
		return overlong(permission.MaxURIBytes)
	case Plain(uri):
		return nil
	case !utf8.ValidString(uri):
		return odd(permission.ReasonNameNotUTF8, "is not valid UTF-8")
	}
	for _, r := range uri {
		if code, text := unseen(r); code != "" {
			return oddAt(code, text, r)
		}
	}
	letters := []rune(uri)
	for _, r := range [...]rune{letters[0], letters[len(letters)-1]} {
		if unicode.IsSpace(r) {
			return oddAt(permission.ReasonNameOuterBlank, "begins or ends with a blank", r)
		}
	}
	return nil
}
