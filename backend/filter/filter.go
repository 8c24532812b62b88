// Package filter reads programs of awk, sed and jq: whether they do more than compare and print what they are given.
package filter

import (
	"regexp"
	"strings"
)

// sedCommands is a script of sed that only prints: no command of it writes, reads a file
// or runs anything.
var sedCommands = func() *regexp.Regexp {
	const address = `(\d+|\$|/([^/\\\n]|\\.)*/I?)`
	subst := make([]string, 0, 6)
	for _, d := range []string{"/", `\|`, "#", ",", ":", "@"} {
		body := `([^` + d + `\\\n]|\\.)*`
		subst = append(subst, d+body+d+body+d)
	}
	command := `(` + address + `(,(` + address + `|[+~]?\d+))?)?\s*!?\s*` +
		`([pdDPgGhHnNxlz=]|q\d*|[sy](` + strings.Join(subst, "|") + `)[gpiIm0-9]*)?`
	return regexp.MustCompile(`^\s*` + command + `([\s;{}]+` + command + `)*\s*$`)
}()

// SedPrints reports whether a script of sed only prints.
func SedPrints(text string) bool { return len(text) < 4096 && sedCommands.MatchString(text) }

// loading is what reads files or the environment in a program of jq or yq.
var loading = regexp.MustCompile(`\b(import|include|input_filename|modulemeta|(str|xml|props|base64|csv|tsv|json|yaml|toml|uri)?load\w*|strenv|envsubst|eval)\b|` +
	`\$ENV|(^|[^.\w"$])env\b\s*([^:\w]|$)`)

// JqLoads reports whether a program of jq or yq reads more than its input.
func JqLoads(text string) bool { return loading.MatchString(text) }

// StringsIn gives the strings of a program in any language: where they begin and end, quotes
// included.
func StringsIn(source string, found func(start, end int)) {
	left := 4 * len(source) // quotes without end are looked behind again and again
	for i := 0; i < len(source) && left > 0; i++ {
		quote := source[i]
		if quote != '"' && quote != '\'' && quote != '`' {
			continue
		}
		end := i + 1
		for end < len(source) && source[end] != quote && (quote == '`' || source[end] != '\n') {
			if source[end] == '\\' && quote != '`' && end+1 < len(source) && source[end+1] != '\n' {
				end++
			}
			end++
		}
		if left -= end - i; end < len(source) && source[end] == quote {
			found(i, end+1)
			i = end
		}
	}
}
