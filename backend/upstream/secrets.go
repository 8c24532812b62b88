package upstream

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"sekisho/backend/permission"
)

// MaxHidden is how far into an answer that refuses tokens are looked for, in bytes. What is
// told of it is shorter.
const MaxHidden = 64 << 10

// veilOf puts the mask in the place of a server's secrets: a server that says what it was
// given says it to the log and to agents.
func veilOf(server permission.Server) *strings.Replacer {
	return NewRedactor(SecretsOf(server)).replacer()
}

// replacer puts the mask in the place of secrets as they are written.
func (c Redactor) replacer() *strings.Replacer {
	var pairs []string
	for _, secret := range c {
		pairs = append(pairs, secret, permission.Mask)
	}
	return strings.NewReplacer(pairs...)
}

// SecretsOf are the values that a person gave a server's entry.
func SecretsOf(server permission.Server) []string {
	return append(ValuesOf(server.Env), ValuesOf(server.Headers)...)
}

// ValuesOf are values, and what stands in them behind the word Bearer.
func ValuesOf(of map[string]string) (values []string) {
	for _, value := range of {
		values = append(values, value)
		if _, token, ok := strings.Cut(value, " "); ok {
			values = append(values, strings.TrimSpace(token))
		}
	}
	return values
}

// hide draws a veil over an answer that refuses, which is told of in words. One that does
// not refuse passes as it is.
func hide(resp *http.Response, veil Redactor) {
	resp.Status = veil.Text(resp.Status)
	replace(resp, &veiledBody{ReadCloser: resp.Body, veil: veil})
}

// veiledBody is a body whose beginning is read and hidden when it is first asked for.
type veiledBody struct {
	io.ReadCloser
	veil Redactor
	all  io.Reader // once it was asked for
}

func (b *veiledBody) Read(p []byte) (int, error) {
	if b.all == nil {
		begins, err := io.ReadAll(io.LimitReader(b.ReadCloser, MaxHidden))
		rest := io.Reader(b.ReadCloser)
		if err != nil {
			rest = broken{err}
		}
		b.all = io.MultiReader(strings.NewReader(b.veil.Text(string(begins))), rest)
	}
	return b.all.Read(p)
}

// broken is a body that has broken off.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// Redacted is an error whose words hide what a veil hides.
type Redacted struct {
	Cause error
	Text  string
}

func (v *Redacted) Error() string { return v.Text }
func (v *Redacted) Unwrap() error { return v.Cause }

func veilError(veil *strings.Replacer, err error) error {
	if already := (*Redacted)(nil); errors.As(err, &already) {
		return err
	}
	return &Redacted{Cause: err, Text: veil.Replace(err.Error())}
}

// replace gives an answer another body.
func replace(resp *http.Response, body io.ReadCloser) {
	resp.Body, resp.ContentLength = body, -1
	resp.Header.Del("Content-Length")
}
