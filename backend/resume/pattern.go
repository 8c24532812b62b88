package resume

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A matcher is a pattern; for each byte that it looks at it may go through all its
// instructions. One without Regexp is not checked.
type matcher struct {
	*regexp.Regexp
	text         string
	instructions int
	form         *form
}

func (m *matcher) String() string { return m.text }

func (m *matcher) MatchString(s string) bool {
	if m.Regexp == nil {
		m.form.guessed = true
		return m.form.guess
	}
	m.form.spend(2 + (len(s)+1)*m.instructions/16)
	return m.Regexp.MatchString(s)
}

// patternSizes are what the patterns of a schema take so far.
type patternSizes struct{ patterns, text, written int }

// pattern compiles one. The library asks for each more than once.
func (f *form) pattern(text string) (jsonschema.Regexp, error) {
	if m := f.patterns[text]; m != nil {
		return m, nil
	}
	m := &matcher{text: text, form: f}
	var err error
	m.Regexp, m.instructions, err = f.sizes.compile(text)
	if foreign(err) {
		m.Regexp, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	f.patterns[text] = m
	return m, nil
}

// foreign reports whether a pattern may well be one of ECMAScript, as JSON Schema's are,
// that Go has not, like a look-ahead.
func foreign(err error) bool {
	var bad *syntax.Error
	wrong := []syntax.ErrorCode{syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrTrailingBackslash,
		syntax.ErrMissingRepeatArgument, syntax.ErrNestingDepth, syntax.ErrLarge}
	return errors.As(err, &bad) && !slices.Contains(wrong, bad.Code)
}

func (z *patternSizes) compile(text string) (*regexp.Regexp, int, error) {
	if z.patterns++; z.patterns > maxPatterns {
		return nil, 0, fmt.Errorf("more than %d patterns in one schema", maxPatterns)
	}
	if z.text += len(text); z.text > maxPatternText {
		return nil, 0, fmt.Errorf("more than %d bytes of patterns in one schema", maxPatternText)
	}
	if caseless(text) {
		return nil, 0, errors.New("JSON Schema has no (?i) in patterns: write both cases out")
	}
	// A class of Unicode's takes its whole table already when it is parsed.
	if z.written += largestTable * (strings.Count(text, `\p`) + strings.Count(text, `\P`)); z.written > maxPatternSize {
		return nil, 0, errPatternSize
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, 0, err
	}
	instructions, ranges := programSize(parsed)
	if z.written += instructions + ranges; z.written > maxPatternSize {
		return nil, 0, errPatternSize
	}
	compiled, err := regexp.Compile(text)
	return compiled, instructions, err
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
