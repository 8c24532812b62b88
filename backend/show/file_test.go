package show

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// writing is the input of a call that writes text into path.
func writing(path, text string) string {
	in := rawjson.AppendString([]byte(`{"path":`), path)
	return string(append(rawjson.AppendString(append(in, `,"content":`...), text), '}'))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func save(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

// glass is one over no desk.
func glass() *Glass { return New(nil, Options{}) }

// fileOf looks at the file of a call that runs in cwd.
func fileOf(t testing.TB, g *Glass, tool, input, cwd string, h home) *permission.FileLook {
	t.Helper()
	members, err := rawjson.Members([]byte(input))
	if err != nil {
		t.Fatal(err)
	}
	return g.lookAtFile(waits(), &permission.Call{ToolName: tool, Cwd: &cwd}, members, h)
}

// shownFile is a look as testdata has it.
func shownFile(look *permission.FileLook) string {
	if look == nil {
		return "none\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", look.Path, look.State)
	if look.Code != "" {
		fmt.Fprintf(&b, ": %s: %s", look.Code, look.Reason)
	}
	fmt.Fprintf(&b, "\n%d bytes, +%d -%d", look.Size, look.Added, look.Removed)
	if look.More > 0 {
		fmt.Fprintf(&b, ", %d not shown", look.More)
	}
	return b.String() + "\n" + patched(look.Lines)
}

// TestFiles holds testdata/files.txtar: an input, the file f that is there before, and
// what is shown.
func TestFiles(t *testing.T) {
	const name = "testdata/files.txtar"
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range archive.Files {
		title, ext := strings.TrimSuffix(f.Name, filepath.Ext(f.Name)), filepath.Ext(f.Name)
		if ext != ".shown" {
			continue
		}
		t.Run(title, func(t *testing.T) {
			dir := t.TempDir()
			input := archive.Files[i-1]
			if filepath.Ext(input.Name) == ".before" {
				before := string(input.Data)
				if quoted, err := strconv.Unquote(strings.TrimSpace(before)); err == nil {
					before = quoted
				}
				if err := os.WriteFile(dir+"/f", []byte(before), 0o644); err != nil {
					t.Fatal(err)
				}
				input = archive.Files[i-2]
			}
			tool := "do_it"
			text := strings.TrimSpace(string(input.Data))
			if first, rest, ok := strings.Cut(text, " {"); ok && !strings.HasPrefix(text, "{") {
				tool, text = first, "{"+rest
			}
			look := fileOf(t, glass(), tool, strings.ReplaceAll(text, "{dir}", dir), dir, home{here: true})
			if look != nil && look.Resolved != "" && look.Version == "" {
				t.Error("no version")
			}
			got := strings.ReplaceAll(shownFile(look), dir, "{dir}")
			if *update {
				archive.Files[i].Data = []byte(got)
			} else if got != string(f.Data) {
				t.Errorf("got\n%swant\n%s", got, f.Data)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 1 {
				t.Errorf("it left %v %v", left, err)
			}
		})
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// patched writes lines of a difference as a reader of patches knows them.
func patched(lines []permission.DiffLine) string {
	var b strings.Builder
	for _, l := range lines {
		end := map[permission.Ending]string{"": "", permission.EndingCRLF: " <crlf>", permission.EndingNone: " <none>"}[l.Ending]
		switch l.Kind {
		case permission.LineGap:
			fmt.Fprintf(&b, "... %d\n", l.Count)
		default:
			mark := map[permission.LineKind]string{permission.LineSame: " ", permission.LineAdded: "+", permission.LineRemoved: "-"}[l.Kind]
			fmt.Fprintf(&b, "%s%d,%d %s%s\n", mark, l.Old, l.New, l.Text, end)
		}
	}
	return b.String()
}
