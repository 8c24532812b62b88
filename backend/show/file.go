package show

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"sekisho/backend/diff"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// lookAtFile says what a call would change on the disk, or nil if it writes no file
// that is known to be on this machine.
func (g *Glass) lookAtFile(wait waiter, c *permission.Call, members []rawjson.Member, h home) *permission.FileLook {
	if !h.here {
		return nil
	}
	w := shapeOf(c.ToolName, members)
	if h.server != nil && h.server.IsWorkspace() {
		w = writeOf(c, h.server)
	}
	if w == nil {
		return nil
	}
	look := &permission.FileLook{Path: w.path, Lines: []permission.DiffLine{}}
	if w.several {
		unclear(look, w.doubt)
		return look
	}
	at, d := h.locate(wait, c, members, w.path)
	if d.code != "" {
		unclear(look, d)
		return look
	}
	f, ok := patiently(wait, func() found { return g.find(at) })
	if !ok {
		state(look, permission.FileUnreadable, doubt{"slow", "the disk does not answer"})
		return look
	}
	look.Resolved, look.Version, look.Size = f.path, f.version, f.size
	judge(look, w, &f)
	return look
}

// locate gives the absolute path that a call means.
func (h home) locate(wait waiter, c *permission.Call, members []rawjson.Member, path string) (string, doubt) {
	if d := spelling(path); d.code != "" {
		return "", d
	}
	if filepath.IsAbs(path) {
		return path, doubt{}
	}
	base := h.folder(c, members)
	if base == "" {
		return "", doubt{"relative", "the path is relative, and it is not known to which folder"}
	}
	other, ok := patiently(wait, func() bool { return h.otherFolders(base, isFolder) })
	if !ok || other {
		return "", doubt{"relative", "the path is relative, and the server was started with folders of its own"}
	}
	at := base + string(filepath.Separator) + path
	return at, spelling(at)
}

// judge says how the file stands to what would be written.
func judge(look *permission.FileLook, w *write, f *found) {
	switch {
	case f.err != nil:
		state(look, permission.FileUnreadable, because(f.err))
	case f.doubt.code != "":
		unclear(look, f.doubt)
	case notAFile[f.kind].code != "":
		state(look, permission.FileNotAFile, notAFile[f.kind])
	case w.doubt.code != "":
		unclear(look, w.doubt)
	case f.large || w.large:
		tooLarge(look)
	case binary(f.text):
		state(look, permission.FileBinary, doubt{})
	default:
		after := w.text
		if !w.whole {
			var large bool
			var d doubt
			if after, large, d = w.edited(f); large {
				tooLarge(look)
				return
			} else if d.code != "" {
				unclear(look, d)
				return
			}
		}
		differ(look, f, after)
	}
}

// edited is the text after the edits.
func (w *write) edited(f *found) (after string, large bool, d doubt) {
	if w.adds {
		return f.text + w.text, len(f.text)+len(w.text) > maxText, doubt{}
	}
	if f.missing && (len(w.edits) != 1 || w.edits[0].old != "") {
		return "", false, doubt{"missing", "there is no such file to edit"}
	}
	return apply(f.text, w.edits)
}

// differ fills in the difference.
func differ(look *permission.FileLook, f *found, after string) {
	switch {
	case binary(after):
		state(look, permission.FileBinary, doubt{})
		return
	case f.missing:
		look.State = permission.FileNew
	case f.text == after:
		look.State = permission.FileSame
		return
	default:
		look.State = permission.FileChanged
	}
	d := diff.Compare(f.text, after)
	look.Lines, look.Added, look.Removed, look.More = d.Lines, d.Added, d.Removed, d.More
}

// binary reports whether a text is none.
func binary(text string) bool { return strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) }

func state(look *permission.FileLook, s permission.FileState, d doubt) {
	look.State, look.Code, look.Reason = s, d.code, d.reason
}

func unclear(look *permission.FileLook, d doubt) { state(look, permission.FileUnclear, d) }

func tooLarge(look *permission.FileLook) {
	state(look, permission.FileTooLarge, doubt{"large", "texts of more than 2 MiB are not compared"})
}
