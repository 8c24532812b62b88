package rawjson

// Outline splits an object into its members, as Members does, for a reader who means
// to look at some of them only. Of all else it makes sure that it is JSON in valid
// UTF-8: lone surrogate escapes (in a key they become U+FFFD), duplicate keys and any
// depth are let pass, and Check has to see what is read. Value is a subslice of raw. Of a
// value that is not an object it says NotObject, and reads it no further; every error
// is an *Error.
func Outline(raw []byte) ([]Member, error) { return scan(raw, Limits{Depth: 1}).outlined(raw) }

// Skim is Outline for bytes that are passed on and decide nothing: a string may also hold what
// is not UTF-8, which becomes U+FFFD in a key. A value deeper than 10,000 levels is refused, as
// encoding/json refuses it, which may have to write it.
func Skim(raw []byte) ([]Member, error) {
	s := scan(raw, Limits{Depth: 1})
	s.skim = true
	return s.outlined(raw)
}

func (s scanner) outlined(raw []byte) (top []Member, err error) {
	s.outline = true
	s.blanks()
	if s.pos < len(s.src) && s.src[s.pos] != '{' {
		return nil, s.fail(s.pos, NotObject)
	}
	s.onObject = func(_, _ int, members []member) { top = membersOf(raw, members) }
	if err := s.document(); err != nil {
		return nil, err
	}
	return top, nil
}

// levels says of each open container whether it is an object. It is a bit for each,
// since a document may be nothing but brackets.
type levels struct {
	bits []uint64
	open int
}

func (l *levels) push(object bool) {
	word, bit := l.open/64, uint64(1)<<(l.open%64)
	if word == len(l.bits) {
		l.bits = append(l.bits, 0)
	}
	l.bits[word] &^= bit
	if object {
		l.bits[word] |= bit
	}
	l.open++
}

func (l *levels) object() bool {
	top := l.open - 1
	return l.bits[top/64]>>(top%64)&1 == 1
}

// overlook reads one value for its syntax alone. It does not recurse, and so goes as
// deep as the value does.
func (s *scanner) overlook() *Error {
	var l levels
	for {
		entered, err := s.enter(&l)
		if err == nil && !entered {
			err = s.leave(&l)
		}
		if err != nil || l.open == 0 {
			return err
		}
	}
}

// enter opens a container, up to its first value, or reads a value that holds none.
func (s *scanner) enter(l *levels) (entered bool, err *Error) {
	s.blanks()
	object := s.take('{')
	if !object && !s.take('[') {
		return false, s.value()
	}
	if s.skim && l.open == depthLimit {
		return false, s.fail(s.pos-1, TooDeep)
	}
	s.blanks()
	if s.take(closing(object)) {
		return false, nil
	}
	l.push(object)
	if object {
		err = s.label()
	}
	return true, err
}

// leave closes what ends behind a value, up to the next one.
func (s *scanner) leave(l *levels) *Error {
	for l.open > 0 {
		s.blanks()
		object := l.object()
		switch {
		case s.take(closing(object)):
			l.open--
		case !s.take(','):
			return s.fail(s.pos, Syntax)
		case object:
			return s.label()
		default:
			return nil
		}
	}
	return nil
}

func closing(object bool) byte {
	if object {
		return '}'
	}
	return ']'
}

// label reads a key and its colon.
func (s *scanner) label() *Error {
	s.blanks()
	if s.pos == len(s.src) || s.src[s.pos] != '"' {
		return s.fail(s.pos, Syntax)
	}
	if err := s.str(); err != nil {
		return err
	}
	s.blanks()
	if !s.take(':') {
		return s.fail(s.pos, Syntax)
	}
	return nil
}
