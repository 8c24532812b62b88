package signin

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"sekisho/backend/permission"
)

// visit is a person's way through the browser, from the URL that they open to the
// redirect that comes back to this machine.
type visit struct {
	server permission.Server
	found
	client   *http.Client
	config   oauth2.Config
	state    string
	verifier string
	url      string
	cancel   context.CancelFunc
	landed   chan landing
	over     chan struct{} // closed when its port is free again
}

// landing is what the redirect brought.
type landing struct {
	query url.Values
	done  chan error // whether the sign-in came to a good end
}

const callback = "/callback"

// Begin starts a sign-in and gives the URL that the person is to open. It waits for them
// on a port of this machine, for as long as Options.Wait. One that waits already ends.
// What a person says of a client is kept; where said is nil, what is kept goes on.
func (b *Book) Begin(ctx context.Context, server permission.Server, said *permission.SignInClient) (permission.SignIn, error) {
	if server.Transport != permission.TransportHTTP {
		return permission.SignIn{}, permission.Invalid("transport", "only a server over HTTP can ask for a sign-in")
	}
	if server.Lacks != "" {
		return permission.SignIn{}, permission.Invalid("headers", server.Lacks)
	}
	client, err := b.clientFor(server, said)
	if err != nil {
		return permission.SignIn{}, err
	}
	finding, found := context.WithTimeout(ctx, findWithin)
	defer found()
	if client != nil && client.Port != 0 {
		b.vacate(finding, server.ID)
	}
	v, listener, err := prepare(finding, server, client, b.asked(server))
	if told := (*permission.Error)(nil); err != nil && !errors.As(err, &told) {
		err = permission.Invalid("", "the sign-in cannot begin: "+inWords(err))
	}
	if err != nil {
		return permission.SignIn{}, err
	}
	life, cancel := context.WithTimeout(context.Background(), b.opts.Wait)
	v.cancel = cancel
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		cancel()
		return permission.SignIn{}, errors.Join(&permission.Error{Code: permission.CodeUnavailable, Message: "the desk is closing"}, listener.Close())
	}
	if err := b.keepClient(server.ID, client); err != nil {
		b.mu.Unlock()
		cancel()
		return permission.SignIn{}, errors.Join(err, listener.Close())
	}
	p := b.page(server.ID)
	p.leave()
	p.waiting = v
	b.busy.Add(1)
	b.mu.Unlock()
	go func() {
		defer b.busy.Done()
		defer close(v.over)
		defer cancel()
		b.accompany(life, v, listener)
	}()
	return b.SignIn(server), nil
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

// prepare finds out what protects the server, opens the port that the redirect comes to,
// and registers the desk there, unless a person did. It asks for these scopes, too.
func prepare(ctx context.Context, server permission.Server, as *client, asked []string) (*visit, net.Listener, error) {
	at, err := url.Parse(server.URL)
	if err != nil {
		return nil, nil, err
	}
	g, err := guardOf(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	v := &visit{server: server, client: g.client(), state: oauth2.GenerateVerifier(), verifier: oauth2.GenerateVerifier(), landed: make(chan landing), over: make(chan struct{})}
	if v.found, err = discover(ctx, v.client, g, server); err != nil {
		return nil, nil, err
	}
	if err := safe(g, v.meta, as != nil); err != nil {
		return nil, nil, err
	}
	port := 0
	if as != nil {
		if err := as.bind(v.meta.Issuer); err != nil {
			return nil, nil, err
		}
		if port = as.Port; len(as.Scopes) > 0 {
			v.scopes = as.Scopes
		}
	}
	v.scopes = union(v.scopes, asked)
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, nil, fmt.Errorf("open the port for the redirect: %w", err)
	}
	if redirect := "http://" + listener.Addr().String() + callback; as != nil {
		v.asRegistered(as, redirect)
	} else if err := v.register(ctx, redirect); err != nil {
		return nil, nil, errors.Join(err, listener.Close())
	}
	v.url = v.config.AuthCodeURL(v.state, oauth2.S256ChallengeOption(v.verifier), oauth2.SetAuthURLParam("resource", v.resource))
	return v, listener, nil
}

// register makes the desk known to the authorization server, anew for each sign-in: the
// redirect's port is another one each time.
func (v *visit) register(ctx context.Context, redirect string) error {
	us, err := oauthex.RegisterClient(ctx, v.meta.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		ClientName: "Sekisho", RedirectURIs: []string{redirect}, ApplicationType: "native", TokenEndpointAuthMethod: "none",
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, Scope: strings.Join(v.scopes, " "),
	}, v.client)
	if said := (*oauthex.ClientRegistrationError)(nil); errors.As(err, &said) {
		return fmt.Errorf("the authorization server does not register the desk: %s", excerpt(said.ErrorCode+" "+said.ErrorDescription))
	}
	if err != nil {
		return errors.New("the authorization server does not register the desk") // its words may hold the secret that it gave
	}
	style := oauth2.AuthStyleInParams
	if us.ClientSecret != "" && (us.TokenEndpointAuthMethod == "" || us.TokenEndpointAuthMethod == "client_secret_basic") {
		style = oauth2.AuthStyleInHeader
	}
	v.config = oauth2.Config{ClientID: us.ClientID, ClientSecret: us.ClientSecret, RedirectURL: redirect, Scopes: v.scopes, Endpoint: v.endpoint(style)}
	return nil
}

func (v *visit) endpoint(style oauth2.AuthStyle) oauth2.Endpoint {
	return oauth2.Endpoint{AuthURL: v.meta.AuthorizationEndpoint, TokenURL: v.meta.TokenEndpoint, AuthStyle: style}
}

// accompany waits for the redirect, and takes it to its end.
func (b *Book) accompany(ctx context.Context, v *visit, listener net.Listener) {
	web := &http.Server{Handler: v.page(ctx, listener.Addr().String()), ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 64 << 10, ErrorLog: nil}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = web.Serve(listener) // ends with the listener
	}()
	select {
	case l := <-v.landed:
		err := b.land(ctx, v, l.query)
		l.done <- err
	case <-ctx.Done():
		b.settle(v, nil, errors.New("nobody came back from the browser in time"))
	}
	ending, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if web.Shutdown(ending) != nil { // the browser keeps a connection
		_ = web.Close()
	}
	<-served
}

// page takes the one redirect that knows the state. What knows it not is not from the
// sign-in, and does not end it.
func (v *visit) page(ctx context.Context, host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		head.Set("Content-Type", "text/plain; charset=utf-8")
		head.Set("Cache-Control", "no-store")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("X-Content-Type-Options", "nosniff")
		query := r.URL.Query()
		if r.Method != http.MethodGet || r.URL.Path != callback || r.Host != host || len(query["state"]) != 1 ||
			subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(v.state)) != 1 {
			http.Error(w, "This is not the sign-in that Sekisho waits for.", http.StatusBadRequest)
			return
		}
		l := landing{query, make(chan error, 1)}
		select {
		case v.landed <- l:
		case <-ctx.Done():
			http.Error(w, "This sign-in is over.", http.StatusGone)
			return
		}
		if err := <-l.done; err != nil {
			http.Error(w, "The sign-in failed: "+inWords(err), http.StatusBadRequest)
			return
		}
		fmt.Fprintln(w, "Sekisho is signed in. You can close this page.")
	})
}

// land changes the code of a redirect for tokens.
func (b *Book) land(ctx context.Context, v *visit, query url.Values) error {
	next, err := v.exchange(ctx, query)
	if err != nil {
		err = errors.New(hidden(inWords(err), []string{query.Get("code"), v.verifier, v.config.ClientSecret}))
	}
	b.settle(v, next, err)
	return err
}

func (v *visit) exchange(ctx context.Context, query url.Values) (*ticket, error) {
	// The issuer first (RFC 9207): what another one says, errors too, means nothing here.
	if iss := query.Get("iss"); iss != "" && iss != v.meta.Issuer || iss == "" && v.meta.AuthorizationResponseIssParameterSupported {
		return nil, errors.New("the answer is not from the authorization server that was asked")
	}
	if code := query.Get("error"); code != "" {
		return nil, fmt.Errorf("the authorization server says %s", excerpt(code+" "+query.Get("error_description")))
	}
	if query.Get("code") == "" {
		return nil, errors.New("the authorization server gave no code")
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, v.client)
	token, err := v.config.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(v.verifier), oauth2.SetAuthURLParam("resource", v.resource))
	if err != nil {
		return nil, err
	}
	t := &ticket{Server: v.server.URL, Resource: v.resource, Issuer: v.meta.Issuer, TokenURL: v.meta.TokenEndpoint, RevocationURL: v.meta.RevocationEndpoint,
		ClientID: v.config.ClientID, ClientSecret: v.config.ClientSecret, Style: v.config.Endpoint.AuthStyle, Asked: v.scopes, Scopes: v.scopes}
	return t.with(token)
}

// with is the ticket with other tokens.
func (t *ticket) with(token *oauth2.Token) (*ticket, error) {
	if !strings.EqualFold(token.Type(), "bearer") || strings.ContainsFunc(token.AccessToken, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the authorization server gave a token of a kind that is not known")
	}
	next := *t
	next.Access, next.Expiry = token.AccessToken, token.Expiry
	if given, ok := token.Extra("scope").(string); ok && given != "" { // else those that were asked for (RFC 6749, section 5.1)
		next.Scopes = scopesIn(given)
	}
	if token.RefreshToken != "" { // else the old one stays good
		next.Refresh = token.RefreshToken
	}
	return &next, nil
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
	config := oauth2.Config{ClientID: old.ClientID, ClientSecret: old.ClientSecret, Endpoint: oauth2.Endpoint{TokenURL: old.TokenURL, AuthStyle: old.Style}}
	token, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, g.client()), "", oauth2.SetAuthURLParam("grant_type", "refresh_token"),
		oauth2.SetAuthURLParam("refresh_token", old.Refresh), oauth2.SetAuthURLParam("resource", old.Resource))
	if err != nil {
		return nil, err
	}
	return old.with(token)
}

// settle ends a visit, unless a newer one or a sign-out has ended it.
func (b *Book) settle(v *visit, next *ticket, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pages[v.server.ID]
	if p == nil || p.waiting != v {
		return
	}
	p.waiting = nil
	if err != nil {
		p.why = inWords(err)
		if p.ticket == nil { // an earlier sign-in goes on
			p.state, p.issuer = permission.SignInFailed, v.meta.Issuer
		}
		return
	}
	b.put(v.server.ID, p, next)
	p.lacks, p.short = nil, false
	b.note(permission.SignInChange{What: permission.EventSignedIn, ServerID: v.server.ID, Issuer: next.Issuer, Scopes: next.Scopes})
}

// inWords is what an error says to a person. What came with a refused token request is
// not repeated but for its code.
func inWords(err error) string {
	var refusal *oauth2.RetrieveError
	if errors.As(err, &refusal) {
		if refusal.ErrorCode == "" {
			return "the authorization server refused to give a token"
		}
		return "the authorization server says " + excerpt(refusal.ErrorCode+" "+refusal.ErrorDescription)
	}
	return excerpt(err.Error())
}

// maxExcerpt bounds what is repeated of another's words, in bytes.
const maxExcerpt = 300

func excerpt(s string) string {
	return strings.ToValidUTF8(strings.TrimSpace(s[:min(len(s), maxExcerpt)]), "?")
}
