package risk

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
)

// heads begin the rows of a patch that name the files which it changes: those of a unified diff, of
// git, and of the form that agents write.
var heads = []string{"--- ", "+++ ", "rename to ", "rename from ", "copy to ", "*** Update File: ", "*** Add File: ", "*** Delete File: ",
	"*** Move to: "}

// appliers are words in the names of tools that change files as a text says.
var appliers = strings.Fields("patch apply diff")

// maxPatched bounds the names that are read of a patch.
const maxPatched = 1000

// isPatch reports whether a text may be a patch.
func isPatch(text string) bool {
	return strings.HasPrefix(text, "*** ") || strings.Contains(text, "\n+++ ") || strings.Contains(text, "\n*** ") || strings.Contains(text, "\nrename to ") ||
		strings.Contains(text, "\ncopy to ")
}

// patchedIn gives the files that a patch changes, and where their names stand in it.
func patchedIn(text string, found func(file string, start, end int)) {
	left := maxPatched
	for at := 0; at < len(text) && left > 0; {
		end := len(text)
		if row := strings.IndexByte(text[at:], '\n'); row >= 0 {
			end = at + row
		}
		row := text[at:end]
		if head := slices.IndexFunc(heads, func(h string) bool { return strings.HasPrefix(row, h) }); head >= 0 {
			start := at + len(heads[head])
			file, _, _ := strings.Cut(strings.TrimRight(text[start:end], "\r"), "\t")
			file = strings.Trim(file, `" `)
			if rest, is := strings.CutPrefix(file, "a/"); is {
				file = rest
			} else if rest, is := strings.CutPrefix(file, "b/"); is {
				file = rest
			}
			if file != "" && file != "/dev/null" && len(file) <= maxPath {
				left--
				found(file, start, end)
			}
		}
		at = end + 1
	}
}

// patch judges a text that is a patch by the files that it changes.
func (j *judge) patch(w *walker, text string) {
	patchedIn(text, func(file string, start, end int) {
		for _, code := range j.changed(file) {
			j.add(permission.RiskHigh, code, permission.Param("path", short(file)), w.place(text, start, end))
		}
	})
}

// patched judges a part that applies a patch which stands in the line.
func (l *lineJudge) patched(p *command.Part) {
	applies := p.Program == "patch" || p.Program == "apply_patch" || p.Program == "applypatch" || p.Name == "git apply" || p.Name == "git am"
	if !applies || !isPatch(p.Text) {
		return
	}
	patchedIn(p.Text, func(file string, _, _ int) {
		for _, code := range l.changed(path.Join(l.folder, p.Folder, file)) {
			l.add(permission.RiskHigh, code, permission.Param("path", short(file)), l.at(p.Span))
		}
	})
}

// changed says why it is dangerous to change a file.
func (j *judge) changed(file string) (codes []permission.RiskCode) {
	at := resolve(file, j.Cwd)
	if namesSecret(file) {
		codes = append(codes, permission.RiskSecret)
	}
	if steers(at) || takesOver(at) {
		codes = append(codes, permission.RiskSteers)
	}
	if system(at) {
		codes = append(codes, permission.RiskSystem)
	}
	return codes
}
