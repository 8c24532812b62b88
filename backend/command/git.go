package command

import (
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
	"sekisho/backend/shell"
)

// steersGit reads the words before git's verb.
func (p *Part) steersGit(words []shell.Word) {
	for i, w := range words {
		switch {
		case w.Known() == "-c" && i+1 < len(words):
			p.Code = p.Code || !harmlessSetting(words[i+1])
		case strings.HasPrefix(w.Known(), "-c"):
			p.Code = true
		case strings.HasPrefix(w.Known(), "--git-dir"), strings.HasPrefix(w.Known(), "--work-tree"):
			p.Lost = true
		}
	}
}

// settings of git that run nothing.
var settings = strings.Fields("user. color. advice. core.quotepath= core.autocrlf= core.abbrev= init.defaultbranch= commit.gpgsign= " +
	"tag.gpgsign= log. status. pull.rebase= pull.ff= push.default= merge.conflictstyle= diff.renames= http.version=")

func harmlessSetting(w shell.Word) bool {
	key := strings.ToLower(w.Known())
	return slices.ContainsFunc(settings, func(known string) bool { return strings.HasPrefix(key, known) })
}

var (
	// running are settings of git, in small letters, whose value is a program, names a file of settings, or puts another
	// address in the place of one.
	running = lazyregexp.New(`pager|editor|cmd|command|hook|helper|program|fsmonitor|textconv|smudge|clean$|process$|driver|external|` +
		`askpass|proxy|insteadof|uploadpack|receivepack|uploadarchive|difffilter|templatedir|attributesfile|` +
		`^(alias|include|includeif|filter|man|browser|guitool)\.|\.(vcs|path)$|^submodule\..*\.update$|^sendemail\..*(server|cmd)`)
	asking    = lazyregexp.New(`^(--get.*|--list|-l|--show-.*|--name-only)$`)
	unsetting = lazyregexp.New(`^--(add|replace-all|unset.*|remove-section|rename-section|ed?i?t?)$|^-e$`)
)

// setsGit reads git config: to set what runs programs is code.
func (p *Part) setsGit() {
	opens := p.Verb == "config edit"
	sets := p.Verb == "config set" || len(p.Operands) > 1
	for _, o := range p.Options {
		opens = opens || o == "-e" || len(o) > 3 && strings.HasPrefix("--edit", o)
		sets = sets || unsetting.MatchString(o)
	}
	if slices.ContainsFunc(p.Options, asking.MatchString) && !opens {
		return
	}
	key := ""
	if len(p.Operands) > 0 {
		key = strings.ToLower(p.Operands[0])
	}
	p.Code = p.Code || opens || sets && (key == "" || running.MatchString(key))
}

// keeps reports whether a verb of git that would take away changes leaves the files alone:
// it is told to work on the index.
func (p *Part) keeps() bool {
	has := func(names ...string) bool {
		return slices.ContainsFunc(p.Options, func(o string) bool {
			return slices.ContainsFunc(names, func(n string) bool {
				return o == n || len(n) == 2 && isBundle(o) && strings.Contains(o, n[1:])
			})
		})
	}
	return p.Verb == "restore" && has("--staged", "-S") && !has("--worktree", "-W") || p.Verb == "rm" && has("--cached")
}
