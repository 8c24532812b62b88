package permission_test

import (
	"errors"
	"testing"

	"sekisho/backend/permission"
)

func TestServersOverHTTP(t *testing.T) {
	for _, tt := range []struct {
		what, field string
		change      func(*permission.Server)
	}{
		{"as it should be", "", func(*permission.Server) {}},
		{"on this machine", "", func(s *permission.Server) { s.URL = "http://127.0.0.1:8080/mcp?x=1" }},
		{"with a tab in a value", "", func(s *permission.Server) { s.Headers = map[string]string{"X": "a\tb"} }},
		{"no URL", "url", func(s *permission.Server) { s.URL = "" }},
		{"no host", "url", func(s *permission.Server) { s.URL = "https:///mcp" }},
		{"a file", "url", func(s *permission.Server) { s.URL = "file:///etc/passwd" }},
		{"broken", "url", func(s *permission.Server) { s.URL = "http://[::1" }},
		{"a password in it", "url", func(s *permission.Server) { s.URL = "https://me:secret@example.com" }},
		{"a fragment", "url", func(s *permission.Server) { s.URL = "https://example.com/#x" }},
		{"a command too", "command", func(s *permission.Server) { s.Command = "x" }},
		{"an environment too", "command", func(s *permission.Server) { s.Env = map[string]string{"A": "b"} }},
		{"no name of a header", "headers", func(s *permission.Server) { s.Headers = map[string]string{"": "x"} }},
		{"a name with a blank", "headers", func(s *permission.Server) { s.Headers = map[string]string{"A B": "x"} }},
		{"two headers in one", "headers.X", func(s *permission.Server) { s.Headers = map[string]string{"X": "a\r\nY: b"} }},
		{"the desk's own header", "headers.mcp-session-id", func(s *permission.Server) { s.Headers = map[string]string{"mcp-session-id": "x"} }},
		{"the length", "headers.Content-Length", func(s *permission.Server) { s.Headers = map[string]string{"Content-Length": "1"} }},
	} {
		s := permission.Server{ID: "a", Transport: permission.TransportHTTP, URL: "https://example.com/mcp",
			Headers: map[string]string{"Authorization": "Bearer x"}}
		tt.change(&s)
		var e *permission.Error
		switch err := s.Valid(); {
		case tt.field == "" && err != nil:
			t.Errorf("%s: %v", tt.what, err)
		case tt.field != "" && (!errors.As(err, &e) || e.Field != tt.field):
			t.Errorf("%s: %v", tt.what, err)
		}
	}
	s := permission.Server{Headers: map[string]string{"Authorization": "Bearer x"}}
	if m := s.Masked(); m.Headers["Authorization"] != permission.Mask || s.Headers["Authorization"] != "Bearer x" {
		t.Errorf("masked %v, and then %v", m.Headers, s.Headers)
	}
	if o := s; !s.Same(&o) {
		t.Error("an entry is not the same as itself")
	}
	if o := (permission.Server{Headers: map[string]string{"Authorization": "Bearer y"}}); s.Same(&o) {
		t.Error("another secret is taken for the same entry")
	}
}
