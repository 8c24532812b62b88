package signin

import (
	"slices"
	"strings"

	"sekisho/backend/permission"
)

const (
	minHidden = 8 // bytes of a secret that is looked for: shorter ones stand in words that are none
	maxPast   = 8 // access tokens that are remembered after they were renewed
)

// hidden puts the mask in the place of secrets: an authorization server may repeat in its
// refusal what it was sent. The longest goes first, since one may begin with another.
func hidden(words string, secrets []string) string {
	for _, secret := range slices.SortedFunc(slices.Values(secrets), func(a, b string) int { return len(b) - len(a) }) {
		if len(secret) >= minHidden {
			words = strings.ReplaceAll(words, secret, permission.Mask)
		}
	}
	return words
}

// secrets are what nobody must be shown of a ticket.
func (t *ticket) secrets() []string { return []string{t.Access, t.Refresh, t.ClientSecret} }

// secrets are those of a page: of the ticket that there is, and the access tokens before
// it, which the server has been sent. The caller holds the book's lock.
func (p *page) secrets() []string {
	if p.ticket == nil {
		return p.past
	}
	return append(p.ticket.secrets(), p.past...)
}

// Known are the secrets of the sign-in to a server, which what it says must not show.
func (b *Book) Known(id string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var known []string
	if p := b.pages[id]; p != nil {
		known = append(known, p.secrets()...)
	}
	if c := b.clients[id]; c != nil {
		known = append(known, c.Secret)
	}
	return known
}

// retire takes a page's ticket out of use. The caller holds the book's lock.
func (p *page) retire() {
	if p.ticket == nil {
		return
	}
	p.past = append(p.past, p.ticket.Access)
	p.past = append([]string(nil), p.past[max(0, len(p.past)-maxPast):]...) // those that were given away stay as they are
	p.ticket = nil
}
