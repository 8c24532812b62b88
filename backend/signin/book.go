package signin

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"time"

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

// clientPrefix begins the names of clients among the secrets; the server's id follows.
const clientPrefix = "sekisho-oauth-client:"

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

// enter counts a piece of work; false when the book is closed. The caller holds the lock.
func (b *Book) enter() bool {
	if !b.closed {
		b.busy.Add(1)
	}
	return !b.closed
}

// SignIn says how far a server's sign-in is.
func (b *Book) SignIn(server permission.Server) permission.SignIn {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.pages[server.ID].standing(server)
	s.Client = b.clients[server.ID].shown(server.URL)
	return s
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

// page gives what is known of a server. The caller holds the lock.
func (b *Book) page(id string) *page {
	if b.pages[id] == nil {
		b.pages[id] = &page{state: permission.SignedOut}
	}
	return b.pages[id]
}

func (b *Book) ticket(id, url string) *ticket {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.pages[id]; p != nil && p.ticket != nil && p.ticket.Server == url {
		return p.ticket
	}
	return nil
}

// put makes a ticket that of a page. The caller holds the lock.
func (b *Book) put(id string, p *page, next *ticket) {
	p.retire()
	p.ticket, p.state, p.why, p.issuer, p.rests = next, permission.SignedIn, "", next.Issuer, time.Time{}
	b.disk.write(func() error {
		if err := b.store(namePrefix+id, next); err != nil { // it is good as long as the desk lives
			b.opts.Logger.Warn("keep a sign-in", "server", id, "error", err)
		}
		return nil
	})
}

// store writes a secret.
func (b *Book) store(name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return b.secrets.ChangeSecrets(map[string]string{name: string(raw)}, nil)
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
