package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// serve serves a handler on a free port of this machine until end.
func serve(h http.Handler) (address string, end func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("open a port: %w", err)
	}
	s := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(l)
	}()
	return "http://" + l.Addr().String(), func() { s.Close(); <-done }, nil
}

// forward passes requests on to an address with all their headers, Host too, and the
// answers back as they come. prepare may change what is sent.
func forward(address string, prepare func(*http.Request)) http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: address})
			r.Out.Host = r.In.Host
			prepare(r.Out)
		},
		// A suite that hangs up is no news.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Else the first event of an answer would close the request's body, and break
		// the connection to an address that has not read it to its end by then.
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		proxy.ServeHTTP(w, r)
	})
}

// withToken is what the suite lacks: it adds the agent's token.
func withToken(address, token string) http.Handler {
	own := forward(address, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) })
	joined := withNames(own)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			joined.ServeHTTP(w, r)
			return
		}
		own.ServeHTTP(w, r)
	})
}

// sameURL serves both eras at one address, from the server's two processes.
func sameURL(addresses [2]string) http.Handler {
	var eras [2]http.Handler
	for e, address := range addresses {
		eras[e] = forward(address, func(*http.Request) {})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, err := eraOf(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		eras[e].ServeHTTP(w, r)
	})
}

// eraOf tells where a request belongs; its body can still be read afterwards. The
// version header tells, and where there is none the session, or that one begins.
func eraOf(r *http.Request) (era, error) {
	if v := r.Header.Get("Mcp-Protocol-Version"); v != "" {
		if v < "2026" { // versions are dates
			return sessions, nil
		}
		return stateless, nil
	}
	if r.Header.Get("Mcp-Session-Id") != "" {
		return sessions, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return stateless, fmt.Errorf("read body: %w", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m struct {
		Method string `json:"method"`
	}
	if json.Unmarshal(body, &m) == nil && m.Method == "initialize" {
		return sessions, nil
	}
	return stateless, nil
}
