package sqlite

import (
	"maps"
	"sync"

	"sekisho/backend/permission"
)

// owed are the entries of calls that their claimants ask for, and that are not on disk yet.
type owed struct {
	mu sync.Mutex
	of map[permission.CallID]int64
}

// note takes in that a call is on disk when an entry is, of which those up to kept are.
func (o *owed) note(id permission.CallID, seq, kept int64) {
	if seq <= kept {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.of[id] = seq
}

// forget drops the entries that are on disk.
func (o *owed) forget(kept int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.of, func(_ permission.CallID, seq int64) bool { return seq <= kept })
}

// entry is that of a call; 0 where none is owed.
func (o *owed) entry(id permission.CallID) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of[id]
}
