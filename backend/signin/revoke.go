package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"sekisho/backend/permission"
)

// revokeWithin bounds what a sign-out waits for the authorization server.
const revokeWithin = 4 * time.Second

// errUnsupported says that the authorization server takes back no token of this kind.
var errUnsupported = errors.New("it does not take back tokens of this kind")

// takeBack asks the authorization server to take back what was forgotten here, though
// nobody waits for it any more. It returns in words why that failed, or "".
func (b *Book) takeBack(ctx context.Context, id string, t *ticket) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeWithin)
	defer cancel()
	defer context.AfterFunc(b.life, cancel)()
	err := t.revoke(ctx)
	if err == nil {
		return ""
	}
	why := inWords(err, t.secrets()...)
	b.opts.Logger.Warn("the authorization server did not take tokens back", "server", id, "error", why)
	b.note(permission.SignInChange{What: permission.EventTokensNotRevoked, ServerID: id, Issuer: t.Issuer, Scopes: t.Scopes, Why: why})
	return "the tokens are deleted here, but the authorization server " + t.Issuer + " did not take them back: " + why
}

// takeBackLater takes tokens back while others go on. The caller holds the lock.
func (b *Book) takeBackLater(id string, t *ticket) {
	if !b.enter() {
		return
	}
	go func() {
		defer b.busy.Done()
		b.takeBack(b.life, id, t)
	}()
}

// revoke takes the tokens back (RFC 7009), where the authorization server does so. The
// token that renews goes first: the other one is good for a while only, and often goes
// with it.
func (t *ticket) revoke(ctx context.Context) error {
	if t.RevocationURL == "" {
		return nil
	}
	at, err := url.Parse(t.Server)
	if err != nil {
		return err
	}
	g, err := guardOf(ctx, at)
	if err != nil {
		return err
	}
	if err := g.check("revocation endpoint", t.RevocationURL); err != nil {
		return err
	}
	client := g.client()
	if t.Refresh == "" {
		return t.revokeOne(ctx, client, t.Access, "access_token")
	}
	if err := t.revokeOne(ctx, client, t.Refresh, "refresh_token"); err != nil {
		return err
	}
	if err := t.revokeOne(ctx, client, t.Access, "access_token"); !errors.Is(err, errUnsupported) {
		return err
	}
	return nil // it may refuse these alone (RFC 7009, section 2)
}

// revokeOne takes one token back. One that is not known any more counts as taken.
func (t *ticket) revokeOne(ctx context.Context, client *http.Client, token, kind string) error {
	form := url.Values{"token": {token}, "token_type_hint": {kind}}
	if t.Style != oauth2.AuthStyleInHeader {
		form.Set("client_id", t.ClientID)
		if t.ClientSecret != "" {
			form.Set("client_secret", t.ClientSecret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.RevocationURL, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if t.Style == oauth2.AuthStyleInHeader {
		req.SetBasicAuth(url.QueryEscape(t.ClientID), url.QueryEscape(t.ClientSecret))
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask it: %w", err)
	}
	defer resp.Body.Close()
	var said struct{ Error string }
	_ = json.NewDecoder(io.LimitReader(resp.Body, 4<<10)).Decode(&said) // often there is nothing
	switch {
	case resp.StatusCode == http.StatusOK:
		return nil
	case said.Error == "unsupported_token_type":
		return errUnsupported
	}
	return fmt.Errorf("it answered HTTP %d", resp.StatusCode)
}
