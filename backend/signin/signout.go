package signin

import (
	"context"
	"maps"

	"sekisho/backend/permission"
)

// SignOut forgets a server's tokens, and ends a sign-in that waits; a client that a person
// registered stays, and is in the answer. Then it asks the authorization server to take the
// tokens back; the answer says if that failed, which changes nothing here.
func (b *Book) SignOut(ctx context.Context, id string) (permission.SignIn, error) {
	out := permission.SignIn{State: permission.SignedOut}
	b.mu.Lock()
	t, dropped := b.drop(id, "")
	if c := b.clients[id]; c != nil {
		out.Client = c.shown(c.Server)
	}
	asks := t != nil && b.enter()
	b.mu.Unlock()
	if asks {
		defer b.busy.Done()
	}
	if err := <-dropped; err != nil || !asks {
		return out, err
	}
	if out.Error = b.takeBack(ctx, id, t); out.Error != "" {
		out.Issuer = t.Issuer
	}
	return out, nil
}

// Keep forgets the sign-ins of servers that are gone, or are elsewhere now, and those to
// them that have begun. It does not wait until their tokens are taken back.
func (b *Book) Keep(servers []permission.Server) {
	at := map[string]string{}
	for _, s := range servers {
		at[s.ID] = s.URL
	}
	var ends []func()
	b.mu.Lock()
	for id, c := range maps.Clone(b.clients) {
		if at[id] == c.Server {
			continue
		}
		forgotten := b.forgetClient(id)
		ends = append(ends, func() {
			if err := <-forgotten; err != nil {
				b.opts.Logger.Warn("forget the client of a sign-in", "server", id, "error", err)
			}
		})
	}
	for begun := range b.begins {
		if at[begun.server.ID] != begun.server.URL {
			begun.gone = true
		}
	}
	for id, p := range maps.Clone(b.pages) {
		if url, listed := at[id]; listed && (p.ticket == nil || p.ticket.Server == url) {
			if p.waiting != nil && p.waiting.server.URL != url {
				p.leave()
			}
			continue
		}
		t, dropped := b.drop(id, "the server was removed, or has another URL")
		ends = append(ends, func() { b.dropped(id, t, <-dropped) })
	}
	b.mu.Unlock()
	for _, end := range ends {
		end()
	}
}

// dropped has the tokens of what was forgotten taken back.
func (b *Book) dropped(id string, t *ticket, err error) {
	if err != nil {
		b.opts.Logger.Warn("forget a sign-in", "server", id, "error", err)
		return
	}
	if t != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.takeBackLater(id, t)
	}
}

// drop forgets what is known of a server, and gives the ticket that there was, if any. Where
// that cannot be written, it is known again. The caller holds the lock.
func (b *Book) drop(id, why string) (*ticket, <-chan error) {
	p := b.pages[id]
	if p == nil {
		return nil, nothing()
	}
	p.leave()
	delete(b.pages, id)
	t := p.ticket
	return t, b.disk.write(func() error {
		if err := b.secrets.ChangeSecrets(nil, []string{namePrefix + id}); err != nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.pages[id] == nil {
				b.pages[id] = p
			}
			return err
		}
		if t != nil {
			b.tell(permission.SignInChange{What: permission.EventSignedOut, ServerID: id, Issuer: t.Issuer, Scopes: t.Scopes, Why: why})
		}
		return nil
	})
}
