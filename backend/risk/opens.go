package risk

import (
	"slices"
	"strings"
	"unicode"

	"sekisho/backend/permission"
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

const maxDepth = 4 // levels of an input that are searched for paths

// opens judges a text that may name a file which runs by being opened.
func (j *judge) opens(w *walker, key, text string) {
	if ending := endingOf(key, text); ending != "" {
		j.add(permission.RiskHigh, permission.RiskOpens, permission.Param("ending", ending), w.place(text, 0, len(text)))
	}
}

// endingOf is that of a string which names a file that opens.
func endingOf(key, path string) string {
	if len(path) > maxPath || !strings.Contains(path, ".") {
		return ""
	}
	words := split(key)
	text := len(words) > 0 && slices.Contains(textWords, words[len(words)-1]) // file_content is one, and content_file none
	if text || !containsAny(words, fileWords) && !containsAny(words, wideWords) {
		return ""
	}
	ending := ending(path)
	if ending == "com" && (!containsAny(words, fileWords) || strings.ContainsAny(path, "@") || strings.Contains(path, "://")) {
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
