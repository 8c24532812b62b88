package connect

import (
	"regexp"
	"slices"
	"strings"
)

var (
	braced   = regexp.MustCompile(`\$\{([^{}]*)\}`)
	dollared = regexp.MustCompile(`\$\{([^{}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)`)
	curled   = regexp.MustCompile(`\{((?:env|file):[^{}]*)\}`)
	varName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// filler fills variables in.
type filler struct {
	client Client
	places Places
	folder string // of the project
	shown  bool   // what is filled in now is shown to everybody
	err    error  // the first that cannot be filled in
}

// harmless are variables that hold no secret: who and where one is.
var harmless = []string{"HOME", "USER", "LOGNAME", "USERNAME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "SYSTEMROOT",
	"TMPDIR", "TEMP", "TMP", "LANG", "PWD"}

// open fills in a text that the desk shows to everybody: an argument or a URL. A
// variable's value that may be a secret is none for it.
func (f *filler) open(text string) string {
	f.shown = true
	text = f.fill(text)
	f.shown = false
	return text
}

// fill gives text with its variables filled in; what is wrong goes to err.
func (f *filler) fill(text string) string {
	pattern := map[variables]*regexp.Regexp{shellVariables: braced, dollarVariables: dollared, editorVariables: braced,
		braceVariables: curled}[f.client.dialect.vars]
	if pattern == nil {
		return text
	}
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		parts := pattern.FindStringSubmatch(found)
		name := strings.Join(parts[1:], "")
		value, ok := f.value(name)
		if !ok && f.err == nil {
			f.err = &Obstacle{Code: variableOfApp, Value: found, Name: f.client.Name}
			if f.named(name) != "" {
				f.err = &Obstacle{Code: variableUnset, Value: found}
			}
		}
		return value
	})
}

// named gives the name of the environment's variable that is meant, or "".
func (f *filler) named(text string) string {
	switch f.client.dialect.vars {
	case editorVariables, braceVariables:
		name, ok := strings.CutPrefix(text, "env:")
		if !ok {
			return ""
		}
		return name
	}
	name, _, _ := strings.Cut(text, ":-")
	if !varName.MatchString(name) {
		return ""
	}
	return name
}

func (f *filler) value(text string) (string, bool) {
	if f.client.dialect.vars == editorVariables {
		switch text {
		case "userHome":
			return f.places.Home, true
		case "workspaceFolder":
			return f.folder, f.folder != ""
		case "pathSeparator", "/":
			return f.places.join("", "")[:1], true
		}
	}
	name := f.named(text)
	if name == "" {
		return "", false
	}
	value := f.places.env(name)
	if name == "PWD" || name == "OLDPWD" {
		value = "" // not where connecting runs, but where the client starts the server
		if name == "PWD" {
			value = f.folder
		}
		if value == "" && f.err == nil {
			f.err = &Obstacle{Code: variableFolder, Name: name}
		}
	}
	if f.shown && value != "" && !slices.Contains(harmless, name) && f.err == nil {
		f.err = &Obstacle{Code: variableShown, Name: name}
	}
	if _, fallback, ok := strings.Cut(text, ":-"); ok && value == "" {
		return fallback, true
	}
	return value, value != ""
}
