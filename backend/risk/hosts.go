package risk

import (
	"net/netip"
	"strings"
	"unicode"

	"sekisho/backend/spoof"
)

// maxHost is more than the name of a host has, with a user before it.
const maxHost = 512

// deceivingHost gives the first host of the addresses in a text that could be taken for
// another one, or "".
func deceivingHost(text string) string {
	for rest := text; ; {
		at := strings.Index(rest, "://")
		if at < 0 {
			return ""
		}
		rest = rest[at+len("://"):]
		authority := rest[:min(len(rest), maxHost)]
		if end := strings.IndexAny(authority, "/?# \t\r\n\"'<>|;)"); end >= 0 {
			authority = authority[:end]
		}
		if deceives(authority) {
			return authority
		}
	}
}

// deceives reports whether a host with what stands before it could be taken for another
// one: a user that looks like a host, letters of other scripts among Latin ones, or in the
// form that hides them, characters that nobody sees, an address written as one number.
func deceives(authority string) bool {
	user, host, found := cutLast(authority, "@")
	if !found {
		user, host = "", authority
	}
	name, _, _ := strings.Cut(user, ":")
	switch {
	case strings.Contains(name, ".") && !strings.ContainsAny(name, "${"), strings.Contains(host, `\`):
		return true
	case len(spoof.HiddenInName(host)) > 0 || mimics(host):
		return true
	}
	host = strings.ToLower(host)
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:colon]
	}
	for label := range strings.SplitSeq(host, ".") {
		if strings.HasPrefix(label, "xn--") || len(spoof.LookAlikesInName(label)) > 0 {
			return true
		}
	}
	digits := host != "" && strings.Trim(host, "0123456789") == ""
	return digits || strings.HasPrefix(host, "0x") || oddAddress(host)
}

// oddAddress reports whether a host is an address with numbers of another base.
func oddAddress(host string) bool {
	if host == "" || strings.Trim(host, "0123456789.abcdefx") != "" || host[0] < '0' || host[0] > '9' || strings.Count(host, ".") != 3 {
		return false
	}
	_, err := netip.ParseAddr(host)
	return err != nil && strings.Trim(host, "0123456789.x") == ""
}

func cutLast(text, sep string) (before, after string, found bool) {
	if at := strings.LastIndex(text, sep); at >= 0 {
		return text[:at], text[at+len(sep):], true
	}
	return text, "", false
}

// isLoopback reports whether an address is one of one's own machine.
func isLoopback(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	host := rest
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	if _, after, user := cutLast(host, "@"); user {
		host = after
	}
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:colon]
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// mimics reports whether a name has a character that looks like a stroke, a dot or a
// letter of ASCII in another width.
func mimics(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool {
		return r == 0x2215 || r == 0x2044 || r == 0x29F8 || r == 0xFF0F || r == 0xFF0E || r == 0x3002 || r == 0x2024 ||
			r >= 0xFF21 && r <= 0xFF3A ||
			r >= 0xFF41 && r <= 0xFF5A
	})
}

// mixesScripts reports whether a text has a word of Latin letters with letters among them
// that pass for Latin ones.
func mixesScripts(text string) bool {
	ascii := true
	for i := range len(text) {
		ascii = ascii && text[i] < 0x80
	}
	if ascii {
		return false
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		latin := strings.ContainsFunc(word, func(r rune) bool { return r < 0x80 })
		if latin && len(spoof.LookAlikesInName(word)) > 0 {
			return true
		}
	}
	return false
}
