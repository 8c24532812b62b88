package risk

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"unicode"

	"sekisho/backend/rawjson"
)

// opens lists the endings of files that run when somebody opens them by a double click
// on some system. Scripts that editors open by default, like those of shells, are not
// among them: agents write them all day.
var opens = strings.Fields(
	"appimage application app bat cmd com command cpl desktop exe gadget hta jar jse lnk msc msi msp pif ps1 reg scf scr url vbe vbs wsf wsh")

// A key that has one of these words names a file.
var (
	fileWords = strings.Fields("path paths file files filename filenames filepath filepaths")
	wideWords = strings.Fields("destination dest dst target output out to name") // or something else: a person, a host
	textWords = strings.Fields("text content contents body data type description pattern query")
)

// A tool whose name has only the former looks at a file and does not make or start it.
var (
	readers = strings.Fields("read list stat view show search find grep describe info head tail exists")
	makers  = strings.Fields(
		"write create save make put run exec execute launch open start install download fetch move rename copy upload edit update replace append apply patch set add and or")
)

const (
	maxPath  = 4096 // bytes of a path; no system takes longer ones
	maxDepth = 4    // levels of an input that are searched for paths
)

// opensFile gives the ending of a file that an input names and that would run by being
// opened, "" where there is none. It takes time linear in the input.
func opensFile(words []string, input []byte) string {
	has := func(some []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(some, w) })
	}
	if !mayOpen(input) || has(readers) && !has(makers) {
		return ""
	}
	return search("", input, maxDepth)
}

// mayOpen is quick: most inputs have no such ending anywhere.
func mayOpen(input []byte) bool {
	if bytes.Contains(input, []byte(`\u`)) {
		return true
	}
	for rest := input; ; {
		at := bytes.IndexByte(rest, '.')
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
		end := 0
		for end < len(rest) && (kindOf(rest[end]) == small || kindOf(rest[end]) == capital || kindOf(rest[end]) == digit) {
			end++
		}
		word := rest[:min(end, 64)]
		if bytes.ContainsFunc(word, func(r rune) bool { return r >= 0x80 }) || end > 2 && slices.Contains(opens, strings.ToLower(string(word))) {
			return true
		}
	}
}

// search looks through a value and what it holds. key is that under which it stands.
func search(key string, raw []byte, depth int) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 || depth == 0 {
		return ""
	}
	switch raw[0] {
	case '"':
		return endingOf(key, raw)
	case '{':
		members, err := rawjson.Members(raw)
		if err != nil {
			return ""
		}
		for _, m := range members {
			if ending := search(m.Key, m.Value, depth-1); ending != "" {
				return ending
			}
		}
	case '[':
		for one := range elements(raw) {
			if ending := search(key, one, depth-1); ending != "" {
				return ending
			}
		}
	}
	return ""
}

// elements gives those of a list that is known to be good JSON.
func elements(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		open, from := 0, 1
		for i := 0; i < len(list); i++ {
			switch c := list[i]; {
			case c == '"':
				for i++; i < len(list) && list[i] != '"'; i++ {
					if list[i] == '\\' {
						i++
					}
				}
			case c == '[' || c == '{':
				open++
			case c == ']' || c == '}':
				open--
			}
			if i < len(list) && (open == 1 && list[i] == ',' || open == 0) {
				if !yield(list[from:i]) {
					return
				}
				from = i + 1
			}
		}
	}
}

// endingOf is that of a string which names a file that opens.
func endingOf(key string, raw []byte) string {
	if len(raw) > 6*maxPath || !mayOpen(raw) {
		return ""
	}
	words := split(key)
	has := func(some []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(some, w) })
	}
	var path string
	text := len(words) > 0 && slices.Contains(textWords, words[len(words)-1]) // file_content is one, and content_file none
	if text || !has(fileWords) && !has(wideWords) || json.Unmarshal(raw, &path) != nil {
		return ""
	}
	ending := ending(path)
	if ending == "com" && (!has(fileWords) || strings.ContainsAny(path, "@") || strings.Contains(path, "://")) {
		return "" // a host, or a person's address
	}
	return ending
}

// ending gives that of a path, as systems read it that leave out characters which
// nobody sees, and blanks and dots at the end. Some take what stands behind a colon for
// the name of a stream, and others for a part of the name.
func ending(path string) string {
	name := strings.Map(func(r rune) rune {
		if r != ' ' && unicode.In(r, unicode.C, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, path)
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if stream := strings.IndexByte(name, ':'); stream > 1 {
		if before := opening(name[:stream]); before != "" {
			return before
		}
	}
	return opening(name)
}

// opening gives the ending of a name if it is one of opens.
func opening(name string) string {
	name = strings.TrimRight(name, " .")
	ending := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	if len(ending) == len(name) || !slices.Contains(opens, ending) {
		return ""
	}
	return ending
}
