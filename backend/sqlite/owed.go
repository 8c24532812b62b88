package sqlite

import (
	"maps"
	"sync"

	"sekisho/backend/permission"
)

// owed are the entries of calls that their claimants ask for, and that are not on disk yet.
type owed struct {
	kept func() int64 // the newest entry that is on disk
	mu   sync.Mutex
	of   map[permission.CallID]int64
}

// note takes in that a call is on disk when an entry is.
func (o *owed) note(id permission.CallID, seq int64) {
	if seq <= o.kept() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of[id] = seq; seq <= o.kept() { // it was flushed meanwhile, and forget has been
		delete(o.of, id)
	}
}

// forget drops the entries that are on disk, after a flush.
func (o *owed) forget([]permission.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.of, func(_ permission.CallID, seq int64) bool { return seq <= o.kept() })
}

// entry is that of a call; 0 where none is owed.
func (o *owed) entry(id permission.CallID) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of[id]
}
