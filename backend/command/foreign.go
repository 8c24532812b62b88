package command

import "strings"

// foreign says what a line of PowerShell or cmd may do that is grave, by words of it which the
// table knows, and by what it would do as a line of a shell: they know some programs as any does.
func (r *reader) foreign(text string) (effects Effect) {
	between := func(r rune) bool { return strings.ContainsRune(" \t\r\n;|&(){}\"'`=,", r) }
	if strings.ContainsAny(text, "`^") { // which may stand before any letter, and mean nothing there
		effects |= newReader(text).foreign(escapesOfForeign.Replace(text))
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), between) {
		name := strings.TrimSuffix(word[strings.LastIndexAny(word, `\/`)+1:], ".exe")
		if known := programs().rows[name]; known != nil {
			effects |= known.effects
		}
	}
	as := reader{nesting: r.nesting}
	as.text(place{}, text, call{})
	for i := range as.parts {
		effects |= as.parts[i].Effects
	}
	return effects & (Destroys | Sends | Raises)
}

var escapesOfForeign = strings.NewReplacer("`", "", "^", "")
