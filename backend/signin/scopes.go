package signin

import (
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"sekisho/backend/permission"
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

// Lacks takes a server's refusal (HTTP 403) of a request that was sent with a value of
// Authorization, by the headers WWW-Authenticate of its answer. It gives words for whoever
// asked; none when the refusal is not for want of rights.
func (b *Book) Lacks(id, url, sent string, challenges []string) (words string) {
	needs, lacks := insufficient(challengesIn(challenges))
	if !lacks {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pages[id]
	if p == nil || p.ticket == nil || p.ticket.Server != url || p.ticket.header() != sent {
		return "the sign-in to the server is another one by now. Nothing was executed: repeat it"
	}
	needs = clean(needs, p.secrets())
	b.complain(id, p, without(needs, p.ticket.Scopes))
	return p.verdict(needs)
}

// complain notes what a server wants, once. The caller holds the lock.
func (b *Book) complain(id string, p *page, missing []string) {
	lacks := union(p.lacks, missing)
	if p.short && len(lacks) == len(p.lacks) {
		return
	}
	p.lacks, p.short = lacks, true
	b.note(permission.SignInChange{What: permission.EventSignInLacks, ServerID: id, Issuer: p.ticket.Issuer, Scopes: missing})
}

// verdict says what a refusal means for whoever asked. The caller holds the book's lock.
func (p *page) verdict(needs []string) string {
	missing := without(needs, p.ticket.Scopes)
	switch {
	case len(without(missing, p.ticket.Asked)) > 0:
		return "the server wants more rights than its sign-in has (" + listed(missing) +
			"). Nothing was executed. A person gives them on the servers screen, by signing in again: then repeat it"
	case len(missing) > 0:
		return "the server wants rights that the authorization server did not give to the sign-in (" + listed(missing) + "). Nothing was executed"
	case len(needs) > 0:
		return "the server refuses it for want of rights that its sign-in has (" + listed(needs) + "). Nothing was executed"
	}
	return "the server wants more rights than its sign-in has, and does not say which. Nothing was executed"
}

// wants are the scopes that signing in again would ask for anew, and why it is no help for
// the rest of what the server wants. The caller holds the book's lock.
func (p *page) wants() (scopes []string, why string) {
	if !p.short {
		return nil, ""
	}
	scopes = without(p.lacks, p.ticket.Asked)
	switch ungiven := without(p.lacks, scopes); {
	case len(ungiven) > 0:
		why = "the server wants rights that the authorization server did not give: " + listed(ungiven)
	case len(scopes) == 0:
		why = "the server refused something for want of rights, and names none that the sign-in lacks"
	}
	return scopes, why
}

// asked are the scopes that a sign-in asks for beside what the server says at its start:
// those of the sign-in that there is, and what the server wants since.
func (b *Book) asked(server permission.Server) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pages[server.ID]
	switch {
	case p == nil:
		return nil
	case p.ticket == nil:
		return p.lacks
	case p.ticket.Server != server.URL:
		return nil
	}
	return union(p.ticket.Scopes, p.lacks)
}
