// Package journalkey keeps the keys that journals are signed with: files of this user alone.
package journalkey

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sekisho/backend/place"
)

// Folder is that of the keys that journals are signed with: with the settings
// and not with the data, so that who copies or rewrites a data folder has not got them.
func Folder() (string, error) {
	dir, err := place.Config()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "journal-keys"), nil
}

// Suffix ends the name of a key's file; before it stands the name of its journal.
const Suffix = ".key"

// unkept ends the name of a key's file until the journal is signed with it.
const unkept = ".new"

// Open reads the key of a journal, or makes it: PKCS #8 in PEM, for this user alone. A fresh
// one was made just now, or by a start that was cut off before Keep: what it has to have signed
// is not signed with it yet.
func Open(path string) (key ed25519.PrivateKey, fresh bool, err error) {
	if key, err = Read(path); !errors.Is(err, fs.ErrNotExist) {
		return key, false, err
	}
	if key, err = Read(path + unkept); !errors.Is(err, fs.ErrNotExist) {
		return key, true, err
	}
	if err := place.Private(filepath.Dir(path)); err != nil {
		return nil, false, fmt.Errorf("keep the journal's key: %w", err)
	}
	if _, key, err = ed25519.GenerateKey(nil); err != nil {
		return nil, false, fmt.Errorf("make the journal's key: %w", err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err == nil {
		err = place.WriteSecret(path+unkept, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
	}
	if err != nil {
		return nil, false, fmt.Errorf("keep the journal's key: %w", err)
	}
	return key, true, place.SyncFolder(filepath.Dir(path))
}

// Keep gives a fresh key its name: from now on what it has to have signed is held against it.
func Keep(path string) error {
	if err := os.Rename(path+unkept, path); err != nil {
		return fmt.Errorf("keep the journal's key: %w", err)
	}
	return place.SyncFolder(filepath.Dir(path))
}

// Read reads a key's file. One that is open to others is closed to them.
func Read(path string) (ed25519.PrivateKey, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<16 {
		return nil, fmt.Errorf("%s is not a key's file", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := f.Chmod(0o600); err != nil {
			return nil, err
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, fmt.Errorf("%s is not a key's file", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if key, ok := parsed.(ed25519.PrivateKey); ok {
		return key, nil
	}
	return nil, errors.Join(fmt.Errorf("%s holds no Ed25519 key", path), err)
}
