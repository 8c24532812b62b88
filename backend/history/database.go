package history

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A database is read here page by page, without SQL: the driver of the desk's own store is
// C, and the program that scans is not.

const (
	maxValue  = 16 << 20 // of a row; longer ones are passed over
	maxLevels = 20       // of a table's tree
)

var errDatabase = errors.New("this is no database that can be read")

// database is an SQLite database with its write-ahead log, as they are at one moment.
type database struct {
	file     io.ReaderAt
	wal      io.ReaderAt
	page     int
	usable   int            // of a page
	inLog    map[int]int64  // offsets of the pages in the log that count
	tables   map[string]int // first pages
	columns  map[string][]string
	cut      int // rows that are too long
	visiting int // pages that may still be read, so that a circle ends
}

// value is a column of a row: its text, or nothing where it is a number, null or bytes.
type value []byte

func (v value) text() string { return string(v) }

// openLog opens the log of a database; nil is none.
func (t *tree) openLog(name string) *os.File {
	if info, err := t.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := t.root.Open(name)
	if err != nil {
		t.unread(BadFile, t.name(name))
		return nil
	}
	return file
}

// openDatabase reads the head of a database and its list of tables. wal may be nil.
func openDatabase(file, wal *os.File) (*database, error) {
	d := &database{file: file, inLog: map[int]int64{}, tables: map[string]int{}, columns: map[string][]string{}}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if wal != nil {
		d.wal = wal
		if d.page, err = d.readLog(); err != nil {
			return nil, err
		}
		size += int64(len(d.inLog)) * int64(d.page)
	}
	head := make([]byte, 100)
	if at, in := d.inLog[1]; in {
		_, err = d.wal.ReadAt(head, at)
	} else {
		_, err = file.ReadAt(head, 0)
	}
	if err != nil || string(head[:16]) != "SQLite format 3\x00" || binary.BigEndian.Uint32(head[56:]) > 1 {
		return nil, errDatabase
	}
	if d.page = int(binary.BigEndian.Uint16(head[16:])); d.page == 1 {
		d.page = 1 << 16
	}
	if d.usable = d.page - int(head[20]); d.page < 512 || d.page&(d.page-1) != 0 || d.usable < 480 {
		return nil, errDatabase
	}
	d.visiting = int(2*size/int64(d.page)) + 100
	return d, d.walk(context.Background(), 1, 0, func(record []value) {
		if len(record) >= 5 && record[0].text() == "table" {
			name := record[1].text()
			d.tables[name], d.columns[name] = int(binary.BigEndian.Uint64(pad(record[3]))), columnsOf(record[4].text())
		}
	}, 3)
}

// pad makes a number of eight bytes.
func pad(v value) []byte {
	b := make([]byte, 8)
	if len(v) <= 8 {
		copy(b[8-len(v):], v)
	}
	return b
}

// readLog finds the newest committed version of each page in the log, and gives the size
// of a page, 0 where the log is empty. A frame counts if it and all before it carry the
// log's salts and its sums.
func (d *database) readLog() (page int, err error) {
	head := make([]byte, 32)
	if _, err := d.wal.ReadAt(head, 0); err != nil {
		return 0, nil // an empty log
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.BigEndian.Uint32(head) {
	case 0x377f0683:
		order = binary.BigEndian
	case 0x377f0682:
	default:
		return 0, errDatabase
	}
	if page = int(binary.BigEndian.Uint32(head[8:])); page < 512 || page > 1<<16 {
		return 0, errDatabase
	}
	sum := checksum(order, [2]uint32{}, head[:24])
	if sum != [2]uint32{binary.BigEndian.Uint32(head[24:]), binary.BigEndian.Uint32(head[28:])} {
		return page, nil
	}
	frame, waiting := make([]byte, 24+page), map[int]int64{}
	for at := int64(32); ; at += int64(len(frame)) {
		if _, err := d.wal.ReadAt(frame, at); err != nil || string(frame[8:16]) != string(head[16:24]) {
			return page, nil
		}
		sum = checksum(order, checksum(order, sum, frame[:8]), frame[24:])
		if sum != [2]uint32{binary.BigEndian.Uint32(frame[16:]), binary.BigEndian.Uint32(frame[20:])} {
			return page, nil
		}
		waiting[int(binary.BigEndian.Uint32(frame))] = at + 24
		if binary.BigEndian.Uint32(frame[4:]) != 0 { // a commit
			for n, offset := range waiting {
				d.inLog[n] = offset
			}
			clear(waiting)
		}
	}
}

// checksum is that of the log, carried on over more bytes.
func checksum(order binary.ByteOrder, sum [2]uint32, b []byte) [2]uint32 {
	for ; len(b) >= 8; b = b[8:] {
		sum[0] += order.Uint32(b) + sum[1]
		sum[1] += order.Uint32(b[4:]) + sum[0]
	}
	return sum
}

// read reads a page.
func (d *database) read(n int) ([]byte, error) {
	if d.visiting--; d.visiting < 0 || n < 1 {
		return nil, errDatabase
	}
	b := make([]byte, d.page)
	if at, in := d.inLog[n]; in {
		_, err := d.wal.ReadAt(b, at)
		return b, err
	}
	_, err := d.file.ReadAt(b, int64(n-1)*int64(d.page))
	return b, err
}

// rows visits the rows of a table, of each the named columns. A table that is not there
// has none.
func (d *database) rows(ctx context.Context, table string, names []string, visit func([]value)) error {
	first, there := d.tables[table]
	if !there {
		return nil
	}
	places := make([]int, len(names))
	for i, name := range names {
		if places[i] = indexOf(d.columns[table], name); places[i] < 0 {
			return fmt.Errorf("read the table %s: it has no column %s", table, name)
		}
	}
	row := make([]value, len(names))
	return d.walk(ctx, first, 0, func(record []value) {
		for i, at := range places {
			if row[i] = nil; at < len(record) {
				row[i] = record[at]
			}
		}
		visit(row)
	})
}

func indexOf(list []string, name string) int {
	for i, s := range list {
		if strings.EqualFold(s, name) {
			return i
		}
	}
	return -1
}

// walk visits the records of the tree of a table, in order. Columns in numbers keep the
// bytes of their numbers.
func (d *database) walk(ctx context.Context, n, level int, visit func([]value), numbers ...int) error {
	if ctx.Err() != nil || level > maxLevels {
		return errors.Join(ctx.Err(), errDatabase)
	}
	b, err := d.read(n)
	if err != nil {
		return err
	}
	head := b
	if n == 1 {
		head = b[100:] // the database's own head
	}
	cells, leaf := int(binary.BigEndian.Uint16(head[3:])), head[0] == 13
	list := head[8:]
	if !leaf {
		list = head[12:]
	}
	if head[0] != 5 && !leaf || cells*2 > len(list) {
		return errDatabase
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(list[2*i:]))
		if at+4 > d.usable {
			return errDatabase
		}
		if !leaf {
			err = d.walk(ctx, int(binary.BigEndian.Uint32(b[at:])), level+1, visit, numbers...)
		} else {
			err = d.cell(b[at:d.usable], visit, numbers)
		}
		if err != nil {
			return err
		}
	}
	if leaf {
		return nil
	}
	return d.walk(ctx, int(binary.BigEndian.Uint32(head[8:])), level+1, visit, numbers...)
}

// cell reads a record, which goes on in pages of its own where it is long.
func (d *database) cell(b []byte, visit func([]value), numbers []int) error {
	size, n := varint(b)
	_, m := varint(b[n:])
	if n == 0 || m == 0 {
		return errDatabase
	}
	b = b[n+m:]
	if size > maxValue {
		d.cut++
		return nil
	}
	total := int(size)
	local := total
	if most := d.usable - 35; total > most {
		least := (d.usable-12)*32/255 - 23
		if local = least + (total-least)%(d.usable-4); local > most {
			local = least
		}
	}
	if local > len(b) || local < total && local+4 > len(b) {
		return errDatabase
	}
	payload := append(make([]byte, 0, total), b[:local]...)
	for next := b[local:]; len(payload) < total; {
		page, err := d.read(int(binary.BigEndian.Uint32(next)))
		if err != nil {
			return err
		}
		next = page
		payload = append(payload, page[4:4+min(total-len(payload), d.usable-4)]...)
	}
	record, err := recordOf(payload, numbers)
	if err == nil {
		visit(record)
	}
	return err
}

// recordOf splits a record into its columns.
func recordOf(b []byte, numbers []int) (record []value, err error) {
	size, n := varint(b)
	if n == 0 || size > uint64(len(b)) {
		return nil, errDatabase
	}
	types, body := b[n:max(n, int(size))], b[size:]
	for len(types) > 0 {
		kind, n := varint(types)
		if n == 0 {
			return nil, errDatabase
		}
		types = types[n:]
		long, text := lengthOf(kind)
		if long > uint64(len(body)) {
			return nil, errDatabase
		}
		var v value
		if text || slices.Contains(numbers, len(record)) {
			v = value(body[:long])
		}
		record, body = append(record, v), body[long:]
	}
	return record, nil
}

// lengthOf gives the bytes of a column by its type, and whether it is text.
func lengthOf(kind uint64) (bytes uint64, text bool) {
	switch {
	case kind >= 12:
		return (kind - 12) / 2, kind%2 == 1
	case kind == 5:
		return 6, false
	case kind == 6 || kind == 7:
		return 8, false
	case kind <= 4:
		return kind, false
	}
	return 0, false
}

// varint reads a number of up to nine bytes; n is 0 where there is none.
func varint(b []byte) (v uint64, n int) {
	for i := range min(len(b), 9) {
		if i == 8 {
			return v<<8 | uint64(b[i]), 9
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// columnsOf reads the names of columns out of the statement that made a table.
func columnsOf(sql string) (names []string) {
	_, inner, _ := strings.Cut(sql, "(")
	depth, start := 0, 0
	quote := byte(0)
	for i := range len(inner) {
		c := inner[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case depth == 0 && (c == ',' || c == ')'):
			if name := firstWord(inner[start:i]); name != "" {
				names = append(names, name)
			}
			if start = i + 1; c == ')' {
				return names
			}
		case c == ')':
			depth--
		}
	}
	return names
}

// firstWord is the name that a definition begins with; "" is no column.
func firstWord(definition string) string {
	words := strings.Fields(definition)
	if len(words) == 0 {
		return ""
	}
	switch strings.ToUpper(words[0]) {
	case "CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK":
		return ""
	}
	return strings.Trim(words[0], "`\"[]")
}
