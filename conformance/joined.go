package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// joinedPrefix begins the names of the server's tools and prompts at the endpoint of all servers.
const joinedPrefix = serverID + "__"

// withNames lets the suite use the endpoint of all servers: it knows tools and prompts by the
// names that they have at their server.
func withNames(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			body = joinedNames(body, r.Header)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		}
		out := &plainNames{ResponseWriter: w}
		h.ServeHTTP(out, r)
		out.end()
	})
}

// joinedNames gives a request the joined name of the tool or prompt that it is about. What is not
// as it should be stays: that is what some checks are about.
func joinedNames(body []byte, h http.Header) []byte {
	var m struct {
		Method string
		Params struct {
			Name string
			Ref  struct{ Type, Name string }
		}
	}
	if json.Unmarshal(body, &m) != nil {
		return body
	}
	name := m.Params.Name
	switch {
	case m.Method == "completion/complete" && m.Params.Ref.Type == "ref/prompt":
		name = m.Params.Ref.Name
	case m.Method != "tools/call" && m.Method != "prompts/get":
		return body
	}
	if said := h.Values("Mcp-Name"); len(said) == 1 && said[0] != "" && !strings.HasPrefix(said[0], "=?") {
		h.Set("Mcp-Name", joinedPrefix+strings.TrimSpace(said[0]))
	}
	quoted, err := json.Marshal(name)
	if err != nil || name == "" {
		return body
	}
	joined, err := json.Marshal(joinedPrefix + name)
	if err != nil {
		return body
	}
	return bytes.Replace(body, append([]byte(`"name":`), quoted...), append([]byte(`"name":`), joined...), 1)
}

// plainNames takes the beginning of joined names away, line by line.
type plainNames struct {
	http.ResponseWriter
	kept []byte
}

func (p *plainNames) WriteHeader(status int) {
	p.Header().Del("Content-Length")
	p.ResponseWriter.WriteHeader(status)
}

func (p *plainNames) Write(b []byte) (int, error) {
	p.kept = append(p.kept, b...)
	whole := bytes.LastIndexByte(p.kept, '\n') + 1
	line := bytes.ReplaceAll(p.kept[:whole], []byte(`"name":"`+joinedPrefix), []byte(`"name":"`))
	p.kept = p.kept[whole:]
	_, err := p.ResponseWriter.Write(line)
	return len(b), err
}

// Unwrap lets the answer be flushed.
func (p *plainNames) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *plainNames) end() {
	p.ResponseWriter.Write(bytes.ReplaceAll(p.kept, []byte(`"name":"`+joinedPrefix), []byte(`"name":"`)))
}
