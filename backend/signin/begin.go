package signin

import (
	"context"
	"errors"
	"net"

	"sekisho/backend/permission"
)

// Begin starts a sign-in and gives the URL that the person is to open. It waits for them
// on a port of this machine, for as long as Options.Wait. One that waits already ends.
// What a person says of a client is kept; where said is nil, what is kept goes on. One with
// an empty ID forgets it, whether or not the sign-in can begin.
func (b *Book) Begin(ctx context.Context, server permission.Server, said *permission.SignInClient) (permission.SignIn, error) {
	if server.Transport != permission.TransportHTTP {
		return permission.SignIn{}, permission.Invalid("transport", permission.FieldSignInTransport,
			"only a server over HTTP can ask for a sign-in")
	}
	client, err := b.clientFor(server, said)
	if err != nil {
		return permission.SignIn{}, err
	}
	if server.Lacks != "" {
		return permission.SignIn{}, permission.Invalid("headers", permission.FieldValueMissing, server.Lacks)
	}
	begun := b.start(server)
	v, listener, err := b.find(ctx, server, client)
	if err != nil {
		b.forgo(begun)
		return permission.SignIn{}, err
	}
	entered := client
	if said == nil {
		entered = nil // what is kept may be another one by now
	}
	if err := b.open(begun, v, entered, listener); err != nil {
		return permission.SignIn{}, errors.Join(err, listener.Close())
	}
	return b.SignIn(server), nil
}

func (b *Book) start(server permission.Server) *beginning {
	b.mu.Lock()
	defer b.mu.Unlock()
	begun := &beginning{server: server}
	b.begins[begun] = true
	return begun
}

func (b *Book) forgo(begun *beginning) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.begins, begun)
}

// find makes the visit of a sign-in that begins.
func (b *Book) find(ctx context.Context, server permission.Server, as *client) (*visit, net.Listener, error) {
	ctx, cancel := context.WithTimeout(ctx, findWithin)
	defer cancel()
	if as != nil && as.Port != 0 {
		b.vacate(ctx, server.ID)
	}
	secrets := b.Known(server.ID)
	v, listener, err := prepare(ctx, server, as, b.asked(server), secrets)
	if told := (*permission.Error)(nil); err != nil && !errors.As(err, &told) {
		err = permission.Invalid("", permission.FieldSignInFailed, "the sign-in cannot begin: "+inWords(err, secrets...))
	}
	return v, listener, err
}

// open lets a visit wait for the person, and keeps the client that they entered, if any. It
// refuses where its server is not what it was.
func (b *Book) open(begun *beginning, v *visit, entered *client, listener net.Listener) error {
	defer b.forgo(begun)
	if entered != nil {
		if err := b.enterClient(begun, entered); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.stands(begun); err != nil {
		return err
	}
	life, cancel := context.WithTimeout(context.Background(), b.opts.Wait)
	v.cancel = cancel
	p := b.page(v.server.ID)
	p.leave()
	p.waiting = v
	b.busy.Add(1)
	go func() {
		defer b.busy.Done()
		defer close(v.over)
		defer cancel()
		v.await(life, listener, func(next *ticket, err error) error {
			if err = b.settle(v, next, err); next != nil {
				b.disk.settle() // the page says no more than what is kept
			}
			return err
		})
	}()
	return nil
}

// enterClient keeps the client that a person entered.
func (b *Book) enterClient(begun *beginning, entered *client) error {
	b.mu.Lock()
	if err := b.stands(begun); err != nil {
		b.mu.Unlock()
		return err
	}
	kept := b.keepClient(begun.server.ID, entered)
	b.mu.Unlock()
	return <-kept
}

// stands refuses to go on with a sign-in where its server is not what it was. The caller
// holds the lock.
func (b *Book) stands(begun *beginning) error {
	switch {
	case b.closed:
		return &permission.Error{Code: permission.CodeUnavailable, Message: "the desk is closing"}
	case begun.gone:
		return permission.Invalid("", permission.FieldSignInFailed, "the sign-in cannot begin: the server was removed, or has another URL by now")
	}
	return nil
}

// vacate ends a sign-in that waits already, whose port the next one may need.
func (b *Book) vacate(ctx context.Context, id string) {
	b.mu.Lock()
	p := b.pages[id]
	if p == nil || p.waiting == nil {
		b.mu.Unlock()
		return
	}
	over := p.waiting.over
	p.leave()
	b.mu.Unlock()
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// settle ends a visit, unless a newer one or a sign-out has ended it, and says whether it
// came to a good end. The tokens of the one before are taken back, where that takes none of
// the new one.
func (b *Book) settle(v *visit, next *ticket, err error) error {
	id := v.server.ID
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pages[id]
	if p == nil || p.waiting != v {
		if next != nil && (p == nil || next.isApart(p.ticket)) {
			b.takeBackLater(id, next)
		}
		return errors.Join(err, errOver)
	}
	p.waiting = nil
	if err != nil {
		p.why = inWords(err)
		if p.ticket == nil { // an earlier sign-in goes on
			p.state, p.issuer = permission.SignInFailed, v.meta.Issuer
		}
		return err
	}
	if old := p.ticket; old != nil && old.isApart(next) {
		b.takeBackLater(id, old)
	}
	b.put(id, p, next)
	p.lacks, p.short = nil, false
	b.note(permission.SignInChange{What: permission.EventSignedIn, ServerID: id, Issuer: next.Issuer, Scopes: next.Scopes})
	return nil
}

// errOver says that nothing came of a sign-in.
var errOver = errors.New("this sign-in is over: another one has begun, or the server was removed")
