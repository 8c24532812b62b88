// Package beside says what a member of an input is to a shell line that stands beside it, by its name.
package beside

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Member is what a member of an input is to a line that stands beside it.
type Member uint8

const (
	Unknown   Member = iota // it may change how the line runs
	Harmless                // it changes nothing of what the line does
	InFolder                // the folder that it runs in
	Machine                 // the machine that it runs on
	Boxed                   // the box that it runs in
	Variables               // what it is given for its environment
	Changing                // it runs as somebody else, in another shell, with other input, or beside other lines
	LookAlike               // its name is that of the line, spelled in another way
)

// members are names of members as they are known, in small letters and without marks.
var members = func() map[string]Member {
	known := map[string]Member{}
	for kind, names := range map[Member]string{
		Harmless: `args description explanation justification reason rationale thought thinking goal intent purpose summary title label comment note
			background runinbackground isbackground detach detached async blocking wait waitms initialwait mode yieldtimems
			maxoutputtokens maxoutputlength maxoutput maxoutputbytes maxoutputlines outputlimit maxlines truncate captureoutput capture stream
			sessionid shellid terminalid callid toolcallid requestid login interactive tty pty restart reset
			requiresapproval safetoautorun securityrisk isreadonly readonly prefixrule requireuserapproval usermessage toolsummary
			toolaction waitmsbeforeasync waitforprevioustools waitforcompletion verbose verbosetiming commandtype n i seq nonce index number
			attempt`,
		InFolder: "cwd workdir workingdir workingdirectory directory dir dirpath directorypath currentdir currentdirectory cd",
		Changing: `shellpath shelltype executable interpreter usesudo runas root asroot runasroot asadmin isinput precommand nosandbox disablesandbox
			dangerouslydisablesandbox sandboxpermissions withescalatedpermissions escalatedpermissions skippermissions envfile arguments argv
			params parameters`,
		Boxed:     "containerid containername",
		LookAlike: "command cmd",
	} {
		for name := range strings.FieldsSeq(names) {
			known[name] = kind
		}
	}
	return known
}()

// memberWords are what one word of a name says of its member, wherever it stands in it.
var memberWords = func() map[string]Member {
	known := map[string]Member{}
	for kind, words := range map[Member]string{
		Changing: `shell sudo user runas uid gid privilege privileged privileges elevate elevated admin become escalate escalated bypass
			unsafe permissions stdin input inputs script scripts prefix pre post before after then exec preexec setup code commands commandline
			cmdline command cmd`,
		Variables: "env envs environ environment vars variables",
		Machine:   "host hostname ssh server machine remote device instance vm",
		Boxed:     "container pod image namespace target box docker",
	} {
		for word := range strings.FieldsSeq(words) {
			known[word] = kind
		}
	}
	return known
}()

// Of says what a member is by its name: as it is known, or by the gravest word of it.
func Of(key string) Member {
	kind := Named(key)
	if kind != Unknown {
		return kind
	}
	words := WordsOf(key)
	if last := words[len(words)-1]; last == "timeout" || slices.Contains(words, "timeout") && slices.Contains(units, last) {
		return Harmless
	}
	for _, word := range words {
		kind = max(kind, memberWords[word])
	}
	return kind
}

// units are those of time as names have them.
var units = strings.Fields("ms sec secs second seconds millis milliseconds minutes s")

// WordsOf are the words of a name as it is put together: env_vars, runAs, SSH-Host. There is one at least.
func WordsOf(name string) (words []string) {
	start := 0
	for i := 1; i <= len(name); i++ {
		if i < len(name) && !(upper(name[i]) && !upper(name[i-1])) && strings.IndexByte("_-. ", name[i]) < 0 {
			continue
		}
		if word := strings.Trim(name[start:i], "_-. "); word != "" {
			words = append(words, strings.ToLower(word))
		}
		start = i
	}
	if len(words) == 0 {
		return []string{name}
	}
	return words
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

// Named says what a member is by its whole name.
func Named(key string) Member {
	if kind, known := members[key]; known {
		return kind
	}
	plain, odd := PlainName(key)
	kind := members[plain]
	if odd && kind != LookAlike && resembles(plain) {
		return LookAlike
	}
	return kind
}

// PlainName is a name in small letters and without marks, blanks and what nobody sees. It is odd
// where it has letters that are no ASCII.
func PlainName(key string) (name string, odd bool) {
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

// Off reports whether a member is as good as none.
func Off(value []byte) bool {
	switch string(value) {
	case "null", "false", `""`, "0", "[]", "{}", `"false"`:
		return true
	}
	return false
}

// IsLocal reports whether a value names the machine of the desk itself.
func IsLocal(value []byte) bool {
	return slices.Contains([]string{`"localhost"`, `"127.0.0.1"`, `"::1"`, `"local"`}, string(value))
}
