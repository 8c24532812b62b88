package signin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/oauth2"

	"sekisho/backend/permission"
)

const (
	early      = 30 * time.Second // before its end, a token is renewed
	restsFor   = 5 * time.Second  // after a renewal that failed, the next one for a token that is good still
	lastWithin = 2 * time.Second  // a renewal may take that long when the desk ends: what it brings is to be kept
)

// renewal is the one that is under way for a ticket.
type renewal struct {
	of   *ticket
	done chan struct{} // closed at its end
}

// Authorization is the header's value for a request to a server's URL; "" when there is
// none for it. A token that is due is renewed first.
func (b *Book) Authorization(ctx context.Context, id, url string) string {
	t := b.ticket(id, url)
	if t == nil {
		return ""
	}
	if t.Refresh != "" && !t.Expiry.IsZero() && time.Until(t.Expiry) < early && !b.resting(id, t) {
		if next := b.renew(ctx, id, t); next != nil {
			t = next
		}
	}
	return t.header()
}

// Renewed is another value in the place of one that the server refused; "" when there is
// none.
func (b *Book) Renewed(ctx context.Context, id, url, refused string) string {
	t := b.ticket(id, url)
	if t == nil {
		return ""
	}
	if t.header() == refused {
		t = b.renew(ctx, id, t)
	}
	if t == nil {
		return ""
	}
	return t.header()
}

func (t *ticket) header() string { return "Bearer " + t.Access }

func (b *Book) ticket(id, url string) *ticket {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.pages[id]; p != nil && p.ticket != nil && p.ticket.Server == url {
		return p.ticket
	}
	return nil
}

// resting reports whether a ticket is good still, and a renewal has just failed.
func (b *Book) resting(id string, t *ticket) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, now := b.pages[id], time.Now()
	return p != nil && now.Before(p.rests) && now.Before(t.Expiry)
}

// renew changes a ticket for a new one, once, however many ask; nil when that cannot be, or
// nobody waits for it any more.
func (b *Book) renew(ctx context.Context, id string, old *ticket) *ticket {
	r := b.renewal(id, old)
	if r != nil {
		select {
		case <-r.done:
		case <-ctx.Done():
			return nil
		}
	}
	if now := b.ticket(id, old.Server); now != old {
		return now
	}
	return nil
}

// renewal is the one that is under way for a ticket, or that begins; nil when none can.
func (b *Book) renewal(id string, old *ticket) *renewal {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pages[id]
	if p == nil || p.ticket != old || b.closed {
		return nil // somebody was faster, or all is over
	}
	if old.Refresh == "" {
		b.expire(id, old, "the authorization server gave no token that renews")
		return nil
	}
	if p.renewal == nil || p.renewal.of != old {
		p.renewal = &renewal{old, make(chan struct{})}
		b.busy.Add(1)
		go b.carryOut(id, p, p.renewal)
	}
	return p.renewal
}

// carryOut renews a ticket, though nobody may wait for it any more: the authorization server
// may take the old one no second time.
func (b *Book) carryOut(id string, p *page, r *renewal) {
	defer b.busy.Done()
	defer close(r.done)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(b.life, func() {
		select {
		case <-time.After(lastWithin):
			cancel()
		case <-ctx.Done():
		}
	})()
	next, err := exchangeRefresh(ctx, r.of)
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.renewal == r {
		p.renewal = nil
	}
	switch {
	case err == nil:
		b.keep(id, r.of, next)
	case ends(err):
		b.expire(id, r.of, inWords(err, r.of.secrets()...))
	default:
		p.rests = time.Now().Add(restsFor)
		b.opts.Logger.Warn("renew the sign-in to a server", "server", id, "error", inWords(err, r.of.secrets()...))
	}
}

// endings are the codes of a refusal that no later renewal changes: those of RFC 6749,
// section 5.2, and one that GitHub answers in the place of invalid_grant.
var endings = []string{"invalid_grant", "invalid_client", "bad_refresh_token"}

// ends reports whether a renewal failed for good. What a proxy refuses, or an authorization
// server that is asked too often, says nothing of the token.
func ends(err error) bool {
	var refusal *oauth2.RetrieveError
	if !errors.As(err, &refusal) {
		return false
	}
	if refusal.ErrorCode != "" || refusal.Response == nil {
		return slices.Contains(endings, refusal.ErrorCode)
	}
	return refusal.Response.StatusCode == http.StatusBadRequest || refusal.Response.StatusCode == http.StatusUnauthorized
}

// exchangeRefresh renews a ticket. The library's own way to do so names no resource.
func exchangeRefresh(ctx context.Context, old *ticket) (*ticket, error) {
	at, err := url.Parse(old.Server)
	if err != nil {
		return nil, err
	}
	g, err := guardOf(ctx, at)
	if err != nil {
		return nil, err
	}
	if err := g.check("token endpoint", old.TokenURL); err != nil {
		return nil, err
	}
	config := oauth2.Config{ClientID: old.ClientID, ClientSecret: old.ClientSecret,
		Endpoint: oauth2.Endpoint{TokenURL: old.TokenURL, AuthStyle: old.Style}}
	token, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, g.client()), "",
		oauth2.SetAuthURLParam("grant_type", "refresh_token"),
		oauth2.SetAuthURLParam("refresh_token", old.Refresh), oauth2.SetAuthURLParam("resource", old.Resource))
	if err != nil {
		return nil, err
	}
	return old.with(token)
}

// expire notes that a ticket is of no use any more. The caller holds the lock.
func (b *Book) expire(id string, old *ticket, why string) {
	p := b.pages[id]
	if p == nil || p.ticket != old {
		return
	}
	p.retire()
	p.state, p.why = permission.SignInExpired, why
	b.note(permission.SignInChange{What: permission.EventSignInExpired, ServerID: id, Issuer: old.Issuer, Scopes: old.Scopes, Why: why})
	b.disk.write(func() error {
		if err := b.secrets.ChangeSecrets(nil, []string{namePrefix + id}); err != nil {
			b.opts.Logger.Warn("forget a sign-in", "server", id, "error", err)
		}
		return nil
	})
}

// keep puts a renewed ticket in the place of one. Where that is not in use any more, what
// the renewal brought is taken back. The caller holds the lock.
func (b *Book) keep(id string, old, next *ticket) {
	p := b.pages[id]
	if p != nil && p.ticket == old {
		b.put(id, p, next)
	} else if p == nil || next.isApart(p.ticket) {
		b.takeBackLater(id, next)
	}
}

// put makes a ticket that of a page. The caller holds the lock.
func (b *Book) put(id string, p *page, next *ticket) {
	p.retire()
	p.ticket, p.state, p.why, p.issuer, p.rests = next, permission.SignedIn, "", next.Issuer, time.Time{}
	b.disk.write(func() error {
		raw, err := json.Marshal(next)
		if err == nil {
			err = b.secrets.ChangeSecrets(map[string]string{namePrefix + id: string(raw)}, nil)
		}
		if err != nil { // it is good as long as the desk lives
			b.opts.Logger.Warn("keep a sign-in", "server", id, "error", err)
		}
		return nil
	})
}

// isApart reports whether a ticket can be taken back while another one is in use: where both
// are of one client, an authorization server may take back all that it has.
func (t *ticket) isApart(used *ticket) bool {
	return used == nil || t.ClientID != used.ClientID || t.Issuer != used.Issuer
}
