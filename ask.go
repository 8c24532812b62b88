package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Ask hands a request to the desk's REST rows, as the person in front of the window,
// and answers {"status":200,"body":"…"} with the body as it was written. path may have
// a query; ifMatch and body are left out when empty, and an ifMatch of onlyNew is that header.
func (a *App) Ask(method, path, ifMatch, body string) string {
	in, err := http.NewRequestWithContext(a.ctx, method, path, strings.NewReader(body))
	if err != nil || in.URL.Host != "" || !strings.HasPrefix(path, "/") {
		return answered(http.StatusBadRequest, `{"code":"malformed","detail":"this is no request to the desk"}`)
	}
	switch ifMatch {
	case "":
	case onlyNew:
		in.Header.Set("If-None-Match", "*")
	default:
		in.Header.Set("If-Match", ifMatch)
	}
	if a.isOpen() != nil {
		return answered(http.StatusServiceUnavailable, `{"code":"unavailable","detail":"the desk cannot be opened"}`)
	}
	return a.serve(a.server.Window(), in)
}

// onlyNew guards what is to be new. No entity tag is like it.
const onlyNew = "If-None-Match: *"

// serve has a handler answer a request of the page. An answer that broke off is none.
func (a *App) serve(rows http.Handler, in *http.Request) (answer string) {
	defer func() {
		if reason := recover(); reason != nil {
			a.log.Error("window", "panic", reason)
			answer = answered(http.StatusInternalServerError, `{"code":"internal","detail":"something went wrong in the desk; its log says what"}`)
		}
	}()
	out := &gathered{head: http.Header{}}
	rows.ServeHTTP(out, in)
	out.WriteHeader(http.StatusOK)
	return answered(out.status, out.body.String())
}

// gathered is an answer in memory.
type gathered struct {
	head   http.Header
	status int
	body   bytes.Buffer
}

// Header, Write and WriteHeader are what a handler asks of an answer.
func (g *gathered) Header() http.Header { return g.head }

func (g *gathered) Write(b []byte) (int, error) {
	g.WriteHeader(http.StatusOK)
	return g.body.Write(b)
}

// WriteHeader keeps the first status that is said.
func (g *gathered) WriteHeader(status int) {
	if g.status == 0 {
		g.status = status
	}
}

// answered is an answer as JSON text. To encode a number and a string cannot fail.
func answered(status int, body string) string {
	var out strings.Builder
	text := json.NewEncoder(&out)
	text.SetEscapeHTML(false)
	_ = text.Encode(struct {
		Status int    `json:"status"`
		Body   string `json:"body"`
	}{status, body})
	return strings.TrimSuffix(out.String(), "\n")
}

// SaveFile asks the person where to, and writes text there for the person's eyes
// alone. The value is false when they thought better of it.
func (a *App) SaveFile(name, text string) string {
	path, err := a.choose(filepath.Base(name))
	if err != nil || path == "" {
		return a.answer(false, err)
	}
	return a.answer(true, writePrivate(path, text))
}

// writePrivate writes a file, new or old. Where the disk knows no modes, an old one
// is written all the same.
func writePrivate(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_ = f.Chmod(0o600)
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
