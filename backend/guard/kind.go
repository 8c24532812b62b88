package guard

import (
	"net/netip"
	"path"
	"strings"

	"sekisho/backend/lazyregexp"
)

// The kinds of values that are known by their form.
var forms = map[string]*lazyregexp.Regexp{
	"number":  lazyregexp.New(`^[0-9]{1,9}$`),
	"size":    lazyregexp.New(`^[+-]?[0-9]{1,12}(\.[0-9]+)?([bcwkKMGT]|[kKMG]i?B)?$`),
	"word":    lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.:,/+-]*$`),
	"define":  lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*(=[^\n]*)?$`),
	"plus":    lazyregexp.New(`^\+`),
	"package": lazyregexp.New(`^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*(@[A-Za-z0-9^~<>=*][A-Za-z0-9.^~<>=*+-]*)?$`),
	"ref":     lazyregexp.New(`^[\pL\pN_@.][\pL\pN_@./~^{}#+=,-]*$`),
	"object":  lazyregexp.New(`^[\pL\pN_@.^/][^\n]*$`),
}

// value judges a value of an option, or an operand, by its kind.
func (j *judging) value(kind, value, of string) *Refusal {
	if list, is := strings.CutPrefix(kind, "{"); is {
		return j.listed(strings.TrimSuffix(list, "}"), value)
	}
	if form := forms[kind]; form != nil && !form.MatchString(value) {
		if leaves(value) {
			return refuse(PathOutside, "%s", shortened(value))
		}
		return j.refuse("%s is no %s, which is what it takes here", value, kind)
	}
	switch kind {
	case "text", "number", "size", "define", "plus":
		return nil
	case "url":
		return j.address(value)
	case "path":
		return j.path(value)
	case "object", "argument":
		return j.object(value)
	}
	if leaves(value) { // word, ref, package
		return refuse(PathOutside, "%s", shortened(value))
	}
	return nil
}

// listed judges a value that is one of some words.
func (j *judging) listed(list, value string) *Refusal {
	for one := range strings.SplitSeq(list, ",") {
		if strings.TrimPrefix(one, "!") == value {
			return nil
		}
	}
	return j.refuse("%s is none of its listed words", value)
}

// path judges a path of the workspace.
func (j *judging) path(value string) *Refusal {
	switch {
	case strings.HasPrefix(value, "@"), strings.HasPrefix(value, ":"):
		return j.refuse("a path that begins with @ or : means something else: %s", value)
	case j.program == "tar" && strings.Contains(value, ":"):
		return j.refuse("a path with a colon names another machine: %s", value)
	case value == "-":
		return j.refuse("%s is no path of the workspace", value)
	}
	clean, bad := inside(j.root, value, false)
	if bad == nil {
		j.verdict.Paths = append(j.verdict.Paths, clean)
	}
	return bad
}

// object judges a word that may be a path, a version of git, or an argument of a script.
func (j *judging) object(value string) *Refusal {
	for piece := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("=:,@", r) }) {
		if leaves(piece) {
			if clean := path.Clean(piece); j.root != "" && !hasParent(piece) && strings.HasPrefix(clean+"/", j.root+"/") {
				continue
			}
			return refuse(PathOutside, "%s", shortened(value))
		}
	}
	return nil
}

// leaves reports whether a word, read as a path, is absolute or has a part "..".
func leaves(value string) bool { return strings.HasPrefix(value, "/") || hasParent(value) }

func hasParent(value string) bool {
	for part := range strings.SplitSeq(value, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// addressed is an address of a repository, without a name and password.
var addressed = lazyregexp.New(`^(?i:https?)://([A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[A-Za-z0-9._~/+%-]*)?$`)

// address judges the address of a repository.
func (j *judging) address(value string) *Refusal {
	found := addressed.FindStringSubmatch(value)
	switch {
	case leaves(value):
		return refuse(PathOutside, "%s", shortened(value))
	case found == nil:
		return j.refuse("%s is no address of https or http without a name and password", value)
	case local(strings.Trim(found[1], "[]")):
		return j.refuse("%s is an address of this machine", value)
	}
	return nil
}

// local reports whether a host is this machine.
func local(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified())
}

func isNumber(s string) bool { return forms["number"].MatchString(s) }

func isLetters(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
