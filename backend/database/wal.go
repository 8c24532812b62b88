package database

import (
	"errors"
	"io"
	"os"
	"time"
)

// Sizes and times of the write-ahead log.
const (
	walPages = "4000"  // a commit that leaves more in the log folds it into the database
	walWarm  = 4 << 20 // kept ready on disk
	walLimit = 64 << 20
	walIdle  = 300 * time.Millisecond
	walWait  = "50" // milliseconds that the writer waits for slow readers then
)

// wal looks after the write-ahead log: before the first commit, and then between
// two, by whoever has the turn, because nobody else may write to it meanwhile.
type wal struct {
	path  string
	limit int64 // beyond this size the log starts anew, whoever reads
	used  bool  // something was committed since the log was folded
	over  int64 // how far beyond limit a reader that does not end has let it grow
}

// warm makes the file as long as it usually becomes, so that the first commits
// overwrite what is there and need not make it longer. SQLite reads a log to its
// last valid frame: zeros beyond it are nothing. It may fail: nothing depends on it.
func (l *wal) warm() {
	f, err := os.OpenFile(l.path, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return
	}
	for at := size; err == nil && at < walWarm; {
		var n int
		n, err = f.Write(zeros[:min(len(zeros), int(walWarm-at))])
		at += int64(n)
	}
	if err != nil {
		_ = f.Truncate(size) // a full disk: the rest of it is for commits
	}
}

// zeros are written a few at a time: as many as are needed at once would take memory that the system has to
// clear first.
var zeros [64 << 10]byte

// fold writes the log back into the database while nobody waits, so that the next
// commits find it empty.
func (l *wal) fold(c *Conn) {
	if l.used {
		_ = c.Pragma("wal_checkpoint(PASSIVE)")
		l.used = false
	}
}

// bound starts the log anew when readers, one after the other, have kept it growing.
// One that does not end is not waited for again until the log has grown as much.
func (l *wal) bound(c *Conn) {
	l.used = true
	if i, err := os.Stat(l.path); err != nil || i.Size() < l.limit+l.over {
		return
	}
	_ = errors.Join(c.Pragma("busy_timeout = "+walWait), c.Pragma("wal_checkpoint(TRUNCATE)"), c.Pragma("busy_timeout = 5000"))
	l.over = 0
	if i, err := os.Stat(l.path); err == nil && i.Size() >= l.limit {
		l.over = i.Size()
		return
	}
	l.warm()
}
