package signin

import (
	"time"

	"sekisho/backend/permission"
)

// page is what is known of one server.
type page struct {
	ticket  *ticket   // nil: not signed in
	renewal *renewal  // nil: none is under way
	rests   time.Time // until then, no token is renewed that is good still
	waiting *visit    // nil: nobody is in the browser
	past    []string  // access tokens that were in use before
	lacks   []string  // scopes that the server wants beyond those of the ticket
	short   bool      // it refused something for want of scopes
	state   permission.SignInState
	why     string
	issuer  string
}

// renewal is the one that is under way for a ticket.
type renewal struct {
	of   *ticket
	done chan struct{} // closed at its end
}

// beginning is a sign-in before its URL is known.
type beginning struct {
	server permission.Server
	gone   bool // the server was removed, or has another URL, meanwhile
}

// maxPast is how many access tokens are remembered after they were renewed.
const maxPast = 8

// standing is a sign-in without its client. The caller holds the book's lock.
func (p *page) standing(server permission.Server) permission.SignIn {
	switch {
	case p == nil, p.ticket != nil && p.ticket.Server != server.URL && p.waiting == nil:
		return permission.SignIn{State: permission.SignedOut}
	case p.waiting != nil:
		return permission.SignIn{State: permission.SignInWaiting, Issuer: p.waiting.meta.Issuer, URL: p.waiting.url}
	case p.ticket == nil:
		return permission.SignIn{State: p.state, Issuer: p.issuer, Error: p.why}
	}
	wants, why := p.wants()
	if p.why != "" {
		why = p.why
	}
	return permission.SignIn{State: p.state, Issuer: p.issuer, Error: why, Wants: wants}
}

// leave ends what waits in a browser. The caller holds the lock.
func (p *page) leave() {
	if p.waiting != nil {
		p.waiting.cancel()
		p.waiting = nil
	}
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

// secrets are those of a page: of the ticket that there is, and the access tokens before
// it, which the server has been sent. The caller holds the book's lock.
func (p *page) secrets() []string {
	if p.ticket == nil {
		return p.past
	}
	return append(p.ticket.secrets(), p.past...)
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
