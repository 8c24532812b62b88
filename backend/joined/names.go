package joined

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// parted stands between a server's id and a tool's name. No id has it.
const parted = "__"

// maxJoined is how long a name may be that every model accepts, in letters; MCP has 128.
const maxJoined = 64

// tails are the lengths of what is appended to a name that is not its tool's own, in hex
// digits: a longer one only where two of the shorter are the same.
var tails = [...]int{8, 16, 32}

// pair is a tool, a prompt, a resource or a template of these by its server and the name,
// or URI, that it has there.
type pair struct{ server, name string }

// plain is the name of a tool or prompt on the joined endpoint; own is false where it had to be
// changed or cut, and may be that of another one, too.
func (p pair) plain() (name string, own bool) {
	whole := p.server + parted + p.name
	name = strings.Map(accepted, whole)
	return name, name == whole && len(name) <= maxJoined
}

// tailed is a name that tells the tool apart by itself, whatever else is there.
func (p pair) tailed(digits int) string {
	name, _ := p.plain()
	sum := sha256.Sum256([]byte(p.server + "\x00" + p.name))
	return name[:min(len(name), maxJoined-digits-1)] + "_" + hex.EncodeToString(sum[:])[:digits]
}

// accepted gives the letters that MCP has for names of tools (2025-11-25, "Tool names"), and _
// for others.
func accepted(r rune) rune {
	if r < 0x80 && (r == '_' || r == '-' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
		return r
	}
	return '_'
}

// uniqueNames names tools, or prompts, so that no two have the same name, whatever their order. Names
// that are the same after all tails are left out.
func uniqueNames(pairs []pair) map[string]pair {
	names := make(map[pair]string, len(pairs))
	for _, p := range pairs {
		name, own := p.plain()
		if !own {
			name = p.tailed(tails[0])
		}
		names[p] = name
	}
	for _, digits := range tails {
		for _, p := range twice(names) {
			names[p] = p.tailed(digits)
		}
	}
	for _, p := range twice(names) {
		delete(names, p)
	}
	of := make(map[string]pair, len(names))
	for p, name := range names {
		of[name] = p
	}
	return of
}

// twice gives the tools that have a name in common with another one.
func twice(names map[pair]string) (same []pair) {
	bearers := make(map[string]int, len(names))
	for _, name := range names {
		bearers[name]++
	}
	for p, name := range names {
		if bearers[name] > 1 {
			same = append(same, p)
		}
	}
	return same
}
