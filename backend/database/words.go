package database

import "sync/atomic"

// Words say what is wrong, for a person, as long as something is. They are safe for use by
// many goroutines.
type Words struct {
	now   atomic.Pointer[string]
	moved atomic.Pointer[func()]
}

// Say takes what is wrong now, "" for nothing.
func (w *Words) Say(words string) {
	if before := w.now.Swap(&words); before != nil && *before == words || before == nil && words == "" {
		return
	}
	if moved := w.moved.Load(); moved != nil {
		(*moved)()
	}
}

// Now is what is wrong, or "".
func (w *Words) Now() string {
	if words := w.now.Load(); words != nil {
		return *words
	}
	return ""
}

// Listen takes who hears that what is wrong is another thing now, or nothing any more. It must not block, nor
// write.
func (w *Words) Listen(moved func()) { w.moved.Store(&moved) }
