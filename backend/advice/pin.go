package advice

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// maxListed bounds the elements of one member that a condition is made of: a person is to
// read it.
const maxListed = 16

// objects are the members of an input that say which thing a tool is used on, and doing
// those that say what is done with it: beside these the thing alone says little.
var (
	objects = []string{"path", "file_path", "filePath", "filepath", "file", "filename", "fileName", "notebook_path", "notebookPath",
		"directory", "dir", "folder", "source", "destination", "src", "dst", "old_path", "new_path", "oldPath", "newPath", "url", "uri"}
	doing = []string{"command", "cmd", "script", "code", "args", "argv"}

	// A member whose name has a word of these names another thing beside such an object,
	// as dest and new_name do, unless its last word is one of texts. Package risk looks for
	// files that run under the same words.
	targets = strings.Fields("path paths file files filename filenames filepath filepaths destination dest dst target output out to name " +
		"from source sources src dir dirs directory directories folder folders root url urls uri uris")
	texts = strings.Fields("text content contents body data type description pattern query")

	// code are objects that some tools take a program's text under, and cells are members that
	// hold the text of a notebook's cell.
	code  = []string{"source", "src"}
	cells = []string{"new_source", "newSource", "old_source", "oldSource"}
)

// literal is a value of JSON in CEL, or "" for one that is not simple: a number with a
// fraction, an object, a list of anything but texts.
func literal(raw []byte) string {
	var text string
	switch {
	case bytes.Equal(raw, []byte("true")), bytes.Equal(raw, []byte("false")), bytes.Equal(raw, []byte("null")):
		return string(raw)
	case raw[0] == '"':
		if json.Unmarshal(raw, &text) != nil {
			return ""
		}
		return quote(text)
	case raw[0] == '[':
		return listed(raw)
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

func listed(raw []byte) string {
	var list []*string
	if json.Unmarshal(raw, &list) != nil || len(list) > maxListed {
		return ""
	}
	quoted := make([]string, len(list))
	for i, text := range list {
		if text == nil {
			return ""
		}
		quoted[i] = quote(*text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quote writes a text as CEL does. What is not printable stands there by its number.
func quote(text string) string { return strconv.Quote(text) }

// taken are words that CEL keeps for itself.
var taken = []string{"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
	"namespace", "null", "package", "return", "true", "var", "void", "while"}

// field is a member of the input in CEL.
func field(key string) string {
	for i := range len(key) {
		c := key[i]
		if letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'; !letter && (i == 0 || c < '0' || c > '9') {
			return "input[" + quote(key) + "]"
		}
	}
	if key == "" || slices.Contains(taken, key) {
		return "input[" + quote(key) + "]"
	}
	return "input." + key
}

// unusual reports whether a sign is no plain part of a path. A percent sign may spell dots.
func unusual(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune(`/\._-~+@, `, r)
}

// wide reports whether a folder, as it is written, is a home, holds homes, or is a disk
// or a share.
func wide(folder string) bool {
	names := strings.FieldsFunc(folder[len(drive(folder)):], func(r rune) bool { return r == '/' || r == '\\' })
	names = slices.DeleteFunc(names, func(name string) bool { return name == "." })
	depth := len(names)
	is := func(at int, some ...string) bool {
		return at >= 0 && at < depth && slices.ContainsFunc(some, func(name string) bool { return strings.EqualFold(name, names[at]) })
	}
	homes := []string{"home", "users", "documents and settings"}
	switch {
	case strings.Trim(strings.Join(names, ""), ".~") == "", depth == 1 && strings.HasPrefix(names[0], "~"):
		return true
	case !absolute(folder):
		return false
	case depth <= 2 && (is(0, "mnt", "cygdrive", "media", "volumes") || strings.HasPrefix(folder, `\\`)):
		return true
	}
	return is(depth-1, homes...) || is(depth-2, homes...) || is(depth-1, "root")
}

// holdsCode reports whether a value is not plainly a path or an address.
func holdsCode(raw []byte) bool {
	var value string
	if raw[0] != '"' || json.Unmarshal(raw, &value) != nil {
		return false
	}
	signs := ""
	if strings.Contains(value, "://") {
		signs = ":?&=%#"
	}
	return strings.ContainsFunc(value[len(drive(value)):], func(r rune) bool {
		return r == ' ' || unusual(r) && !strings.ContainsRune(signs, r)
	})
}

// target reports whether a member names a thing, by the words of its key.
func target(key string) bool {
	words := keyWords(key)
	return len(words) > 0 && !slices.Contains(cells, key) && !slices.Contains(texts, words[len(words)-1]) &&
		slices.ContainsFunc(words, func(word string) bool { return slices.Contains(targets, word) })
}

// keyWords cuts a key at what is no letter, and where a capital follows a small letter.
func keyWords(key string) []string {
	var parted strings.Builder
	before := ' '
	for _, r := range key {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			parted.WriteByte(' ')
		}
		parted.WriteRune(r)
		before = r
	}
	return strings.FieldsFunc(strings.ToLower(parted.String()), func(r rune) bool { return !unicode.IsLetter(r) })
}

// schemed reports whether a text begins as an address does, be it file:/etc.
func schemed(text string) bool {
	before, _, found := strings.Cut(text, ":")
	return found && len(before) > 1 && !strings.ContainsAny(before, `/\`)
}

// drive is the C: that a path on Windows begins with.
func drive(path string) string {
	if len(path) > 1 && path[1] == ':' {
		return path[:2]
	}
	return ""
}

// absolute reports whether a path or address is the same from everywhere.
func absolute(path string) bool {
	rest := path[len(drive(path)):]
	return schemed(path) || rest != "" && strings.ContainsRune(`/\~`, rune(rest[0]))
}
