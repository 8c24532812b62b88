package rest

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestTheFrontEndIsServed(t *testing.T) {
	s := newSite(t, func(o *Options) {
		o.Files = fstest.MapFS{"index.html": {Data: []byte("<!doctype html>page")}, "assets/app-1.js": {Data: []byte("let x")},
			"assets/app.css": {Data: []byte("a{}")}}
	})
	for path, want := range map[string][2]string{
		"/": {"text/html; charset=utf-8", "<!doctype html>page"}, "/index.html": {"text/html; charset=utf-8", "<!doctype html>page"},
		"/assets/app-1.js": {"text/javascript; charset=utf-8", "let x"}, "/assets/app.css": {"text/css; charset=utf-8", "a{}"},
	} {
		got := s.send("GET", path, "", "")
		if got.status != 200 || got.header.Get("Content-Type") != want[0] || string(got.body) != want[1] {
			t.Errorf("%s: %d %s %s", path, got.status, got.header.Get("Content-Type"), got.body)
		}
		for name, value := range map[string]string{"Content-Security-Policy": pagePolicy, "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "no-referrer", "Set-Cookie": ""} {
			if got.header.Get(name) != value {
				t.Errorf("%s: %s = %q", path, name, got.header.Get(name))
			}
		}
	}
	for _, path := range []string{"/assets", "/assets/", "/nope.js", "/../rest.go", "/%2e%2e/rest.go", "/assets/..%2findex.html",
		"//index.html", "/v1/nope"} {
		if got := s.send("GET", path, "", ""); got.status != 404 || strings.Contains(string(got.body), "doctype") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if got := s.send("HEAD", "/", "", ""); got.status != 200 || len(got.body) != 0 {
		t.Errorf("HEAD: %d", got.status)
	}
	if got := s.send("POST", "/", "", "x"); got.status != 405 {
		t.Errorf("POST: %d", got.status)
	}
}
