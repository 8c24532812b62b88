package connect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"sekisho/backend/place"
	"sekisho/backend/rewrite"
)

var (
	// ErrChanged says that a file is no longer what was shown. It is left as it is.
	ErrChanged = rewrite.ErrChanged
	// ErrBusy says that another sekisho is at work on the same files.
	ErrBusy = rewrite.ErrBusy
)

// Vault keeps what is needed to put files back: a folder for each change, with the
// file before, the file after and a manifest, readable by this user alone.
type Vault struct {
	dir string
	at  func(step string) // tests stop here; nil
}

// Record is the manifest of one change of a file.
type Record struct {
	ID      string      `json:"id"` // sorts by time
	Client  string      `json:"client"`
	Path    string      `json:"path"`
	Real    string      `json:"real"` // without links
	Project string      `json:"project,omitempty"`
	Desk    deskMark    `json:"desk,omitempty"` // that its servers went to
	Mode    fs.FileMode `json:"mode"`
	At      time.Time   `json:"at"`
	Before  string      `json:"before"` // SHA-256 of the file, in hex
	After   string      `json:"after"`
	Moved   []Moved     `json:"moved"`

	Made      bool     `json:"made,omitempty"`      // the file was not there
	Folders   []string `json:"folders,omitempty"`   // that were made for it, innermost first
	HooksOnly bool     `json:"hooksOnly,omitempty"` // the client keeps no tool servers in it
	Own       bool     `json:"own,omitempty"`       // nothing in it is another's
}

// Moved is an entry that went behind the desk.
type Moved struct {
	Path   []string `json:"path"`
	Server Server   `json:"server"` // masked
	Print  string   `json:"print"`  // of the server with its secrets
	Added  bool     `json:"added"`  // connecting put it into the desk's list

	Hook bool `json:"hook,omitempty"` // it is what asks about the client's own tools, and no server
}

// NewVault uses a folder, which is made when missing.
func NewVault(dir string) (*Vault, error) {
	if err := place.Private(dir); err != nil {
		return nil, fmt.Errorf("open the folder of kept files: %w", err)
	}
	return &Vault{dir: dir}, nil
}

// Lock waits until no other sekisho changes files, and keeps others out until unlock.
// ErrBusy when ctx ends first.
func (v *Vault) Lock(ctx context.Context) (unlock func(), err error) {
	lock := flock.New(filepath.Join(v.dir, "lock"), flock.SetPermissions(0o600))
	held, err := lock.TryLockContext(ctx, 20*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) || err == nil && !held {
		return nil, ErrBusy
	}
	if err != nil {
		return nil, fmt.Errorf("lock the folder of kept files: %w", err)
	}
	return func() { _ = lock.Close() }, nil
}

// lockWait is how long another sekisho may be at work.
const lockWait = 10 * time.Second

// locked does something while no other sekisho changes files.
func (v *Vault) locked(ctx context.Context, do func() error) error {
	waiting, cancel := context.WithTimeout(ctx, lockWait)
	unlock, err := v.Lock(waiting)
	cancel()
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}

func (v *Vault) reached(step string) {
	if v.at != nil {
		v.at(step)
	}
}

// keep writes a record with both files; whole or not at all.
func (v *Vault) keep(r Record, before, after []byte) error {
	manifest, err := r.manifest()
	if err != nil {
		return err
	}
	temp := filepath.Join(v.dir, "."+r.ID)
	if err := os.Mkdir(temp, 0o700); err != nil {
		return err
	}
	err = errors.Join(place.WriteSecret(filepath.Join(temp, "before"), before), place.WriteSecret(filepath.Join(temp, "after"), after))
	v.reached("kept half")
	err = errors.Join(err, place.WriteSecret(filepath.Join(temp, "manifest.json"), manifest), place.SyncFolder(temp))
	if err == nil {
		err = os.Rename(temp, filepath.Join(v.dir, r.ID))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	v.reached("kept")
	return place.SyncFolder(v.dir)
}

// forget takes a record away.
func (v *Vault) forget(id string) error {
	gone := filepath.Join(v.dir, "."+id)
	if err := os.Rename(filepath.Join(v.dir, id), gone); err != nil {
		return err
	}
	return os.RemoveAll(gone)
}

// Records gives all that is kept, newest first. What a killed sekisho left half is
// taken away, so the vault must be locked.
func (v *Vault) Records() ([]Record, error) {
	found, err := os.ReadDir(v.dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder of kept files: %w", err)
	}
	var all []Record
	for _, f := range found {
		if !f.IsDir() {
			continue
		}
		if strings.HasPrefix(f.Name(), ".") {
			if err := os.RemoveAll(filepath.Join(v.dir, f.Name())); err != nil {
				return nil, err
			}
			continue
		}
		var r Record
		raw, err := os.ReadFile(filepath.Join(v.dir, f.Name(), "manifest.json"))
		if err == nil {
			err = json.Unmarshal(raw, &r)
		}
		if err != nil {
			return nil, fmt.Errorf("read the kept files in %s: %w", filepath.Join(v.dir, f.Name()), err)
		}
		r.ID = f.Name()
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Record) int { return strings.Compare(b.ID, a.ID) })
	return all, nil
}

// shrink leaves of a record what was not put back.
func (v *Vault) shrink(r Record, moved []Moved) error {
	r.Moved = moved
	manifest, err := r.manifest()
	if err != nil {
		return err
	}
	return place.WriteSecret(filepath.Join(v.dir, r.ID, "manifest.json"), manifest)
}

func (r Record) manifest() ([]byte, error) {
	raw, err := json.MarshalIndent(r, "", "  ")
	return append(raw, '\n'), err
}

// Prints gives the prints of the servers that connecting added, by id.
func Prints(records []Record) map[string]string {
	out := map[string]string{}
	for _, r := range slices.Backward(records) {
		for _, m := range r.Moved {
			if !m.Hook {
				out[m.Server.ID] = m.Print
			}
		}
	}
	return out
}

// file reads "before" or "after" of a record and holds it against the manifest.
func (v *Vault) file(r Record, name, sum string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(v.dir, r.ID, name))
	if err != nil {
		return nil, err
	}
	if digest(content) != sum {
		return nil, fmt.Errorf("the kept copy of %s was changed: %s", r.Path, filepath.Join(v.dir, r.ID, name))
	}
	return content, nil
}

// before is where a record keeps the file as it was.
func (v *Vault) before(r Record) string { return filepath.Join(v.dir, r.ID, "before") }

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
