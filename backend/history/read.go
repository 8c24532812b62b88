package history

import "context"

// Read visits the calls and the entries of permission lists of all programs, and gives
// what could not be read. Only ctx ends it early, with its error.
func Read(ctx context.Context, places Places, visit Visitor) ([]Unread, error) {
	r := newReader(places, visit)
	for _, read := range []func(context.Context){r.claude, r.codex, r.gemini, r.opencode, r.projectLists} {
		if read(ctx); ctx.Err() != nil {
			return r.gaps, ctx.Err()
		}
	}
	return r.gaps, nil
}
