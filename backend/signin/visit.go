package signin

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
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

// asRegistered makes a person's client that of a visit.
func (v *visit) asRegistered(c *client, redirect string) {
	style, methods := oauth2.AuthStyleInParams, v.meta.TokenEndpointAuthMethodsSupported
	if c.Secret != "" && (len(methods) == 0 || slices.Contains(methods, "client_secret_basic")) {
		style = oauth2.AuthStyleInHeader
	}
	v.config = oauth2.Config{ClientID: c.ID, ClientSecret: c.Secret, RedirectURL: redirect, Scopes: v.scopes, Endpoint: v.endpoint(style)}
}

func (v *visit) endpoint(style oauth2.AuthStyle) oauth2.Endpoint {
	return oauth2.Endpoint{AuthURL: v.meta.AuthorizationEndpoint, TokenURL: v.meta.TokenEndpoint, AuthStyle: style}
}

// await waits for the redirect, changes its code for tokens, and gives them to end, or what went
// wrong.
func (v *visit) await(ctx context.Context, listener net.Listener, end func(next *ticket, err error) error) {
	web := &http.Server{Handler: v.page(ctx, listener.Addr().String()), ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: nil}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = web.Serve(listener) // ends with the listener
	}()
	select {
	case l := <-v.landed:
		next, err := v.exchange(ctx, l.query)
		if err != nil {
			err = errors.New(inWords(err, l.query.Get("code"), v.verifier, v.config.ClientSecret))
		}
		l.done <- end(next, err)
	case <-ctx.Done():
		_ = end(nil, errors.New("nobody came back from the browser in time"))
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
