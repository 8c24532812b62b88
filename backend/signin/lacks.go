package signin

import "sekisho/backend/permission"

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
