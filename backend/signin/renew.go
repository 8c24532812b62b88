package signin

import (
	"context"
	"time"

	"sekisho/backend/permission"
)

const (
	early      = 30 * time.Second // before its end, a token is renewed
	restsFor   = 5 * time.Second  // after a renewal that failed, the next one for a token that is good still
	lastWithin = 2 * time.Second  // a renewal may take that long when the desk ends: what it brings is to be kept
)

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
