package signin

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

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

func (t *ticket) header() string { return "Bearer " + t.Access }

// secrets are what nobody must be shown of a ticket.
func (t *ticket) secrets() []string { return []string{t.Access, t.Refresh, t.ClientSecret} }

// isApart reports whether a ticket can be taken back while another one is in use: where both
// are of one client, an authorization server may take back all that it has.
func (t *ticket) isApart(used *ticket) bool {
	return used == nil || t.ClientID != used.ClientID || t.Issuer != used.Issuer
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
	config := oauth2.Config{ClientID: old.ClientID, ClientSecret: old.ClientSecret,
		Endpoint: oauth2.Endpoint{TokenURL: old.TokenURL, AuthStyle: old.Style}}
	token, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, g.client()), "",
		oauth2.SetAuthURLParam("grant_type", "refresh_token"),
		oauth2.SetAuthURLParam("refresh_token", old.Refresh), oauth2.SetAuthURLParam("resource", old.Resource))
	if err != nil {
		return nil, err
	}
	return old.with(token)
}

// endings are the codes of a refusal that no later renewal changes: those of RFC 6749,
// section 5.2, and one that GitHub answers in the place of invalid_grant.
var endings = []string{"invalid_grant", "invalid_client", "bad_refresh_token"}

// ends reports whether a renewal failed for good. What a proxy refuses, or an authorization
// server that is asked too often, says nothing of the token.
func ends(err error) bool {
	var refusal *oauth2.RetrieveError
	if !errors.As(err, &refusal) {
		return false
	}
	if refusal.ErrorCode != "" || refusal.Response == nil {
		return slices.Contains(endings, refusal.ErrorCode)
	}
	return refusal.Response.StatusCode == http.StatusBadRequest || refusal.Response.StatusCode == http.StatusUnauthorized
}
