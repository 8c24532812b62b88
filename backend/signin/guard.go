package signin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// Bounds of a sign-in and of one request of it.
const (
	findWithin    = time.Minute // all that comes before the browser
	requestWithin = 15 * time.Second
	dialWithin    = 10 * time.Second
)

// guard says which addresses a server may lead a sign-in to. One that is reached over
// the public network must not let the desk ask inside of its own.
type guard struct {
	inside   bool // the server is on this machine, or in its network
	loopback bool // it is on this machine
}

// guardOf looks where a server is.
func guardOf(ctx context.Context, server *url.URL) (g guard, err error) {
	ips := []netip.Addr{}
	if ip, err := netip.ParseAddr(server.Hostname()); err == nil {
		ips = append(ips, ip)
	} else if ips, err = net.DefaultResolver.LookupNetIP(ctx, "ip", server.Hostname()); err != nil {
		if proxied(server) {
			return guard{}, nil // the proxy knows its name
		}
		return g, fmt.Errorf("find the server: %w", err)
	}
	g = guard{inside: true, loopback: true}
	for _, ip := range ips {
		g.inside = g.inside && !public(ip)
		g.loopback = g.loopback && ip.Unmap().IsLoopback()
	}
	return g, nil
}

func proxied(to *url.URL) bool {
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: to})
	return err == nil && proxy != nil
}

// shared is the address space of carriers, RFC 6598.
var shared = netip.MustParsePrefix("100.64.0.0/10")

func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !shared.Contains(ip)
}

// check says why an endpoint must not be used.
func (g guard) check(what, endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return fmt.Errorf("its %s is no address that can be used", what)
	case u.Scheme == "https":
	case u.Scheme != "http" || !g.loopback || !isLoopback(u.Hostname()):
		return fmt.Errorf("its %s does not use https", what)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !g.reaches(ip) || !g.inside && isLoopback(u.Hostname()) {
		return fmt.Errorf("its %s is an address inside of this network, where the server is not", what)
	}
	return nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// reaches reports whether an address may be connected to. One on the link alone, where
// machines of a cloud ask for their credentials, never.
func (g guard) reaches(ip netip.Addr) bool {
	ip = ip.Unmap()
	return public(ip) || g.inside && (ip.IsLoopback() && g.loopback || ip.IsPrivate() || shared.Contains(ip))
}

// client asks for what a sign-in needs. It follows no redirect, since codes, secrets and
// tokens are for the one who was named.
func (g guard) client() *http.Client {
	dialer := &net.Dialer{Timeout: dialWithin, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !g.reaches(at.Addr()) {
			return errors.New("the address is inside of this network, where the server is not")
		}
		return nil
	}}
	return &http.Client{
		Timeout:       requestWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			TLSHandshakeTimeout: dialWithin,
			DisableKeepAlives:   true,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if isProxy(address) {
					return (&net.Dialer{Timeout: dialWithin}).DialContext(ctx, network, address)
				}
				return dialer.DialContext(ctx, network, address)
			},
		},
	}
}

// isProxy reports whether an address is that of the person's own proxy.
func isProxy(address string) bool {
	for _, scheme := range []string{"http", "https"} {
		proxy, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: scheme, Host: "proxy.invalid"}})
		if err != nil || proxy == nil {
			continue
		}
		port := proxy.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443", "socks5": "1080"}[proxy.Scheme]
		}
		if net.JoinHostPort(proxy.Hostname(), port) == address {
			return true
		}
	}
	return false
}
