package sessionbook

// Size is how many sessions, and how many hashes and keys of tokens, are in the book.
func (b *Book) Size() (sessions, tokens int) { return len(b.byID), len(b.byToken) + len(b.byKey) }
