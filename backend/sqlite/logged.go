package sqlite

import (
	"bufio"
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
	pageSize int64    // of the database, where there is no log, once its header was read
	pages    int64    // of the database after the last commit; 0: nothing is committed
	at       map[uint32]int64
}

const (
	logHeader   = 32
	frameHeader = 24
)

// readLog reads a log without SQLite, which would change files to do it. What stands
// behind the last commit does not count.
func readLog(path string) (*logged, error) {
	l := &logged{at: map[uint32]int64{}}
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

// scan walks over the frames up to the first that does not continue the log.
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
	if magic&^1 != 0x377f0682 || !sum.is(head[24:]) || size < 512 || size > 65536 {
		return nil
	}
	l.pageSize = int64(size)
	frame := make([]byte, frameHeader+int(size))
	open := map[uint32]int64{} // of a transaction that is not committed yet
	for at := int64(logHeader); ; at += int64(len(frame)) {
		if _, err := io.ReadFull(in, frame); err != nil {
			return tooShort(err)
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeader:])
		if string(frame[8:16]) != string(head[16:24]) || !sum.is(frame[16:]) {
			return nil
		}
		open[binary.BigEndian.Uint32(frame)] = at + frameHeader
		if pages := binary.BigEndian.Uint32(frame[4:]); pages > 0 {
			l.pages = int64(pages)
			for page, at := range open {
				l.at[page] = at
			}
			clear(open)
		}
	}
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
		return fmt.Errorf("%w: the file was cut off", errDamaged)
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
