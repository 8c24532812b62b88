package signin

import (
	"context"
	"encoding/json"
	"errors"
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

// early is how long before its end a token is renewed.
const early = 30 * time.Second

// Book has the sign-ins of all servers. It is safe for use by many goroutines.
type Book struct {
	secrets Secrets
	opts    Options

	mu      sync.Mutex
	pages   map[string]*page   // by server
	clients map[string]*client // by server: those that a person registered
	closed  bool
	life    context.Context // ends with it
	quit    context.CancelFunc
	busy    sync.WaitGroup // what waits for a person, or takes tokens back
}

// page is what is known of one server.
type page struct {
	renewing sync.Mutex // one renewal at a time
	ticket   *ticket    // nil: not signed in
	waiting  *visit     // nil: nobody is in the browser
	past     []string   // access tokens that were in use before
	lacks    []string   // scopes that the server wants beyond those of the ticket
	short    bool       // it refused something for want of scopes
	state    permission.SignInState
	why      string
	issuer   string
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
	b := &Book{secrets: secrets, opts: opts, pages: map[string]*page{}, clients: map[string]*client{}}
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

// Close ends what waits in a browser, or for an authorization server.
func (b *Book) Close() {
	b.mu.Lock()
	b.closed = true
	b.quit()
	for _, p := range b.pages {
		p.leave()
	}
	b.mu.Unlock()
	b.busy.Wait()
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
// registered stays. Then it asks the
// authorization server to take the tokens back; the answer says if that failed, which
// changes nothing here.
func (b *Book) SignOut(ctx context.Context, id string) (permission.SignIn, error) {
	out := permission.SignIn{State: permission.SignedOut}
	t, err := b.drop(id, "")
	if err == nil && t != nil && b.enter() {
		defer b.busy.Done()
		if out.Error = b.takeBack(ctx, id, t); out.Error != "" {
			out.Issuer = t.Issuer
		}
	}
	return out, err
}

// enter counts a piece of work; false when the book is closed.
func (b *Book) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.busy.Add(1)
	}
	return !b.closed
}

// drop forgets what is known of a server, and gives the ticket that there was, if any.
func (b *Book) drop(id, why string) (*ticket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pages[id]
	if p == nil {
		return nil, nil
	}
	if err := b.secrets.ChangeSecrets(nil, []string{namePrefix + id}); err != nil {
		return nil, err
	}
	p.leave()
	delete(b.pages, id)
	if p.ticket != nil {
		b.note(permission.SignInChange{What: permission.EventSignedOut, ServerID: id, Issuer: p.ticket.Issuer, Scopes: p.ticket.Scopes, Why: why})
	}
	return p.ticket, nil
}

// note tells the journal. The caller holds the lock, so that what happens later is told
// later.
func (b *Book) note(c permission.SignInChange) {
	if b.opts.Journal == nil {
		return
	}
	if err := b.opts.Journal.NoteSignIn(context.Background(), c); err != nil {
		b.opts.Logger.Error("note what happened to a sign-in", "server", c.ServerID, "what", c.What, "error", err)
	}
}

// Keep forgets the sign-ins of servers that are gone, or are elsewhere now. It does not
// wait until their tokens are taken back.
func (b *Book) Keep(servers []permission.Server) {
	b.mu.Lock()
	gone, at := maps.Clone(b.pages), map[string]string{}
	for _, s := range servers {
		at[s.ID] = s.URL
	}
	for id, c := range maps.Clone(b.clients) {
		if at[id] == c.Server {
			continue
		}
		if err := b.forgetClient(id); err != nil {
			b.opts.Logger.Warn("forget the client of a sign-in", "server", id, "error", err)
		}
	}
	b.mu.Unlock()
	for _, s := range servers {
		if p := gone[s.ID]; p != nil && (p.ticket == nil || p.ticket.Server == s.URL) {
			delete(gone, s.ID)
		}
	}
	for id := range gone {
		t, err := b.drop(id, "the server was removed, or has another URL")
		if err != nil {
			b.opts.Logger.Warn("forget a sign-in", "server", id, "error", err)
		}
		if t != nil {
			b.takeBackLater(id, t)
		}
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

// Authorization is the header's value for a request to a server's URL; "" when there is
// none for it. A token that is due is renewed first.
func (b *Book) Authorization(ctx context.Context, id, url string) string {
	t := b.ticket(id, url)
	if t == nil {
		return ""
	}
	if t.Refresh != "" && !t.Expiry.IsZero() && time.Until(t.Expiry) < early {
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

// renew changes a ticket for a new one, once, however many ask; nil when that cannot be.
func (b *Book) renew(ctx context.Context, id string, old *ticket) *ticket {
	b.mu.Lock()
	p := b.pages[id]
	b.mu.Unlock()
	if p == nil {
		return nil
	}
	p.renewing.Lock()
	defer p.renewing.Unlock()
	if now := b.ticket(id, old.Server); now != old {
		return now // somebody was faster
	}
	if old.Refresh == "" {
		b.expire(id, old, "the authorization server gave no token that renews")
		return nil
	}
	next, err := exchangeRefresh(context.WithoutCancel(ctx), old)
	if refusal := (*oauth2.RetrieveError)(nil); errors.As(err, &refusal) && refusal.Response != nil && refusal.Response.StatusCode < 500 {
		b.expire(id, old, hidden(inWords(err), old.secrets()))
		return nil
	}
	if err != nil {
		b.opts.Logger.Warn("renew the sign-in to a server", "server", id, "error", hidden(inWords(err), old.secrets()))
		return nil
	}
	if b.keep(id, old, next) {
		return next
	}
	now := b.ticket(id, old.Server)
	if now == nil { // a person signed out meanwhile
		b.takeBackLater(id, next)
	}
	return now
}

// expire notes that a ticket is of no use any more.
func (b *Book) expire(id string, old *ticket, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pages[id]
	if p == nil || p.ticket != old {
		return
	}
	p.retire()
	p.state, p.why = permission.SignInExpired, why
	b.note(permission.SignInChange{What: permission.EventSignInExpired, ServerID: id, Issuer: old.Issuer, Scopes: old.Scopes, Why: why})
	if err := b.secrets.ChangeSecrets(nil, []string{namePrefix + id}); err != nil {
		b.opts.Logger.Warn("forget a sign-in", "server", id, "error", err)
	}
}

// keep puts a renewed ticket in the place of one, unless that is not in use any more.
func (b *Book) keep(id string, old, next *ticket) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pages[id]
	if p == nil || p.ticket != old {
		return false
	}
	b.put(id, p, next)
	return true
}

// put makes a ticket that of a page. The caller holds the lock.
func (b *Book) put(id string, p *page, next *ticket) {
	p.retire()
	p.ticket, p.state, p.why, p.issuer = next, permission.SignedIn, "", next.Issuer
	raw, err := json.Marshal(next)
	if err == nil {
		err = b.secrets.ChangeSecrets(map[string]string{namePrefix + id: string(raw)}, nil)
	}
	if err != nil { // it is good as long as the desk lives
		b.opts.Logger.Warn("keep a sign-in", "server", id, "error", err)
	}
}
