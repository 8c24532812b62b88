package secret

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sekisho/backend/permission"
)

func read(t *testing.T, f *File) map[string]string {
	t.Helper()
	all, err := f.Secrets()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSecretsAreKept(t *testing.T) {
	dir := t.TempDir()
	f := New(dir)
	if got := read(t, f); len(got) > 0 {
		t.Errorf("a folder without a file has %v", got)
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("looking made %v", files)
	}
	odd := map[string]string{"a": "", "b": "<&>\"\\\n\u2028 日本", "c": "x"}
	if err := f.ChangeSecrets(odd, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.ChangeSecrets(map[string]string{"d": "y"}, []string{"c", "none"}); err != nil {
		t.Fatal(err)
	}
	delete(odd, "c")
	odd["d"] = "y"
	if got := read(t, New(dir)); !maps.Equal(got, odd) {
		t.Errorf("%q, want %q", got, odd)
	}
	if info, err := os.Stat(f.Where()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left: %v", files)
	}
}

// TestAFileOpenToOthersIsClosed, and what a process left half written is no hindrance.
func TestAFileOpenToOthersIsClosed(t *testing.T) {
	dir := t.TempDir()
	f := New(dir)
	if err := os.WriteFile(f.Where(), []byte(`{"format":1,"secrets":{"a":"b"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Where()+unfinished, []byte(`{"for`), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := read(t, f); got["a"] != "b" {
		t.Errorf("%v", got)
	}
	if info, err := os.Stat(f.Where()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := f.ChangeSecrets(map[string]string{"c": "d"}, nil); err != nil {
		t.Fatal(err)
	}
	if got := read(t, f); len(got) != 2 {
		t.Errorf("%v", got)
	}
}

// TestAFileThatIsNotWholeStaysAsItIs: it is said, with no word of what is in it, and
// nothing is written over it.
func TestAFileThatIsNotWholeStaysAsItIs(t *testing.T) {
	for name, content := range map[string]string{
		"empty":        ``,
		"cut":          `{"format":1,"secrets":{"a":"HIDDEN","b":"HI`,
		"twice":        `{"format":1,"secrets":{"a":"HIDDEN","a":"HIDDEN"}}`,
		"more behind":  `{"format":1,"secrets":{"a":"HIDDEN"}} x`,
		"more members": `{"format":1,"secrets":{"a":"HIDDEN"},"more":1}`,
		"no format":    `{"secrets":{"a":"HIDDEN"}}`,
		"no secrets":   `{"format":1}`,
		"null":         `{"format":1,"secrets":{"a":null}}`,
		"a number":     `{"format":1,"secrets":{"a":7,"b":"HIDDEN"}}`,
		"a list":       `{"format":1,"secrets":["HIDDEN"]}`,
		"odd format":   `{"format":"HIDDEN","secrets":{}}`,
		"bad UTF-8":    "{\"format\":1,\"secrets\":{\"a\":\"HIDDEN\xff\"}}",
	} {
		t.Run(name, func(t *testing.T) {
			f := New(t.TempDir())
			if err := os.WriteFile(f.Where(), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := f.Secrets()
			for _, err := range []error{err, f.ChangeSecrets(map[string]string{"c": "d"}, nil)} {
				var said *permission.Error
				if !errors.As(err, &said) || said.Code != permission.CodeUnavailable || !strings.Contains(said.Message, f.Where()) ||
					!strings.Contains(said.Message, "damaged") || strings.Contains(err.Error(), "HIDDEN") {
					t.Errorf("%v", err)
				}
			}
			if now, err := os.ReadFile(f.Where()); err != nil || string(now) != content {
				t.Errorf("now %q %v", now, err)
			}
		})
	}
}

func TestANewerFileIsLeftToItsProgram(t *testing.T) {
	f := New(t.TempDir())
	if err := os.WriteFile(f.Where(), []byte(`{"format":2,"sealed":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Secrets(); err == nil || !strings.Contains(err.Error(), "newer Sekisho") {
		t.Errorf("%v", err)
	}
}

func TestWhatCannotBeKeptIsSaid(t *testing.T) {
	dir := t.TempDir()
	f := New(filepath.Join(dir, "gone"))
	if err := f.ChangeSecrets(map[string]string{"a": "b"}, nil); err == nil || !strings.Contains(err.Error(), "cannot be kept") {
		t.Errorf("%v", err)
	}
	f = New(dir)
	if err := f.ChangeSecrets(map[string]string{"a": strings.Repeat("x", maxSize)}, nil); err == nil {
		t.Error("more was kept than can be read")
	}
	if err := os.Mkdir(f.Where(), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Secrets(); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a folder in its place: %v", err)
	}
}

// TestManyChangesAtOnce loses none.
func TestManyChangesAtOnce(t *testing.T) {
	f := New(t.TempDir())
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := f.ChangeSecrets(map[string]string{fmt.Sprint(i): "x"}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := read(t, f); len(got) != 20 {
		t.Errorf("%d are kept", len(got))
	}
}

// FuzzDecode: what is taken is a file that says the same again.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"format":1,"secrets":{"a":"b"}}`, `{"format":1,"secrets":{}}`,
		`{"format":1,"secrets":{"a":"\ud83d\ude00"}} `, `{"format":1}`, `[]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, err := decode(raw)
		if err != nil {
			return
		}
		again, err := encode(all)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := decode(again); err != nil || !maps.Equal(same, all) {
			t.Errorf("%q became %q, %v", all, same, err)
		}
	})
}
