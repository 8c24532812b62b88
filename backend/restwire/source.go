package restwire

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"sekisho/backend/permission"
)

// checkSource keeps web pages out. A page of another site reaches a local port
// by DNS rebinding (a foreign Host) or directly (a foreign Origin); neither gets
// further, whatever it carries. No CORS header is ever sent.
func checkSource(r *http.Request, remote bool) *Problem {
	if !loopbackHost(r.Host) && !(remote && addressHost(r.Host)) {
		return Refuse(http.StatusForbidden, permission.CodeForbidden, "the Host of this request is not this machine's own")
	}
	if !sameOrigin(r) {
		return Refuse(http.StatusForbidden, permission.CodeForbidden, "the Origin of this request is foreign")
	}
	return nil
}

// loopbackHost reports whether host, with any port or none, is localhost or a
// loopback address in its usual spelling. Names that merely resolve to one are
// what rebinding is made of.
func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Zone() == "" && ip.IsLoopback()
}

// addressHost reports whether host is an address, with any port or none. A name
// could be an attacker's own that was bound to this machine.
func addressHost(host string) bool {
	if addr, err := netip.ParseAddrPort(host); err == nil {
		return addr.Addr().Zone() == ""
	}
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return err == nil && ip.Zone() == ""
}

// sameOrigin reports whether the request comes from no page, or from a page of
// this very listener.
func sameOrigin(r *http.Request) bool {
	origins, ok := r.Header["Origin"]
	if !ok {
		return true
	}
	return len(origins) == 1 && strings.EqualFold(origins[0], baseURL(r))
}

// baseURL is the desk's own URL as the caller of a request knows it.
func baseURL(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
