package risk

import (
	"path"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
)

// lineJudge judges the parts of a shell line.
type lineJudge struct {
	*judge
	order   command.Order
	went    string   // the folder that a part before changes to, as it is written
	folder  string   // where the line runs, relative to the call's folder or whole; "" is there
	fetches bool     // a part before asks the network
	network bool     // any part does
	fetched []string // names of the files that those may have written
	flows   bool     // what runs now may read what the part before it has fetched
	unpacks bool     // a fetched archive is unpacked
	cloned  []string // folders of repositories that were fetched
	known   bool     // parts have their place in the line
	// takesNames says that a part has words which another one finds.
	takesNames bool
	text       string  // all of the line
	carried    carried // its variables that have secrets
	expanded   string  // one that is put into the line somewhere, once it was looked for
	looked     bool
	blank      bool // there is nothing in the line
}

// at is the place of a stretch of the line in the input.
func (l *lineJudge) at(s command.Span) *permission.InputPlace {
	if !l.known {
		return nil
	}
	pointer, start, end := l.order.Place(s)
	return &permission.InputPlace{Pointer: pointer, Start: start, End: end}
}

// outside reports whether a word names something outside the folder of a call, or may: a
// link may lie before "..", but not for the desk's own tools, which follow none out.
func (l *lineJudge) outside(file, folder string) bool {
	steps := file == ".." || strings.Contains(file, "../") || strings.HasSuffix(file, "/..")
	switch {
	case strings.HasPrefix(file, "~"), home.MatchString(file), strings.HasPrefix(file, "file:"), steps && !l.Own:
		return true
	case !strings.HasPrefix(file, "/"):
		inner := path.Join(folder, file)
		return steps && (inner == ".." || strings.HasPrefix(inner, "../"))
	case file == "/dev/null", file == "/dev/stdin", file == "/dev/stdout", file == "/dev/stderr":
		return false
	}
	return l.Cwd == "" || !under(path.Clean(file), path.Clean(l.Cwd))
}
