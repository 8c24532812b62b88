package connect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/conftext"
	"sekisho/backend/diff"
	"sekisho/backend/rewrite"
)

// real puts a golden file's content on the disk and reads it as Find does.
func (g golden) real(t testing.TB, content string, mode fs.FileMode) File {
	t.Helper()
	path := filepath.Join(t.TempDir(), g.name)
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return g.reread(t, path)
}

func (g golden) reread(t testing.TB, path string) File {
	t.Helper()
	c, _ := ClientByID(g.client)
	f, there := read(c, path, g.project)
	if !there || f.Err != nil {
		t.Fatalf("read %s: %t, %v", path, there, f.Err)
	}
	return f
}

func vault(t testing.TB) *Vault {
	t.Helper()
	v, err := NewVault(filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func connected(t testing.TB, v *Vault, f File) *Plan {
	t.Helper()
	p := plan(t, f, options())
	if _, err := v.Apply(p, nil, time.Now()); err != nil {
		t.Fatal(err)
	}
	return p
}

// undo plans to undo all that the vault has of one file.
func undo(t testing.TB, v *Vault, force bool) *Undo {
	t.Helper()
	records, err := v.Records()
	if err != nil {
		t.Fatal(err)
	}
	u, err := v.Undo(records, force)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func content(t testing.TB, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestThereAndBack connects and disconnects every golden file: each byte, and the
// mode, is as it was; what lies between is what was planned; connecting twice moves
// nothing.
func TestThereAndBack(t *testing.T) {
	for _, g := range goldens {
		for _, variant := range []struct {
			name string
			make func(string) string
		}{
			{"as it is", func(s string) string { return s }},
			{"CRLF", func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n") }},
			{"byte order mark", func(s string) string { return conftext.ByteOrderMark + s }},
			{"no last line end", func(s string) string { return strings.TrimRight(s, "\r\n") }},
		} {
			t.Run(g.name+" "+variant.name, func(t *testing.T) {
				before := variant.make(string(g.load(t).Content))
				f := g.real(t, before, 0o640)
				v := vault(t)
				p := connected(t, v, f)
				if got := content(t, f.Path); got == before || got != string(p.After) {
					t.Errorf("connected:\n%s", got)
				}
				again := plan(t, g.reread(t, f.Path), options())
				if len(again.Moves()) != 0 || len(again.Entries) != len(p.Entries) {
					t.Errorf("a second time would move %v", again.Moves())
				}
				u := undo(t, v, false)
				if !u.Exact || u.Conflicts() || len(u.Entries) != len(p.Moves()) {
					t.Errorf("undo: %+v", u)
				}
				if err := v.Restore(u); err != nil {
					t.Fatal(err)
				}
				if got := content(t, f.Path); got != before {
					t.Errorf("disconnected:\n%s", diff.Unified("want", "got", before, got))
				}
				if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o640 {
					t.Errorf("mode %v, %v", info.Mode(), err)
				}
				if left, err := v.Records(); err != nil || len(left) != 0 {
					t.Errorf("still kept: %v, %v", left, err)
				}
				if names, err := os.ReadDir(filepath.Dir(f.Path)); err != nil || len(names) != 1 {
					t.Errorf("left beside the file: %v, %v", names, err)
				}
			})
		}
	}
}

// TestKept looks at what the vault holds of a change.
func TestKept(t *testing.T) {
	g := goldens[0]
	f := g.real(t, string(g.load(t).Content), 0o600)
	v := vault(t)
	connected(t, v, f)
	records, err := v.Records()
	if err != nil || len(records) != 1 {
		t.Fatal(records, err)
	}
	r := records[0]
	if r.Client != "claude-desktop" || r.Path != f.Path || r.Mode != 0o600 || r.Before != digest(f.Content) ||
		time.Since(r.At) > time.Minute || len(r.Moved) != 3 {
		t.Errorf("%+v", r)
	}
	err = filepath.WalkDir(v.dir, func(path string, d fs.DirEntry, _ error) error {
		info, err := d.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		return err
	})
	if manifest := content(t, filepath.Join(v.dir, r.ID, "manifest.json")); err != nil || strings.Contains(manifest, "secret") {
		t.Errorf("%v, a secret in %s", err, manifest)
	}
	copied := filepath.Join(v.dir, r.ID, "before")
	if err := os.WriteFile(copied, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Undo(records, true); err == nil || !strings.Contains(err.Error(), copied) {
		t.Errorf("a copy that was changed: %v", err)
	}
}

// TestChangedMeanwhile: a file that is not as it was planned for is left alone.
func TestChangedMeanwhile(t *testing.T) {
	g := goldens[0]
	for name, change := range map[string]func(t *testing.T, path string){
		"content": func(t *testing.T, path string) { write(t, path, `{"mcpServers":{}}`) },
		"link": func(t *testing.T, path string) {
			if err := os.Rename(path, path+".real"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(path+".real", path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := g.real(t, string(g.load(t).Content), 0o600)
			v := vault(t)
			p := plan(t, f, options())
			change(t, f.Path)
			now := content(t, f.Path)
			if _, err := v.Apply(p, nil, time.Now()); !errors.Is(err, ErrChanged) {
				t.Errorf("error %v", err)
			}
			if content(t, f.Path) != now {
				t.Error("it was written to")
			}
			if left, _ := v.Records(); len(left) != 0 {
				t.Errorf("kept %v", left)
			}
		})
	}
	t.Run("at the last moment", func(t *testing.T) {
		f := g.real(t, string(g.load(t).Content), 0o600)
		v := vault(t)
		v.at = func(step string) {
			if step == "prepared" {
				write(t, f.Path, "{}")
			}
		}
		if _, err := v.Apply(plan(t, f, options()), nil, time.Now()); !errors.Is(err, ErrChanged) || content(t, f.Path) != "{}" {
			t.Errorf("error %v, file %s", err, content(t, f.Path))
		}
		if left, _ := v.Records(); len(left) != 0 {
			t.Errorf("kept %v", left)
		}
	})
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLink: a linked file is changed where it lies, and stays linked.
func TestLink(t *testing.T) {
	g := goldens[0]
	f := g.real(t, string(g.load(t).Content), 0o600)
	link := filepath.Join(t.TempDir(), "link.json")
	if err := os.Symlink(f.Path, link); err != nil {
		t.Fatal(err)
	}
	v := vault(t)
	linked := g.reread(t, link)
	p := connected(t, v, linked)
	if target, err := os.Readlink(link); err != nil || target != f.Path || content(t, f.Path) != string(p.After) {
		t.Errorf("link to %q, %v; file\n%s", target, err, content(t, f.Path))
	}
	if err := v.Restore(undo(t, v, false)); err != nil || content(t, f.Path) != string(f.Content) {
		t.Errorf("%v, file\n%s", err, content(t, f.Path))
	}
	if target, err := os.Readlink(link); err != nil || target != f.Path {
		t.Errorf("link to %q, %v", target, err)
	}
}

// TestManyAtOnce: of many sekishos that planned the same file, one writes; the others
// see that it has changed. The file is whole at every look.
func TestManyAtOnce(t *testing.T) {
	g := goldens[0]
	f := g.real(t, string(g.load(t).Content), 0o600)
	dir := filepath.Join(t.TempDir(), "kept")
	p := plan(t, f, options())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	results := make(chan error, 16)
	var done sync.WaitGroup
	for range cap(results) {
		done.Go(func() {
			v, err := NewVault(dir)
			if err == nil {
				var unlock func()
				if unlock, err = v.Lock(ctx); err == nil {
					_, err = v.Apply(p, nil, time.Now())
					unlock()
				}
			}
			if now, _ := os.ReadFile(f.Path); !bytes.Equal(now, f.Content) && !bytes.Equal(now, p.After) {
				err = fmt.Errorf("half a file: %q", now)
			}
			results <- err
		})
	}
	done.Wait()
	close(results)
	wrote := 0
	for err := range results {
		if err == nil {
			wrote++
		} else if !errors.Is(err, ErrChanged) {
			t.Error(err)
		}
	}
	if wrote != 1 {
		t.Errorf("%d wrote", wrote)
	}
}

// TestLocks: a vault is one sekisho's, and so is a file, whatever the vault.
func TestLocks(t *testing.T) {
	v := vault(t)
	unlock, err := v.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := &Vault{dir: v.dir}
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := other.Lock(soon); !errors.Is(err, ErrBusy) {
		t.Errorf("a second lock: %v", err)
	}
	unlock()
	if unlock, err = other.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	unlock()

	g := goldens[0]
	f := g.real(t, string(g.load(t).Content), 0o600)
	if unlock, err = rewrite.Lock(f.Real); err != nil {
		t.Fatal(err)
	}
	p := plan(t, f, options())
	if _, err := v.Apply(p, nil, time.Now()); !errors.Is(err, ErrBusy) {
		t.Errorf("a held file: %v", err)
	}
	unlock()
	if _, err := v.Apply(p, nil, time.Now()); err != nil {
		t.Error(err)
	}
}

// TestTwice: entries added after connecting are connected later; disconnecting undoes
// both.
func TestTwice(t *testing.T) {
	g := goldens[0]
	before := string(g.load(t).Content)
	f := g.real(t, before, 0o600)
	v := vault(t)
	connected(t, v, f)
	added := strings.Replace(content(t, f.Path), `"mcpServers": {`, `"mcpServers": {
    "later": { "command": "uvx", "env": { "K": "v" } },`, 1)
	write(t, f.Path, added)
	p := connected(t, v, g.reread(t, f.Path))
	if moves := p.Moves(); len(moves) != 1 || moves[0].Key() != "later" {
		t.Fatalf("moves %v", moves)
	}
	u := undo(t, v, false)
	if err := v.Restore(u); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(before, `"mcpServers": {`, `"mcpServers": {
    "later": { "command": "uvx", "env": { "K": "v" } },`, 1)
	if got := content(t, f.Path); got != want {
		t.Error(diff.Unified("want", "got", want, got))
	}
	if len(u.Records) != 2 || !slices.IsSortedFunc(u.Records, func(a, b Record) int { return strings.Compare(b.ID, a.ID) }) {
		t.Errorf("records %v", u.Records)
	}
}
