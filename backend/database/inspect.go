package database

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxChecked is up to which size a database is looked through before it is opened, and its
// indexes are held against the tables. Damage in a larger one shows when the damaged page
// is read; what an index there does not lead to is not seen.
const maxChecked = 64 << 20

// CheckFormat answers ErrFormat for a folder whose data are of a format that this program
// does not know. It changes nothing in the folder, and says nothing of anything else that
// is wrong with it.
func CheckFormat(ctx context.Context, dir string) error {
	if _, err := inspect(ctx, filepath.Join(dir, FileName), false); errors.Is(err, ErrFormat) {
		return err
	}
	return nil
}

// inspect looks at a database without opening it for writing: SQLite would make
// files beside it and fold its log into it. It answers for data of another format and,
// when deep, for data that are damaged, and says whether the log is torn: what SQLite
// reads of it ends before commits of the same log.
func inspect(ctx context.Context, path string, deep bool) (torn bool, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, orphaned(path + "-wal")
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() == 0 { // as the first start left it
		return false, orphaned(path + "-wal")
	}
	log, err := readLog(path+"-wal", pageSize(file))
	if err != nil {
		return false, err
	}
	defer log.close()
	if err := errors.Join(checkHeader(file, log), log.complete(info.Size())); err != nil {
		return false, err
	}
	return log.torn, lookOver(ctx, file, info.Size(), log, deep)
}

// orphaned refuses a log without a database, which SQLite would remove. Zeros are
// what a log is before the first commit, see wal.warm.
func orphaned(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	for buffer := make([]byte, 1<<16); ; {
		n, err := file.Read(buffer)
		if len(bytes.Trim(buffer[:n], "\x00")) > 0 {
			return fmt.Errorf("%w: the database is not there, but its log is", ErrDamaged)
		}
		if err != nil {
			return tooShort(err)
		}
	}
}

// pageSize reads the size of a page from the database itself; 0: it has no header.
func pageSize(file io.ReaderAt) int64 {
	var head [18]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return 0
	}
	if size := binary.BigEndian.Uint16(head[16:]); size != 1 {
		return int64(size)
	}
	return 1 << 16
}

// lookOver looks at the database as its log leaves it, when that is not too large.
func lookOver(ctx context.Context, file *os.File, have int64, log *logged, deep bool) error {
	size := max(have, log.pages*log.pageSize)
	switch {
	case log.pages == 0:
		return look(ctx, resting(file.Name()), nil, deep && size <= maxChecked)
	case size <= maxChecked:
		image, err := log.over(file, have)
		if err != nil {
			return err
		}
		return look(ctx, ":memory:", image, deep)
	}
	return nil
}

// checkHeader reads the mark and the format from the first page, where migrate writes them.
// A file that the first start did not come to mark has an empty schema.
func checkHeader(file io.ReaderAt, log *logged) error {
	var head [105]byte // the header, and how many entries the schema has on this page
	if err := log.firstPage(file, head[:]); err != nil {
		return err
	}
	if !bytes.HasPrefix(head[:], []byte("SQLite format 3\x00")) {
		return fmt.Errorf("%w: the file is not a database", ErrDamaged)
	}
	if log.pages == 0 {
		log.pageSize = max(int64(binary.BigEndian.Uint16(head[16:])), minPage) // a page of 64 kB counts as 1
	}
	const leaf = 13
	empty := head[100] == leaf && binary.BigEndian.Uint16(head[103:]) == 0
	switch mark := binary.BigEndian.Uint32(head[68:]); {
	case mark == applicationID, mark == 0 && empty:
	case mark == 0:
		return errEarlier
	default:
		return fmt.Errorf("%w: the mark of the database is another", ErrDamaged)
	}
	known, err := Newest(Migrations())
	if have := int64(binary.BigEndian.Uint32(head[60:])); err == nil && have > known {
		return newer(have, known)
	}
	return err
}

// look opens a database for reading, from its bytes when there are some, and holds
// its format and, when deep, its pages against what they should be.
func look(ctx context.Context, dsn string, image []byte, deep bool) error {
	db, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if image != nil {
		if err := load(ctx, db, image); err != nil {
			return err
		}
	}
	if err := known(ctx, db); err != nil || !deep {
		return err
	}
	return sound(ctx, db, "integrity_check") // an index that does not fit its table hides calls
}

func load(ctx context.Context, db *sql.DB, image []byte) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	err = conn.Raw(func(driver any) error { return fillFrom(driver, image) })
	return errors.Join(err, conn.Close())
}
