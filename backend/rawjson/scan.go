package rawjson

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"
)

const (
	// MaxInputDepth is how deep a call's input may nest (CONTRACT section 3).
	MaxInputDepth = 128

	// depthLimit bounds the recursion of every function here, whatever the
	// caller allows.
	depthLimit = 10_000

	// fewKeys is how many keys of an object are compared one by one; more of
	// them go into a map, so that duplicates are found in linear time.
	fewKeys = 12

	// usualKeys is how many members most documents have open at once: room for them is
	// made in one piece.
	usualKeys = 16
)

// Limits of a document. Members are those of its objects together with the elements of
// its arrays, which say what it costs to parse; 0 is no limit. A Depth over 10,000 counts
// as 10,000.
type Limits struct{ Depth, Members int }

// Check reports whether raw is exactly one JSON value by RFC 8259, with nothing
// but white space around it, valid UTF-8 throughout, no byte order mark, no lone
// surrogate escape, no duplicate key in any object (compared after unescaping) and
// at most maxDepth levels of nesting: a scalar has 0, {} and [] have 1. A maxDepth
// over 10,000 counts as 10,000. The error is an *Error.
func Check(raw []byte, maxDepth int) error { return Limits{Depth: maxDepth}.Check(raw) }

// Check is Check with these limits.
func (l Limits) Check(raw []byte) error {
	s := scan(raw, l)
	if err := s.document(); err != nil {
		return err
	}
	return nil
}

// scan makes a scanner of bytes that do not change while it works. It copies nothing, so
// that no key of it may outlive the scan.
func scan(raw []byte, l Limits) scanner {
	return scanner{src: unsafe.String(unsafe.SliceData(raw), len(raw)), maxDepth: min(l.Depth, depthLimit), most: l.Members}
}

// rooms are for the members of documents that are being read.
var rooms = sync.Pool{New: func() any { return new([usualKeys]member) }}

// member is one member of an object, by offsets into the source.
type member struct {
	key              string // unescaped
	keyStart, keyEnd int    // with quotes
	valStart, valEnd int    // without surrounding white space
}

// scanner walks over one document. Its source is a string, so that keys are
// substrings and cost no memory of their own; see scan.
type scanner struct {
	src      string
	pos      int
	depth    int
	maxDepth int
	count    int // of members and elements
	most     int // of these; 0 is no limit
	path     []step
	members  []member // of all open objects, innermost last
	onObject func(depth, start int, members []member)
	outline  bool // values are overlooked; see Outline
	skim     bool // strings may hold any bytes; see Skim
}

func (s *scanner) fail(at int, reason Reason) *Error {
	return &Error{Offset: at, Path: render(s.path), Reason: reason}
}

func (s *scanner) document() *Error {
	room, _ := rooms.Get().(*[usualKeys]member)
	s.members = room[:0]
	defer func() {
		*room = [usualKeys]member{} // the keys are parts of what was read
		rooms.Put(room)
	}()
	s.blanks()
	if err := s.value(); err != nil {
		return err
	}
	s.blanks()
	if s.pos < len(s.src) {
		return s.fail(s.pos, Trailing)
	}
	return nil
}

func (s *scanner) blanks() {
	for s.pos < len(s.src) && isBlank(s.src[s.pos]) {
		s.pos++
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// take skips one given byte if it is next.
func (s *scanner) take(c byte) bool {
	if s.pos < len(s.src) && s.src[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) value() *Error {
	if s.pos == len(s.src) {
		return s.fail(s.pos, Syntax)
	}
	switch c := s.src[s.pos]; {
	case c == '{':
		return s.nested(s.object)
	case c == '[':
		return s.nested(s.array)
	case c == '"':
		return s.str()
	case c == '-' || isDigit(c):
		return s.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(s.src[s.pos:], word) {
			s.pos += len(word)
			return nil
		}
	}
	return s.fail(s.pos, Syntax)
}

// nested reads a container one level down, and gives back the path and the room
// for members.
func (s *scanner) nested(read func(start int) *Error) *Error {
	start, steps, members := s.pos, len(s.path), len(s.members)
	if s.depth >= s.maxDepth {
		return s.fail(start, TooDeep)
	}
	s.depth++
	s.pos++
	if err := read(start); err != nil {
		return err
	}
	s.depth--
	s.path = s.path[:steps]
	s.members = s.members[:members]
	return nil
}

func (s *scanner) array(int) *Error {
	s.blanks()
	if s.take(']') {
		return nil
	}
	s.path = append(s.path, step{})
	level := len(s.path) - 1
	for {
		s.blanks()
		if !s.another() {
			return s.fail(s.pos, TooMany)
		}
		if err := s.value(); err != nil {
			return err
		}
		s.blanks()
		if s.take(']') {
			return nil
		}
		if !s.take(',') {
			return s.fail(s.pos, Syntax)
		}
		s.path[level].index++
	}
}

func (s *scanner) object(start int) *Error {
	base := len(s.members)
	var seen map[string]struct{}
	s.blanks()
	if !s.take('}') {
		for {
			if err := s.member(base, &seen); err != nil {
				return err
			}
			s.blanks()
			if s.take('}') {
				break
			}
			if !s.take(',') {
				return s.fail(s.pos, Syntax)
			}
		}
	}
	if s.onObject != nil {
		s.onObject(s.depth, start, s.members[base:])
	}
	return nil
}

func (s *scanner) member(base int, seen *map[string]struct{}) *Error {
	s.blanks()
	m := member{keyStart: s.pos}
	if s.pos == len(s.src) || s.src[s.pos] != '"' {
		return s.fail(s.pos, Syntax)
	}
	if err := s.str(); err != nil {
		return err
	}
	m.keyEnd = s.pos
	if m.key = unquote(s.src[m.keyStart:m.keyEnd]); s.skim && !utf8.ValidString(m.key) {
		m.key = string([]rune(m.key)) // each byte that is not UTF-8 becomes U+FFFD
	}
	s.path = append(s.path, step{key: m.key, index: -1})
	if !s.another() {
		return s.fail(m.keyStart, TooMany)
	}
	if !s.outline && s.duplicate(base, m.key, seen) {
		return s.fail(m.keyStart, DuplicateKey)
	}
	s.blanks()
	if !s.take(':') {
		return s.fail(s.pos, Syntax)
	}
	s.blanks()
	m.valStart = s.pos
	at := len(s.members)
	s.members = append(s.members, m)
	if err := s.content(); err != nil {
		return err
	}
	s.members[at].valEnd = s.pos
	s.path = s.path[:len(s.path)-1]
	return nil
}

// another counts one more member or element, and reports whether it may be there.
func (s *scanner) another() bool {
	s.count++
	return s.most == 0 || s.count <= s.most
}

// content reads a member's value.
func (s *scanner) content() *Error {
	if s.outline {
		return s.overlook()
	}
	return s.value()
}

// duplicate reports whether the open object, whose members begin at base, has the
// key already.
func (s *scanner) duplicate(base int, key string, seen *map[string]struct{}) bool {
	known := s.members[base:]
	if len(known) < fewKeys {
		for i := range known {
			if known[i].key == key {
				return true
			}
		}
		return false
	}
	if *seen == nil {
		*seen = make(map[string]struct{}, 2*fewKeys)
		for i := range known {
			(*seen)[known[i].key] = struct{}{}
		}
	}
	before := len(*seen)
	(*seen)[key] = struct{}{}
	return len(*seen) == before
}

func (s *scanner) str() *Error {
	s.pos++ // the opening quote
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return err
			}
		case c < ' ':
			return s.fail(s.pos, Syntax)
		case c < utf8.RuneSelf:
			s.plain()
		case s.skim:
			s.pos++
		default:
			r, size := utf8.DecodeRuneInString(s.src[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return s.fail(s.pos, BadUTF8)
			}
			s.pos += size
		}
	}
	return s.fail(s.pos, Syntax)
}

// plain skips what most of a string is: ASCII that stands for itself, eight bytes at a time. Of a
// byte that does not, or of eight with one in them, it leaves the first bit set: the lowest of
// such bits is right, whatever is borrowed from the bytes above it.
func (s *scanner) plain() {
	const each = 0x0101010101010101
	rest := unsafe.Slice(unsafe.StringData(s.src), len(s.src))[s.pos:]
	for ; len(rest) >= 8; rest = rest[8:] {
		eight := binary.LittleEndian.Uint64(rest)
		quote, backslash := eight^each*'"', eight^each*'\\'
		if stops := (eight | (eight-each*' ')&^eight | (quote-each)&^quote | (backslash-each)&^backslash) & (each * 0x80); stops != 0 {
			s.pos = len(s.src) - len(rest) + bits.TrailingZeros64(stops)/8
			return
		}
	}
	at := len(s.src) - len(rest)
	for at < len(s.src) && s.src[at] >= ' ' && s.src[at] < utf8.RuneSelf && s.src[at] != '"' && s.src[at] != '\\' {
		at++
	}
	s.pos = at
}

// escape skips one escape, or the two of a surrogate pair.
func (s *scanner) escape() *Error {
	at := s.pos
	if at+1 == len(s.src) || strings.IndexByte(`"\/bfnrtu`, s.src[at+1]) < 0 {
		return s.fail(at, Syntax)
	}
	if s.src[at+1] != 'u' {
		s.pos += 2
		return nil
	}
	unit, ok := hexEscape(s.src[at:])
	switch {
	case !ok:
		return s.fail(at, Syntax)
	case unit < 0xD800 || unit > 0xDFFF:
		s.pos += 6
		return nil
	}
	low, ok := hexEscape(s.src[at+6:])
	lone := unit >= 0xDC00 || !ok || low < 0xDC00 || low > 0xDFFF
	switch {
	case !lone:
		s.pos += 12
	case s.outline:
		s.pos += 6
	default:
		return s.fail(at, Surrogate)
	}
	return nil
}

// number reads -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (s *scanner) number() *Error {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return s.fail(s.pos, Syntax)
	}
	if s.take('.') && !s.digits() {
		return s.fail(s.pos, Syntax)
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		if !s.digits() {
			return s.fail(s.pos, Syntax)
		}
	}
	return nil
}

// digits skips digits and reports whether there was one.
func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.src) && isDigit(s.src[s.pos]) {
		s.pos++
	}
	return s.pos > start
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
