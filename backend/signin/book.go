package signin

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"sekisho/backend/permission"
)

// Secrets keeps what a sign-in brought. It is the desk's own store of secrets.
type Secrets interface {
	Secrets() (map[string]string, error)
	ChangeSecrets(put map[string]string, forget []string) error
}

// Journal keeps what happened to sign-ins.
type Journal interface {
	NoteSignIn(ctx context.Context, c permission.SignInChange) error
}

// Options of a Book; the zero value works.
type Options struct {
	Wait    time.Duration // for the person in the browser; 0 is 5 minutes
	Journal Journal       // nil keeps none
	Logger  *slog.Logger  // nil is slog.Default
}

// namePrefix begins the names of sign-ins among the secrets; the server's id follows.
const namePrefix = "sekisho-sign-in:"

// Book has the sign-ins of all servers. It is safe for use by many goroutines.
type Book struct {
	secrets Secrets
	opts    Options
	disk    disk

	mu      sync.Mutex
	pages   map[string]*page // by server
	begins  map[*beginning]bool
	clients map[string]*client // by server: those that a person registered
	closed  bool
	life    context.Context // ends with it
	quit    context.CancelFunc
	busy    sync.WaitGroup // what waits for a person, or takes tokens back
}

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

// ticket is what a sign-in brought. It never changes: a renewal makes another one.
type ticket struct {
	Server        string           `json:"server"` // its URL, for which alone the token is
	Resource      string           `json:"resource"`
	Issuer        string           `json:"issuer"`
	TokenURL      string           `json:"tokenUrl"`
	RevocationURL string           `json:"revocationUrl,omitempty"` // empty: tokens cannot be taken back
	ClientID      string           `json:"clientId"`
	ClientSecret  string           `json:"clientSecret,omitempty"`
	Style         oauth2.AuthStyle `json:"style"`
	Asked         []string         `json:"asked,omitempty"`  // the scopes that the sign-in asked for
	Scopes        []string         `json:"scopes,omitempty"` // those that it has
	Access        string           `json:"access"`
	Refresh       string           `json:"refresh,omitempty"`
	Expiry        time.Time        `json:"expiry,omitzero"`
}

// New reads the sign-ins that were kept. Close it at the end.
func New(secrets Secrets, opts Options) *Book {
	if opts.Wait <= 0 {
		opts.Wait = 5 * time.Minute
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	b := &Book{secrets: secrets, opts: opts, pages: map[string]*page{}, begins: map[*beginning]bool{}, clients: map[string]*client{}}
	b.life, b.quit = context.WithCancel(context.Background())
	all, err := secrets.Secrets()
	if err != nil {
		opts.Logger.Error("read the sign-ins to servers", "error", err)
	}
	for name, value := range all {
		b.read(name, value)
	}
	return b
}

// read takes one of the kept secrets, if it is of a sign-in.
func (b *Book) read(name, value string) {
	if id, ours := strings.CutPrefix(name, namePrefix); ours {
		var t ticket
		if err := json.Unmarshal([]byte(value), &t); err != nil {
			b.opts.Logger.Error("a sign-in cannot be read: sign in again", "server", id)
			return
		}
		b.pages[id] = &page{ticket: &t, state: permission.SignedIn, issuer: t.Issuer}
	}
	if id, ours := strings.CutPrefix(name, clientPrefix); ours {
		var c client
		if err := json.Unmarshal([]byte(value), &c); err != nil {
			b.opts.Logger.Error("the client of a sign-in cannot be read: enter it again", "server", id)
			return
		}
		b.clients[id] = &c
	}
}

// Close ends what waits in a browser, or for an authorization server. Then all is written.
func (b *Book) Close() {
	b.mu.Lock()
	b.closed = true
	b.quit()
	for _, p := range b.pages {
		p.leave()
	}
	b.mu.Unlock()
	b.busy.Wait()
	b.disk.settle()
}

// SignIn says how far a server's sign-in is.
func (b *Book) SignIn(server permission.Server) permission.SignIn {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.standing(server)
	s.Client = b.clients[server.ID].shown(server.URL)
	return s
}

// standing is a sign-in without its client. The caller holds the lock.
func (b *Book) standing(server permission.Server) permission.SignIn {
	p := b.pages[server.ID]
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

// enter counts a piece of work; false when the book is closed. The caller holds the lock.
func (b *Book) enter() bool {
	if !b.closed {
		b.busy.Add(1)
	}
	return !b.closed
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

// note lets the journal know, later. What is noted first is told first.
func (b *Book) note(c permission.SignInChange) {
	b.disk.write(func() error {
		b.tell(c)
		return nil
	})
}

// tell tells the journal. Only the disk's work does.
func (b *Book) tell(c permission.SignInChange) {
	if b.opts.Journal == nil {
		return
	}
	if err := b.opts.Journal.NoteSignIn(context.Background(), c); err != nil {
		b.opts.Logger.Error("note what happened to a sign-in", "server", c.ServerID, "what", c.What, "error", err)
	}
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

// page gives what is known of a server. The caller holds the lock.
func (b *Book) page(id string) *page {
	if b.pages[id] == nil {
		b.pages[id] = &page{state: permission.SignedOut}
	}
	return b.pages[id]
}

// leave ends what waits in a browser. The caller holds the lock.
func (p *page) leave() {
	if p.waiting != nil {
		p.waiting.cancel()
		p.waiting = nil
	}
}
