package risk

import (
	"cmp"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/spoof"
)

// names judges the names of a call, and what its server says of the tool: a name that
// could be taken for another one, and unless a person set the level, the verbs of the
// tool's name as it looks to a reader.
func (j *judge) names() {
	for _, name := range []string{j.Tool, j.Server} {
		if deceivingName(name) || j.Tool == "" {
			j.add(permission.RiskHigh, permission.RiskDeceivingName, permission.Param("name", short(name)), nil)
		}
	}
	if j.Level != nil {
		return
	}
	if j.Hint {
		j.add(permission.RiskHigh, permission.RiskHint, "", nil)
	}
	words := split(spoof.LooksLike(j.Tool))
	for i, word := range words {
		verb, known := verbs[word]
		if known && !harmless(verb, words, i) {
			j.add(permission.RiskHigh, permission.RiskNameDestroys, permission.Param("verb", verb), nil)
		}
		if verb, known := outwardVerbs[word]; known && outgoing(verb, words, i) || slices.Contains(talks, word) && begun(words, i) {
			j.add(permission.RiskHigh, permission.RiskNameSends, permission.Param("verb", cmp.Or(verb, words[0])), nil)
		}
		if actsFor(words, i) {
			j.add(permission.RiskHigh, permission.RiskNameSends, permission.Param("verb", words[i]), nil)
		}
		switch verb, effects := ofProgram(words, i); {
		case effects.Has(command.Destroys) && verbs[verb] == "":
			j.add(permission.RiskHigh, permission.RiskNameDestroys, permission.Param("verb", verb), nil)
		case effects.Has(command.Sends) && verbs[verb] == "":
			j.add(permission.RiskHigh, permission.RiskNameSends, permission.Param("verb", cmp.Or(outwardVerbs[verb], verb)), nil)
		}
	}
}

// deceivingName reports whether a name has characters that nobody sees or that pass for
// others, or outer blanks.
func deceivingName(name string) bool {
	return strings.TrimSpace(name) != name || name == "." || name == ".." || len(name) > permission.MaxNameBytes ||
		len(spoof.HiddenInName(name)) > 0 || len(spoof.LookAlikesInName(name)) > 0
}
