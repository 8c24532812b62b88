package command

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// member is what a member of an input is to a line that stands beside it.
type member uint8

const (
	unknown   member = iota // it may change how the line runs
	harmless                // it changes nothing of what the line does
	inFolder                // the folder that it runs in
	machine                 // the machine that it runs on
	boxed                   // the box that it runs in
	variables               // what it is given for its environment
	changing                // it runs as somebody else, in another shell, with other input, or beside other lines
	lookAlike               // its name is that of the line, spelled in another way
)

// members are names of members as they are known, in small letters and without marks.
var members = func() map[string]member {
	known := map[string]member{}
	for kind, names := range map[member]string{
		harmless: `args description explanation justification reason rationale thought thinking goal intent purpose summary title label comment note
			background runinbackground isbackground detach detached async blocking wait waitms initialwait mode yieldtimems
			maxoutputtokens maxoutputlength maxoutput maxoutputbytes maxoutputlines outputlimit maxlines truncate captureoutput capture stream
			sessionid shellid terminalid callid toolcallid requestid login interactive tty pty restart reset
			requiresapproval safetoautorun securityrisk isreadonly readonly prefixrule requireuserapproval usermessage toolsummary
			toolaction waitmsbeforeasync waitforprevioustools waitforcompletion verbose verbosetiming commandtype n i seq nonce index number
			attempt`,
		inFolder: "cwd workdir workingdir workingdirectory directory dir dirpath directorypath currentdir currentdirectory cd",
		changing: `shellpath shelltype executable interpreter usesudo runas root asroot runasroot asadmin isinput precommand nosandbox disablesandbox
			dangerouslydisablesandbox sandboxpermissions withescalatedpermissions escalatedpermissions skippermissions envfile arguments argv
			params parameters`,
		boxed:     "containerid containername",
		lookAlike: "command cmd",
	} {
		for name := range strings.FieldsSeq(names) {
			known[name] = kind
		}
	}
	return known
}()

// memberWords are what one word of a name says of its member, wherever it stands in it.
var memberWords = func() map[string]member {
	known := map[string]member{}
	for kind, words := range map[member]string{
		changing: `shell sudo user runas uid gid privilege privileged privileges elevate elevated admin become escalate escalated bypass
			unsafe permissions stdin input inputs script scripts prefix pre post before after then exec preexec setup code commands commandline
			cmdline command cmd`,
		variables: "env envs environ environment vars variables",
		machine:   "host hostname ssh server machine remote device instance vm",
		boxed:     "container pod image namespace target box docker",
	} {
		for word := range strings.FieldsSeq(words) {
			known[word] = kind
		}
	}
	return known
}()

// memberOf says what a member is by its name: as it is known, or by the gravest word of it.
func memberOf(key string) member {
	kind := memberNamed(key)
	if kind != unknown {
		return kind
	}
	words := wordsOf(key)
	if last := words[len(words)-1]; last == "timeout" || slices.Contains(words, "timeout") && slices.Contains(units, last) {
		return harmless
	}
	for _, word := range words {
		kind = max(kind, memberWords[word])
	}
	return kind
}

// units are those of time as names have them.
var units = strings.Fields("ms sec secs second seconds millis milliseconds minutes s")

// wordsOf are the words of a name as it is put together: env_vars, runAs, SSH-Host. There is one at least.
func wordsOf(name string) (words []string) {
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

// memberNamed says what a member is by its whole name.
func memberNamed(key string) member {
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
func IsFolder(key string) bool { return memberNamed(key) == inFolder }
