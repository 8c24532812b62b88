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

// Options of a Book; the zero value works.
type Options struct {
	Wait   time.Duration // for the person in the browser; 0 is 5 minutes
	Logger *slog.Logger  // nil is slog.Default
}

// namePrefix begins the names of sign-ins among the secrets; the server's id follows.
const namePrefix = "sekisho-sign-in:"

// early is how long before its end a token is renewed.
const early = 30 * time.Second

// Book has the sign-ins of all servers. It is safe for use by many goroutines.
type Book struct {
	secrets Secrets
	opts    Options

	mu     sync.Mutex
	pages  map[string]*page // by server
	closed bool
	busy   sync.WaitGroup // sign-ins that wait for their person
}

// page is what is known of one server.
type page struct {
	renewing sync.Mutex // one renewal at a time
	ticket   *ticket    // nil: not signed in
	waiting  *visit     // nil: nobody is in the browser
	state    permission.SignInState
	why      string
	issuer   string
}

// ticket is what a sign-in brought. It never changes: a renewal makes another one.
type ticket struct {
	Server       string           `json:"server"` // its URL, for which alone the token is
	Resource     string           `json:"resource"`
	Issuer       string           `json:"issuer"`
	TokenURL     string           `json:"tokenUrl"`
	ClientID     string           `json:"clientId"`
	ClientSecret string           `json:"clientSecret,omitempty"`
	Style        oauth2.AuthStyle `json:"style"`
	Access       string           `json:"access"`
	Refresh      string           `json:"refresh,omitempty"`
	Expiry       time.Time        `json:"expiry,omitzero"`
}

// New reads the sign-ins that were kept. Close it at the end.
func New(secrets Secrets, opts Options) *Book {
	if opts.Wait <= 0 {
		opts.Wait = 5 * time.Minute
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	b := &Book{secrets: secrets, opts: opts, pages: map[string]*page{}}
	all, err := secrets.Secrets()
	if err != nil {
		opts.Logger.Error("read the sign-ins to servers", "error", err)
	}
	for name, value := range all {
		id, ours := strings.CutPrefix(name, namePrefix)
		var t ticket
		if !ours {
			continue
		}
		if err := json.Unmarshal([]byte(value), &t); err != nil {
			opts.Logger.Error("a sign-in cannot be read: sign in again", "server", id)
			continue
		}
		b.pages[id] = &page{ticket: &t, state: permission.SignedIn, issuer: t.Issuer}
	}
	return b
}

// Close ends what waits in a browser.
func (b *Book) Close() {
	b.mu.Lock()
	b.closed = true
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
	p := b.pages[server.ID]
	switch {
	case p == nil, p.ticket != nil && p.ticket.Server != server.URL && p.waiting == nil:
		return permission.SignIn{State: permission.SignedOut}
	case p.waiting != nil:
		return permission.SignIn{State: permission.SignInWaiting, Issuer: p.waiting.meta.Issuer, URL: p.waiting.url}
	}
	return permission.SignIn{State: p.state, Issuer: p.issuer, Error: p.why}
}

// SignOut forgets a server's tokens, and ends a sign-in that waits.
func (b *Book) SignOut(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pages[id]
	if p == nil {
		return nil
	}
	if err := b.secrets.ChangeSecrets(nil, []string{namePrefix + id}); err != nil {
		return err
	}
	p.leave()
	delete(b.pages, id)
	return nil
}

// Keep forgets the sign-ins of servers that are gone, or are elsewhere now.
func (b *Book) Keep(servers []permission.Server) {
	b.mu.Lock()
	gone := maps.Clone(b.pages)
	b.mu.Unlock()
	for _, s := range servers {
		if p := gone[s.ID]; p != nil && (p.ticket == nil || p.ticket.Server == s.URL) {
			delete(gone, s.ID)
		}
	}
	for id := range gone {
		if err := b.SignOut(id); err != nil {
			b.opts.Logger.Warn("forget a sign-in", "server", id, "error", err)
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
		b.expire(id, old, inWords(err))
		return nil
	}
	if err != nil {
		b.opts.Logger.Warn("renew the sign-in to a server", "server", id, "error", inWords(err))
		return nil
	}
	b.keep(id, old, next)
	return next
}

// expire notes that a ticket is of no use any more.
func (b *Book) expire(id string, old *ticket, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pages[id]
	if p == nil || p.ticket != old {
		return
	}
	p.ticket, p.state, p.why = nil, permission.SignInExpired, why
	if err := b.secrets.ChangeSecrets(nil, []string{namePrefix + id}); err != nil {
		b.opts.Logger.Warn("forget a sign-in", "server", id, "error", err)
	}
}

// keep puts a ticket in the place of one; not where that is gone, since a person signed
// out meanwhile.
func (b *Book) keep(id string, old, next *ticket) bool {
	raw, err := json.Marshal(next)
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pages[id]
	if p == nil || p.ticket != old {
		return false
	}
	p.ticket, p.state, p.why, p.issuer = next, permission.SignedIn, "", next.Issuer
	if err == nil {
		err = b.secrets.ChangeSecrets(map[string]string{namePrefix + id: string(raw)}, nil)
	}
	if err != nil { // it is good as long as the desk lives
		b.opts.Logger.Warn("keep a sign-in", "server", id, "error", err)
	}
	return true
}
