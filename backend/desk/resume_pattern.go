package desk

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// forms are the values of enum or const, each in the one form that equal values have.
type forms map[string]bool

func readConst(r *reader, v any) (any, error) { return readEnum(r, []any{v}) }

func readEnum(_ *reader, v any) (any, error) {
	list, _ := v.([]any)
	if len(list) == 0 {
		return nil, errors.New("wants a list of values")
	}
	all, left := forms{}, work(maxWork)
	for _, v := range list {
		all[string(left.form(nil, v))] = true
	}
	return all, nil
}

// A matcher is a pattern; for each byte that it looks at it may go through all its
// instructions.
type matcher struct {
	*regexp.Regexp
	instructions int
}

func readPattern(r *reader, v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		return nil, errors.New("wants a pattern")
	}
	return r.pattern(text)
}

func (r *reader) pattern(text string) (matcher, error) {
	if r.patterns++; r.patterns > maxPatterns {
		return matcher{}, fmt.Errorf("more than %d patterns in one schema", maxPatterns)
	}
	if r.patternText += len(text); r.patternText > maxPatternText {
		return matcher{}, fmt.Errorf("more than %d bytes of patterns in one schema", maxPatternText)
	}
	if caseless(text) {
		return matcher{}, errors.New("JSON Schema has no (?i) in patterns: write both cases out")
	}
	// A class of Unicode's takes its whole table already when it is parsed.
	if r.patternSize += largestTable * (strings.Count(text, `\p`) + strings.Count(text, `\P`)); r.patternSize > maxPatternSize {
		return matcher{}, errPatternSize
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return matcher{}, err
	}
	instructions, ranges := programSize(parsed)
	if r.patternSize += instructions + ranges; r.patternSize > maxPatternSize {
		return matcher{}, errPatternSize
	}
	compiled, err := regexp.Compile(text)
	return matcher{compiled, instructions}, err
}

var errPatternSize = errors.New("the patterns of the schema are too large when they are written out")

// largestTable is about the ranges in the largest of Unicode's classes.
const largestTable = 700

// caseless finds a group like (?i) or (?i:a). To parse one with a wide class takes
// seconds.
func caseless(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
			continue
		}
		if group, ok := strings.CutPrefix(text[i:], "(?"); ok {
			behind := strings.TrimLeft(group, "imsU-")
			flags := group[:len(group)-len(behind)]
			if strings.Contains(flags, "i") && (strings.HasPrefix(behind, ")") || strings.HasPrefix(behind, ":")) {
				return true
			}
		}
	}
	return false
}

// programSize bounds a pattern's instructions, and the ranges of characters in them,
// before any of them is made.
func programSize(re *syntax.Regexp) (instructions, ranges int) {
	instructions, ranges = 2, len(re.Rune)/2
	if re.Op == syntax.OpLiteral {
		instructions, ranges = 2+len(re.Rune), 0
	}
	for _, sub := range re.Sub {
		i, r := programSize(sub)
		instructions, ranges = instructions+i, ranges+r
	}
	if re.Op == syntax.OpRepeat {
		times := max(re.Min, re.Max, 1)
		return times * instructions, times * ranges
	}
	return instructions, ranges
}

// A patterned is one of patternProperties.
type patterned struct {
	matcher
	schema *schema
}

func readPatterned(r *reader, v any) (any, error) {
	o, ok := v.(*object)
	if !ok {
		return nil, errors.New("wants an object")
	}
	all := make([]patterned, len(o.names))
	for i, name := range o.names {
		var err error
		if all[i].matcher, err = r.pattern(name); err == nil {
			all[i].schema, err = r.schema(o.values[i])
		}
		if err != nil {
			return nil, below(name, err)
		}
	}
	return all, nil
}
