package signin

import (
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Bounds of what is believed of another's words about scopes.
const (
	maxChallenge = 8 << 10 // bytes of all WWW-Authenticate headers of an answer
	maxScope     = 128     // bytes of one scope
	maxScopes    = 64
	maxListed    = 120 // bytes of scopes in a sentence
)

// challengesIn reads headers of a refusal. What is too long or cannot be read says nothing.
func challengesIn(headers []string) []oauthex.Challenge {
	size := 0
	for _, h := range headers {
		size += len(h)
	}
	if size > maxChallenge { // reading them costs more than their length
		return nil
	}
	challenges, err := oauthex.ParseWWWAuthenticate(headers)
	if err != nil {
		return nil
	}
	return challenges
}

// scopesAsked are those of the server's refusal; nil when it names none.
func scopesAsked(challenges []oauthex.Challenge) []string {
	for _, c := range challenges {
		if c.Scheme == "bearer" && c.Params["scope"] != "" {
			return scopesIn(c.Params["scope"])
		}
	}
	return nil
}

// insufficient reports whether a refusal is for want of scopes (RFC 6750, section 3.1), and
// which the request needs, so far as it names them.
func insufficient(challenges []oauthex.Challenge) (needs []string, lacks bool) {
	for _, c := range challenges {
		if c.Scheme == "bearer" && c.Params["error"] == "insufficient_scope" {
			return scopesIn(c.Params["scope"]), true
		}
	}
	return nil, false
}

// scopesIn reads a list of scopes (RFC 6749, section 3.3), and leaves out what is none.
func scopesIn(list string) []string { return union(strings.Fields(list)) }

// union is all scopes of some lists, each once, in their order.
func union(lists ...[]string) (all []string) {
	for _, scope := range slices.Concat(lists...) {
		if len(all) < maxScopes && isScope(scope) && !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

func isScope(s string) bool {
	return s != "" && len(s) <= maxScope && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// without is those of some scopes that others have not.
func without(scopes, others []string) (rest []string) {
	for _, s := range scopes {
		if !slices.Contains(others, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// clean is those of some scopes that repeat no secret: scopes are shown, and kept in the
// journal.
func clean(scopes, secrets []string) (shown []string) {
	for _, s := range scopes {
		if hidden(s, secrets) == s {
			shown = append(shown, s)
		}
	}
	return shown
}

// listed names scopes in a sentence.
func listed(scopes []string) string {
	all := strings.Join(scopes, " ")
	if len(all) > maxListed {
		return all[:maxListed] + "…"
	}
	return all
}
