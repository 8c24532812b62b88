package shell

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of the work on one text.
const (
	MaxText  = 64 << 10
	MaxOpen  = 1000 // brackets: the parser's time grows with their depth, and faster
	maxDense = 4000 // words and operators
)

// errPlain is the fault of a text that only a plain shell reads: bash, which runs line by
// line, would run what stands before the fault.
var errPlain = errors.New("bash reads it in another way")

// TooMuch is the fault of a text that is over a bound of the work.
type TooMuch string

func (e TooMuch) Error() string { return string(e) }

// Parse reads a text as bash does, or else as a plain shell. The error says why nobody
// can be sure how it is read; a file beside it is what the plain shell takes it for.
func Parse(text string) (*syntax.File, error) {
	open := strings.Count(text, "(") + strings.Count(text, "[") + strings.Count(text, "{") + strings.Count(text, "`")
	switch {
	case len(text) > MaxText:
		return nil, TooMuch(fmt.Sprintf("it is longer than %d KiB", MaxText>>10))
	case open > MaxOpen:
		return nil, TooMuch(fmt.Sprintf("it has more than %d brackets", MaxOpen))
	case strings.ContainsFunc(text, unprintable):
		return nil, errors.New("it has control characters in it")
	case len(text) > maxDense && tokens(text) > maxDense:
		return nil, TooMuch(fmt.Sprintf("it has more than %d words and operators", maxDense))
	}
	file, bad := parseAs(text, syntax.LangBash)
	if bad == nil {
		return file, misread(text, file)
	}
	if file, err := parseAs(text, syntax.LangPOSIX); err == nil {
		return file, errPlain
	}
	return nil, bad
}

// parseAs takes a panic of the parser as its refusal: what it reads is an agent's.
func parseAs(text string, dialect syntax.LangVariant) (file *syntax.File, err error) {
	defer func() {
		if v := recover(); v != nil {
			file, err = nil, fmt.Errorf("the parser broke: %v", v)
		}
	}()
	pool := &bashParsers
	if dialect == syntax.LangPOSIX {
		pool = &plainParsers
	}
	parser, _ := pool.Get().(*syntax.Parser)
	if parser == nil {
		parser = syntax.NewParser(syntax.Variant(dialect), syntax.KeepComments(true))
	}
	file, err = parser.Parse(strings.NewReader(text), "")
	pool.Put(parser) // one that broke is dropped
	return file, err
}

// bashParsers and plainParsers are parsers that are not in use: a new one costs about as
// much as to read a short line.
var bashParsers, plainParsers sync.Pool

// unprintable is what a shell may take for part of a word and a screen for none.
func unprintable(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r >= 0x7F && r < 0xA0 }
