package command

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
	"sekisho/backend/shell"
)

// trigger is a word that makes a program do something else than without it, such as run
// another one. By how it is written it is
//
//   - "-e", a letter: in any bundle of them, and with its value attached (-avesh);
//   - "--rsh", an option: also abbreviated, with its value attached, and with one dash;
//   - "-exec", an option that has no shorter form, with one dash or two;
//   - "^SHELL=", what begins with it;
//   - "*=", what has it anywhere;
//   - "~key", the same in letters of any size;
//   - "exec", this word;
//   - "<glob>", "<url>" and the like, a word of that kind;
//   - "*", any word.
type trigger string

// takes reports whether w is what t names, or may be.
func (t trigger) takes(w *shell.Word) bool {
	text, at := string(t), strings.TrimLeft(string(t), "-")
	switch dashes := len(text) - len(at); {
	case dashes > 0 && !w.Open && !strings.HasPrefix(w.Head, "-"):
		return false
	case text[0] == '<':
		return isKind(w, text)
	case text[0] == '*':
		return w.Open || strings.Contains(w.Head, text[1:])
	case text[0] == '~':
		return strings.Contains(strings.ToLower(w.Head), text[1:])
	case text[0] == '^':
		return strings.HasPrefix(w.Head, text[1:]) || w.Open && strings.HasPrefix(text[1:], w.Head)
	case dashes == 0:
		return isWord(w, text)
	case dashes == 1 && len(at) == 1:
		return w.Open && w.Head == "" || isBundle(w.Head) && (w.Open || strings.Contains(w.Head, at))
	case dashes == 1:
		option := optionOf(w)
		return isWord(&option, at)
	}
	return abbreviates(w, at)
}

// isWord reports whether w is this word, or may be.
func isWord(w *shell.Word, text string) bool {
	return w.Head == text || w.Open && strings.HasPrefix(text, w.Head) && strings.HasSuffix(text, w.Tail)
}

// optionOf is the name of the option that w is, without dashes and value. It is one that
// no option has, if w is none.
func optionOf(w *shell.Word) shell.Word {
	if !strings.HasPrefix(w.Head, "-") && (!w.Open || w.Head != "") {
		return shell.Word{Head: "-"}
	}
	name, _, _ := strings.Cut(strings.TrimLeft(w.Head, "-"), "=")
	if strings.Contains(w.Tail, "=") {
		return shell.Word{Head: name, Open: true}
	}
	return shell.Word{Head: name, Tail: w.Tail, Open: w.Open}
}

// abbreviates reports whether w is the option of this name or begins it, or may. One
// letter after one dash is no long option.
func abbreviates(w *shell.Word, name string) bool {
	given := optionOf(w)
	if given.Open {
		return strings.HasPrefix(name, given.Head) // a value may follow
	}
	long := len(given.Head) > 1 || len(given.Head) == 1 && !isBundle(w.Head)
	return long && strings.HasPrefix(name, given.Head)
}

func isBundle(text string) bool {
	return strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--")
}

// met reports whether w is what t names. Of a word that is open only its beginning counts:
// what a variable holds keeps a part from being low, and does not make it code.
func (t trigger) met(w shell.Word) bool {
	w = told(w)
	return t.hits(&w)
}

// told is a word as triggers look at it.
func told(w shell.Word) shell.Word {
	if w.Literal {
		w.Head, w.Tail, w.Open = w.Text, "", false
	}
	return w
}

// hits is met of a word that told has given.
func (t trigger) hits(w *shell.Word) bool {
	if t[0] == '<' || !w.Open || strings.HasPrefix(w.Head, "-") {
		return t.takes(w)
	}
	known := shell.Word{Head: w.Head}
	return w.Head != "" && strings.IndexByte("*^~", t[0]) >= 0 && t.takes(&known)
}

// metApart reports whether a word and the one behind it are what t begins with: a long
// option and its value.
func (t trigger) metApart(w, value *shell.Word) bool {
	if t[0] != '^' || !w.Literal || !value.Literal || !strings.HasPrefix(w.Text, "--") {
		return false
	}
	rest, ok := strings.CutPrefix(string(t[1:]), w.Text)
	return ok && strings.HasPrefix(rest, "=") && strings.HasPrefix(value.Text, rest[1:])
}

// A mode of a file that lends its owner's rights, or lets everybody write it, as a number
// and by letters.
var (
	opensMode    = lazyregexp.New(`^(-m|--mode=)?(0*[1-7][0-7]{3}|0*[0-7]{0,2}[2367])$`)
	opensLetters = lazyregexp.New(`^(-m|--mode=)?([ugoa]*[-+=][rwxXst]*,)*` +
		`([ugoa]*[+=][rwxXt]*s[rwxXst]*|[ugoa]*[oa][ugoa]*[+=][rxXst]*w[rwxXst]*)(,.*)?$`)
)

// addresses of code begin so, where they have no scheme.
var addresses = []string{"git@", "git+", "github:", "gitlab:", "bitbucket:", "gist:"}

// optionName is that of a long option with its value behind it.
var optionName = lazyregexp.New(`^--[a-z-]+=`)

// isKind reports whether w is of a kind of words.
func isKind(w *shell.Word, kind string) bool {
	switch kind {
	case "<glob>":
		return w.Glob
	case "<url>":
		value := w.Head
		if strings.HasPrefix(value, "--") {
			value = value[len(optionName.FindString(value)):]
		}
		return strings.Contains(w.Head, "://") && !registries.MatchString(w.Head) ||
			slices.ContainsFunc(addresses, func(a string) bool { return strings.HasPrefix(value, a) || strings.Contains(w.Head, "@"+a) })
	case "<remote>":
		host, _, remote := strings.Cut(w.Head, ":")
		return remote && !strings.Contains(host, "/") && host != "" || strings.HasPrefix(w.Head, "rsync://")
	case "<mode>":
		return opensMode.MatchString(w.Head) || opensLetters.MatchString(w.Head)
	case "<rootmount>":
		return mountsSystem(w.Head)
	case "<spec>":
		return isWhole(*w)
	case "<pipe>":
		return pipes.MatchString(w.Head)
	case "<input>":
		return w.Head == "-" && !w.Open
	case "<wire>":
		scheme, _, is := strings.Cut(strings.ToLower(w.Head), "://")
		return is && wires[strings.TrimPrefix(scheme, "--url=")]
	case "<method>":
		return methods.MatchString(w.Head)
	case "<shorthand>":
		return shorthand.MatchString(w.Head)
	case "<secrets>":
		return secretKinds.MatchString(w.Head)
	}
	return false
}

var (
	// pipes is an output that another program gets.
	pipes = lazyregexp.New(`^(-[A-Za-z]*|--[a-z-]+=)?\|`)
	// wires are protocols by which an address itself says what is sent.
	wires = setOf("telnet gopher gophers dict tftp ldap ldaps smtp smtps imap imaps pop3 pop3s smb smbs mqtt mqtts rtmp rtsp sftp scp ws wss")
	// methods are those of HTTP that send, in letters of any size.
	methods = lazyregexp.New(`(?i)^(-[a-z]*X|--request=)?=?(POST|PUT|PATCH|DELETE)$`)
	// shorthand is a repository by its owner and name.
	shorthand = lazyregexp.New(`^[A-Za-z0-9][\w.-]*/[\w.-]+(#.*)?$`)
	// registries are where packages are known by name.
	registries = lazyregexp.New(`^(--?[a-z-]+=)?https://(registry\.npmjs\.org|registry\.yarnpkg\.com|npm\.pkg\.github\.com|` +
		`(test\.)?pypi\.org|download\.pytorch\.org|files\.pythonhosted\.org|rubygems\.org|proxy\.golang\.org)(/|$)`)
	// secretKinds are lists of a cluster's kinds of things with its secrets.
	secretKinds = lazyregexp.New(`(?i)(^|,)secrets?([/.,]|$)`)
	mounts      = setOf("/ /etc /root /boot /proc /sys /dev /usr /var /run /lib /bin /sbin /home")
	mountOption = lazyregexp.New(`^(--volume=|--mount=|-[A-Za-z]*v=?)`)
)

func setOf(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// mountsSystem reports whether a word has a container see the root, a folder of the system
// or the socket by which it can start others.
func mountsSystem(text string) bool {
	text = text[len(mountOption.FindString(text)):]
	host, _, is := strings.Cut(text, ":")
	for member := range strings.SplitSeq(text, ",") {
		if key, value, has := strings.Cut(strings.ReplaceAll(member, `"`, ""), "="); has && (key == "src" || key == "source") {
			host, is = value, true
		}
	}
	if !is || !strings.HasPrefix(host, "/") {
		return false
	}
	host = path.Clean(host)
	return strings.HasSuffix(host, ".sock") || mounts[host]
}

// isWhole reports whether a word is a pattern of git for files, or names a folder of them.
func isWhole(w shell.Word) bool {
	text := w.Known()
	return w.Glob || w.Literal && strings.ContainsAny(text, "*?[") || strings.HasPrefix(text, ":") ||
		slices.Contains([]string{".", "..", "/"}, text) || len(text) > 1 && strings.HasSuffix(text, "/") && !strings.HasPrefix(text, "-")
}
