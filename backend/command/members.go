package command

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// member is what a member of an input is to a line that stands beside it.
type member uint8

const (
	other     member = iota // it is not known to change how the line runs
	inFolder                // the folder that it runs in
	elsewhere               // the machine or box that it runs on
	changing                // it runs as somebody else, in another shell, or with other input
	lookAlike               // its name is that of the line, spelled in another way
)

// members are names of members as they are known, in small letters and without marks.
var members = func() map[string]member {
	known := map[string]member{}
	for kind, names := range map[member]string{
		inFolder: "cwd workdir workingdir workingdirectory directory dir dirpath directorypath currentdir currentdirectory",
		changing: `shell shellpath shelltype executable interpreter sudo usesudo user runas uid gid root asroot privileged elevated admin become
			asadmin stdin input isinput script prefix preexec precommand setup nosandbox disablesandbox dangerouslydisablesandbox
			sandboxpermissions withescalatedpermissions
			escalatedpermissions escalated bypass skippermissions unsafe env environment envfile variables`,
		elsewhere: "host hostname remote container containerid containername image pod namespace target",
		lookAlike: "command cmd",
	} {
		for name := range strings.FieldsSeq(names) {
			known[name] = kind
		}
	}
	return known
}()

// memberOf says what a member is by its name.
func memberOf(key string) member {
	if kind, known := members[key]; known {
		return kind
	}
	plain, odd := plainName(key)
	kind := members[plain]
	if odd && kind != lookAlike && resembles(plain) {
		return lookAlike
	}
	return kind
}

// plainName is a name in small letters and without marks, blanks and what nobody sees. It is odd
// where it has letters that are no ASCII.
func plainName(key string) (name string, odd bool) {
	var plain strings.Builder
	for _, r := range norm.NFKC.String(key) {
		if unicode.IsLetter(r) {
			plain.WriteRune(unicode.ToLower(r))
			odd = odd || r >= 0x80
		}
	}
	return plain.String(), odd
}

// resembles reports whether a name is that of a line but for letters that are no ASCII.
func resembles(name string) bool {
	for _, line := range []string{"command", "cmd"} {
		letters := []rune(name)
		same := 0
		for i := range min(len(letters), len(line)) {
			if letters[i] == rune(line[i]) {
				same++
			} else if letters[i] < 0x80 {
				same = -len(line)
			}
		}
		if len(letters) == len(line) && same > 0 {
			return true
		}
	}
	return false
}

// IsFolder reports whether a member of an input says in which folder its line runs.
func IsFolder(key string) bool { return memberOf(key) == inFolder }
