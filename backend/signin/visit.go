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

// prepare finds out what protects the server, opens the port that the redirect comes to,
// and registers the desk there, unless a person did. It asks for these scopes, too, and for
// none that repeats a secret.
func prepare(ctx context.Context, server permission.Server, as *client, asked, secrets []string) (*visit, net.Listener, error) {
	at, err := url.Parse(server.URL)
	if err != nil {
		return nil, nil, err
	}
	g, err := guardOf(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	v := &visit{server: server, client: g.client(), state: oauth2.GenerateVerifier(), verifier: oauth2.GenerateVerifier(),
		landed: make(chan landing), over: make(chan struct{})}
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
	v.scopes = clean(union(v.scopes, asked), secrets)
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
	v.config = oauth2.Config{ClientID: us.ClientID, ClientSecret: us.ClientSecret, RedirectURL: redirect, Scopes: v.scopes,
		Endpoint: v.endpoint(style)}
	return nil
}

func (v *visit) endpoint(style oauth2.AuthStyle) oauth2.Endpoint {
	return oauth2.Endpoint{AuthURL: v.meta.AuthorizationEndpoint, TokenURL: v.meta.TokenEndpoint, AuthStyle: style}
}

// accompany waits for the redirect, and takes it to its end.
func (b *Book) accompany(ctx context.Context, v *visit, listener net.Listener) {
	web := &http.Server{Handler: v.page(ctx, listener.Addr().String()), ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: nil}
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
		_ = b.settle(v, nil, errors.New("nobody came back from the browser in time"))
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
		err = errors.New(inWords(err, query.Get("code"), v.verifier, v.config.ClientSecret))
	}
	err = b.settle(v, next, err)
	b.disk.settle() // the page says no more than what is kept
	return err
}

func (v *visit) exchange(ctx context.Context, query url.Values) (*ticket, error) {
	// The issuer first (RFC 9207): what another one says, errors too, means nothing here.
	if iss := query.Get("iss"); iss != "" && iss != v.meta.Issuer || iss == "" && v.meta.AuthorizationResponseIssParameterSupported {
		return nil, errors.New("the answer is not from the authorization server that was asked")
	}
	if code := query.Get("error"); code != "" {
		return nil, fmt.Errorf("the authorization server says %s %s", code, query.Get("error_description"))
	}
	if query.Get("code") == "" {
		return nil, errors.New("the authorization server gave no code")
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, v.client)
	token, err := v.config.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(v.verifier), oauth2.SetAuthURLParam("resource", v.resource))
	if err != nil {
		return nil, err
	}
	t := &ticket{Server: v.server.URL, Resource: v.resource, Issuer: v.meta.Issuer, TokenURL: v.meta.TokenEndpoint,
		RevocationURL: v.meta.RevocationEndpoint,
		ClientID:      v.config.ClientID, ClientSecret: v.config.ClientSecret, Style: v.config.Endpoint.AuthStyle, Asked: v.scopes,
		Scopes: v.scopes}
	return t.with(token)
}

// with is the ticket with other tokens.
func (t *ticket) with(token *oauth2.Token) (*ticket, error) {
	if !strings.EqualFold(token.Type(), "bearer") || strings.ContainsFunc(token.AccessToken, func(r rune) bool {
		return r <= ' ' || r > '~'
	}) {
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
	next.Scopes = clean(next.Scopes, append(next.secrets(), t.secrets()...))
	return &next, nil
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

// inWords is what an error says to a person, without secrets: they are hidden before it is
// cut, which would leave the beginning of one. What came with a refused token request is
// not repeated but for its code and description.
func inWords(err error, secrets ...string) string {
	var refusal *oauth2.RetrieveError
	if errors.As(err, &refusal) {
		if refusal.ErrorCode == "" {
			return "the authorization server refused to give a token"
		}
		return "the authorization server says " + excerpt(hidden(refusal.ErrorCode+" "+refusal.ErrorDescription, secrets))
	}
	return excerpt(hidden(err.Error(), secrets))
}

// maxExcerpt bounds what is repeated of another's words, in bytes.
const maxExcerpt = 300

func excerpt(s string) string {
	return strings.ToValidUTF8(strings.TrimSpace(s[:min(len(s), maxExcerpt)]), "?")
}
