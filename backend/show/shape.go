package show

import (
	"encoding/json"
	"slices"
	"strings"

	"sekisho/backend/rawjson"
)

// doubt is why something cannot be told: a word for clients and a sentence. The zero
// doubt is none.
type doubt struct{ code, reason string }

// write is what a call would do to a file.
type write struct {
	path    string
	several bool   // other paths, contents or edits are named beside: doubt says so
	whole   bool   // text takes the place of all that is there; else edits change it
	large   bool   // the text is larger than what is compared
	text    string // of the whole file
	adds    bool   // text comes behind what is there, in place of edits
	edits   []edit
	doubt   doubt // it cannot be told what would be written
}

// edit replaces a text by another one.
type edit struct {
	old, new string
	all      bool
	loose    bool // of a form whose tools find a text also where blanks and line ends differ
}

var (
	pathKeys    = []string{"path", "file_path", "filePath", "filename"}
	contentKeys = []string{"content", "contents", "text", "file_text"}
	pairKeys    = [][2]string{{"old_string", "new_string"}, {"old_str", "new_str"}, {"oldText", "newText"}}
	allKeys     = []string{"replace_all", "replaceAll"}
)

// harmless members change nothing of what is written, whatever their value.
var harmless = []string{"description", "explanation", "instruction", "instructions", "reason", "overwrite",
	"createDirectories", "create_directories", "createDirs", "create_dirs"}

// partial are verbs of tools to which a text is not all that a file is to hold.
var partial = strings.Fields("append prepend insert add push log patch apply remove delete merge extend concat comment annotate")

// neutral members change nothing with these values.
var neutral = map[string][]string{
	"append": {"false"}, "dryRun": {"false"}, "dry_run": {"false"}, "expected_replacements": {"1"},
	"mode": {`"overwrite"`, `"rewrite"`, `"write"`, `"w"`}, "encoding": {`"utf-8"`, `"utf8"`, `"UTF-8"`, `"utf_8"`},
	"command": {`"create"`, `"str_replace"`},
}

// shapeOf reads an input as the writing of a file; nil is any other one.
func shapeOf(tool string, members []rawjson.Member) *write {
	paths, contents := having(members, pathKeys), having(members, contentKeys)
	pairs := slices.DeleteFunc(slices.Clone(pairKeys), func(p [2]string) bool { return !has(members, p[0]) || !has(members, p[1]) })
	lists := having(members, []string{"edits"})
	if len(paths) == 0 || len(contents)+len(pairs)+len(lists) == 0 || onlyReads(tool) {
		return nil
	}
	w := &write{}
	if !text(paths[0].Value, &w.path) {
		return nil
	}
	switch {
	case len(paths) > 1 || len(contents)+len(pairs)+len(lists) > 1:
		w.several, w.doubt = true, doubt{"ambiguous", "the input names more than one file, content or edit"}
		return w
	case len(contents) == 1:
		if !w.setContent(contents[0].Value) {
			return nil
		}
	case len(lists) == 1:
		w.setEdits(lists[0].Value)
	default:
		w.edits = make([]edit, 1)
		w.doubt = w.edits[0].read(members, pairs[0])
	}
	if d := foreign(tool, members, w); d.code != "" {
		w.doubt = d
	}
	return w
}

// setContent is false where the content is no text.
func (w *write) setContent(raw []byte) bool {
	w.whole = true
	if len(raw) > 6*maxText+2 { // \u0000 is the longest spelling of a byte
		w.large = true
		return raw[0] == '"'
	}
	ok := text(raw, &w.text)
	w.large = len(w.text) > maxText
	return ok
}

// setEdits reads a list of edits.
func (w *write) setEdits(raw []byte) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		w.doubt = doubt{"edits", "edits is not a list"}
		return
	}
	w.edits = make([]edit, len(list))
	for i, one := range list {
		if w.doubt = w.edits[i].readObject(one); w.doubt.code != "" {
			return
		}
	}
}

func (e *edit) readObject(raw []byte) doubt {
	bad := doubt{"edits", "an edit is not an old text and a new one"}
	members, err := rawjson.Members(raw)
	if err != nil {
		return bad
	}
	for _, pair := range pairKeys {
		if !has(members, pair[0]) || !has(members, pair[1]) {
			continue
		}
		for _, m := range members {
			if !slices.Contains(pair[:], m.Key) && !slices.Contains(allKeys, m.Key) {
				return doubt{"other_members", "an edit has a member that may change what is written: " + quoted(m.Key)}
			}
		}
		return e.read(members, pair)
	}
	return bad
}

// read takes one edit out of its members.
func (e *edit) read(members []rawjson.Member, pair [2]string) doubt {
	e.loose = pair[0] == "oldText"
	for _, m := range members {
		ok := true
		switch {
		case m.Key == pair[0]:
			ok = text(m.Value, &e.old)
		case m.Key == pair[1]:
			ok = text(m.Value, &e.new)
		case slices.Contains(allKeys, m.Key):
			e.all = e.all || string(m.Value) == "true"
			ok = string(m.Value) == "true" || string(m.Value) == "false" || string(m.Value) == "null"
		}
		if !ok {
			return doubt{"edits", "an edit is not an old text and a new one: " + quoted(m.Key)}
		}
	}
	return doubt{}
}

// foreign finds what this room does not know, and what may make the tool write
// something else, or elsewhere.
func foreign(tool string, members []rawjson.Member, w *write) doubt {
	known := slices.Concat(pathKeys, contentKeys, allKeys, harmless, folderKeys, []string{"edits"})
	for _, pair := range pairKeys {
		known = append(known, pair[:]...)
	}
	for _, m := range members {
		if !slices.Contains(known, m.Key) && string(m.Value) != "null" && !slices.Contains(neutral[m.Key], string(m.Value)) {
			return doubt{"other_members", "the input has a member that may change what is written: " + quoted(m.Key)}
		}
	}
	if w.whole && verbIn(tool, partial...) {
		return doubt{"adds", "the tool's name says that it adds to a file, or changes a part of it"}
	}
	return doubt{}
}

// onlyReads goes by the tool's name: a search takes a path and a text, too.
func onlyReads(tool string) bool {
	return verbIn(tool, "read", "search", "find", "grep", "get", "list", "view", "show", "count", "match", "query", "check", "validate",
		"lint", "compare", "diff") &&
		!verbIn(tool, "write", "create", "edit", "save", "put", "update", "replace", "append", "insert", "patch", "modify", "set", "overwrite",
			"new", "add", "store", "apply", "fix")
}

// verbIn reports whether one of verbs is a word of a name, as in read_file or readFile.
func verbIn(name string, verbs ...string) bool {
	start := 0
	for i := 0; i <= len(name); i++ {
		letter := i < len(name) && (name[i]|0x20 >= 'a' && name[i]|0x20 <= 'z' || name[i] >= 0x80)
		border := letter && i > start && name[i] <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z'
		if letter && !border {
			continue
		}
		if slices.Contains(verbs, strings.ToLower(name[start:i])) {
			return true
		}
		start = i
		if !letter {
			start++
		}
	}
	return false
}

// having gives the members with one of these keys, without those that are null.
func having(members []rawjson.Member, keys []string) (found []rawjson.Member) {
	for _, m := range members {
		if slices.Contains(keys, m.Key) && string(m.Value) != "null" {
			found = append(found, m)
		}
	}
	return found
}

func has(members []rawjson.Member, key string) bool { return len(having(members, []string{key})) > 0 }

// text reads a string of JSON; false is anything else.
func text(raw []byte, into *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, into) == nil
}

// quoted shows a word of the caller's inside a sentence of ours.
func quoted(word string) string {
	const most = 60
	if len(word) > most {
		word = strings.ToValidUTF8(word[:most], "") + "…"
	}
	return `"` + word + `"`
}
