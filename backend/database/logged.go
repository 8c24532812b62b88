package database

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// logged is what the write-ahead log holds of a database's pages: where the newest
// committed form of each stands (https://sqlite.org/fileformat2.html#walformat).
type logged struct {
	file     *os.File // nil: there is no log
	pageSize int64    // of the log or, where that has no valid header, of the database
	pages    int64    // of the database after the last commit; 0: nothing is committed
	at       map[uint32]int64
	torn     bool // a commit stands behind the end at which SQLite stops reading
}

const (
	logHeader   = 32
	frameHeader = 24
	minPage     = 512
)

// readLog reads a log without SQLite, which would change files to do it. What stands
// behind the last commit does not count. The page size is the database's: it says where
// to look for frames when the log does not.
func readLog(path string, pageSize int64) (*logged, error) {
	l := &logged{at: map[uint32]int64{}, pageSize: pageSize}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	l.file = file
	if err := l.scan(bufio.NewReaderSize(file, 1<<16)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

func (l *logged) close() {
	if l.file != nil {
		_ = l.file.Close() // it was read only
	}
}

// scan walks over the frames up to the first that does not continue the log, and goes
// on from there to see whether the log is torn.
func (l *logged) scan(in io.Reader) error {
	var head [logHeader]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return tooShort(err)
	}
	magic := binary.BigEndian.Uint32(head[:])
	sum := checksum{order: binary.LittleEndian}
	if magic&1 == 1 {
		sum.order = binary.BigEndian
	}
	sum.add(head[:24])
	size := binary.BigEndian.Uint32(head[8:])
	if magic&^1 != 0x377f0682 || !sum.is(head[24:]) || size < minPage || size > 65536 {
		return l.headless(in, head[24:])
	}
	l.pageSize = int64(size)
	f, salts := make(frame, frameHeader+size), head[16:24]
	open := map[uint32]int64{} // of a transaction that is not committed yet
	for at := int64(logHeader); ; at += int64(len(f)) {
		if _, err := io.ReadFull(in, f); err != nil {
			return tooShort(err)
		}
		if !f.continues(&sum) || !bytes.Equal(f.salts(), salts) {
			return l.behind(in, f, salts, f.stored(sum.order), sum)
		}
		open[f.page()] = at + frameHeader
		if pages := f.commit(); pages > 0 {
			l.pages = int64(pages)
			for page, at := range open {
				l.at[page] = at
			}
			clear(open)
		}
	}
}

// behind goes on behind a frame that does not continue the log. A commit there that
// continues the frame before it, whatever that one is, was part of this log: frames of
// an older log in the same file have other salts, and those that a rollback left have
// no commit. Before tells the checksums that the next frame may continue: that which
// the bad one has, and that which it should have.
func (l *logged) behind(in io.Reader, f frame, salts []byte, before ...checksum) error {
	for {
		if _, err := io.ReadFull(in, f); err != nil {
			return tooShort(err)
		}
		for i := range before {
			ours := f.commit() > 0 && (salts == nil || bytes.Equal(f.salts(), salts))
			if ours && f.continues(&before[i]) {
				l.torn = true
				return nil
			}
			before[i] = f.stored(before[i].order)
		}
	}
}

// headless looks for commits in a log that is empty for SQLite because its header is
// not valid. Neither salts nor the order of bytes are known then.
func (l *logged) headless(in io.Reader, sum []byte) error {
	if l.pageSize < minPage {
		return nil
	}
	f := make(frame, frameHeader+l.pageSize)
	copy(f[16:], sum)
	return l.behind(in, f, nil, f.stored(binary.LittleEndian), f.stored(binary.BigEndian))
}

// frame is one page in the log, behind its number, the size of the database when it ends
// a commit, the salts of the log's header, and a checksum over all that is before.
type frame []byte

func (f frame) page() uint32   { return binary.BigEndian.Uint32(f) }
func (f frame) commit() uint32 { return binary.BigEndian.Uint32(f[4:]) }
func (f frame) salts() []byte  { return f[8:16] }

func (f frame) stored(order binary.ByteOrder) checksum {
	return checksum{order: order, a: binary.BigEndian.Uint32(f[16:]), b: binary.BigEndian.Uint32(f[20:])}
}

// continues takes the sum on over the frame, and compares.
func (f frame) continues(sum *checksum) bool {
	sum.add(f[:8])
	sum.add(f[frameHeader:])
	return sum.is(f[16:])
}

// tooShort takes an end in the middle of a frame as the end of the log.
func tooShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// checksum is that of the log, over pairs of words.
type checksum struct {
	order binary.ByteOrder
	a, b  uint32
}

func (c *checksum) add(p []byte) {
	for ; len(p) >= 8; p = p[8:] {
		c.a += c.order.Uint32(p) + c.b
		c.b += c.order.Uint32(p[4:]) + c.a
	}
}

func (c *checksum) is(stored []byte) bool {
	return binary.BigEndian.Uint32(stored) == c.a && binary.BigEndian.Uint32(stored[4:]) == c.b
}

// firstPage reads the beginning of the database as the log has left it.
func (l *logged) firstPage(file io.ReaderAt, into []byte) error {
	if at, ok := l.at[1]; ok {
		_, err := l.file.ReadAt(into, at)
		return err
	}
	_, err := file.ReadAt(into, 0)
	return tooShort(err)
}

// complete refuses a file that was cut off: one that ends in the middle of a page, or
// whose last pages are neither in it nor in the log.
func (l *logged) complete(size int64) error {
	cut := l.pages == 0 && l.pageSize > 0 && size%l.pageSize != 0
	for page := int64(1); page <= l.pages; page++ {
		_, kept := l.at[uint32(page)]
		cut = cut || !kept && page*l.pageSize > size
	}
	if cut {
		return fmt.Errorf("%w: the file was cut off", ErrDamaged)
	}
	return nil
}

// over gives the whole database with the log laid over the file.
func (l *logged) over(file io.ReaderAt, size int64) ([]byte, error) {
	image := make([]byte, l.pages*l.pageSize)
	if _, err := file.ReadAt(image[:min(size, int64(len(image)))], 0); tooShort(err) != nil {
		return nil, err
	}
	for page, at := range l.at {
		if begin := (int64(page) - 1) * l.pageSize; page > 0 && begin < int64(len(image)) {
			if _, err := l.file.ReadAt(image[begin:begin+l.pageSize], at); err != nil {
				return nil, err
			}
		}
	}
	if len(image) >= 100 {
		image[18], image[19] = 1, 1 // without a log of its own, as it is in memory
	}
	return image, nil
}
