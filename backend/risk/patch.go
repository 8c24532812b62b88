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
const maxPatched = 10_000

// isPatch reports whether a text may be a patch.
func isPatch(text string) bool {
	return strings.HasPrefix(text, "*** ") || slices.ContainsFunc([]string{"\n+++ ", "\n*** ", "\nrename to ", "\ncopy to "},
		func(mark string) bool { return strings.Contains(text, mark) })
}

// patchedIn gives the files that a patch changes, and where their names stand in it, until no more are wanted. It is false
// where there are too many.
func patchedIn(text string, wants func(file string, start, end int) bool) bool {
	left := maxPatched
	for at := 0; at < len(text); {
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
				if left--; left < 0 || !wants(file, start, end) {
					return left >= 0
				}
			}
		}
		at = end + 1
	}
	return true
}

// patch judges a text that is a patch by the files that it changes.
func (j *judge) patch(w *walker, text string) {
	j.patches(text, "", func(start, end int) *permission.InputPlace { return w.place(text, start, end) })
}

// patched judges a part that applies a patch which stands in the line.
func (l *lineJudge) patched(p *command.Part) {
	applies := p.Program == "patch" || p.Program == "apply_patch" || p.Program == "applypatch" || p.Name == "git apply" || p.Name == "git am"
	if applies && isPatch(p.Text) {
		l.patches(p.Text, path.Join(l.folder, p.Folder), func(int, int) *permission.InputPlace { return l.at(p.Span) })
	}
}

// patches adds why it is dangerous to change what a patch does.
func (j *judge) patches(text, folder string, at func(start, end int) *permission.InputPlace) {
	said := 0
	complete := patchedIn(text, func(file string, start, end int) bool {
		for _, code := range j.changed(path.Join(folder, file)) {
			said++
			j.add(permission.RiskHigh, code, permission.Param("path", short(file)), at(start, end))
		}
		return said < maxReasons
	})
	if !complete {
		j.add(permission.RiskHigh, permission.RiskOpaque, permission.Param("why", "a patch names too many files"), at(0, 0))
	}
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
