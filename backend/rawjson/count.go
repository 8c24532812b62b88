package rawjson

import "io"

// Counter counts the members and elements of one JSON text while its bytes arrive, with
// no memory but its own: what a text costs to parse is known before anything is made of
// it. Of bytes that are no JSON the number means nothing; Check refuses those.
type Counter struct {
	n       int
	depth   int
	literal bool // inside a string
	escaped bool // behind a backslash of it
	opened  bool // behind a bracket, until it is known whether the container is empty
	naming  bool // behind the brace or a comma of the outermost object
	key     []byte
}

// Add counts further bytes and gives the number of members and elements until now. It
// stops as soon as there are more than most.
func (c *Counter) Add(p []byte, most int) int {
	for i := 0; i < len(p) && c.n <= most; i++ {
		if b := p[i]; c.literal {
			c.text(b)
		} else if !isBlank(b) {
			c.token(b)
		}
	}
	return c.n
}

// text takes a byte of a string.
func (c *Counter) text(b byte) {
	switch {
	case c.escaped:
		c.escaped = false
	case b == '\\':
		c.escaped = true
	case b == '"':
		c.literal, c.naming = false, false
		return
	}
	if c.naming && len(c.key) < maxPathKey {
		c.key = append(c.key, b)
	}
}

// token takes a byte outside of strings that is not blank.
func (c *Counter) token(b byte) {
	if c.opened {
		if c.opened = false; b != '}' && b != ']' {
			c.n++
		}
	}
	switch b {
	case '"':
		if c.literal = true; c.naming {
			c.key = c.key[:0]
		}
	case '{', '[':
		c.depth++
		c.opened, c.naming = true, c.depth == 1 && b == '{'
	case '}', ']':
		c.depth--
	case ',':
		c.n++
		c.naming = c.depth == 1
	}
}

// Bounded reads a JSON text of at most so many members and elements. Where more come it
// answers with an *Error, TooMany, that names the member of the outermost object in which
// the text went too far, and reads no further.
func Bounded(r io.Reader, most int) *BoundedReader { return &BoundedReader{from: r, most: most} }

// BoundedReader is the reader of Bounded.
type BoundedReader struct {
	from  io.Reader
	most  int
	count Counter
	read  int
}

// Read passes bytes on that are within the bound.
func (b *BoundedReader) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.read += n
	if b.count.Add(p[:n], b.most) <= b.most {
		return n, err
	}
	var path []step
	if len(b.count.key) > 0 {
		path = []step{{key: string(b.count.key), index: -1}}
	}
	return 0, &Error{Offset: b.read, Path: render(path), Reason: TooMany}
}

// Members is how many members and elements were read.
func (b *BoundedReader) Members() int { return b.count.n }
