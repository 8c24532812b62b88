package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"sekisho/backend/permission"
)

// maxHidden is how far into an answer that refuses tokens are looked for, in bytes. What is
// told of it is shorter.
const maxHidden = 64 << 10

// veilOf puts the mask in the place of a server's secrets: a server that says what it was
// given says it to the log and to agents.
func veilOf(server permission.Server) *strings.Replacer {
	var pairs []string
	for _, secret := range coverOf(secretsOf(server)) {
		pairs = append(pairs, secret, permission.Mask)
	}
	return strings.NewReplacer(pairs...)
}

// secretsOf are the values that a person gave a server's entry.
func secretsOf(server permission.Server) []string {
	return append(valuesOf(server.Env), valuesOf(server.Headers)...)
}

// valuesOf are values, and what stands in them behind the word Bearer.
func valuesOf(of map[string]string) (values []string) {
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
func hide(resp *http.Response, veil cover) {
	resp.Status = veil.words(resp.Status)
	replace(resp, &veiledBody{ReadCloser: resp.Body, veil: veil})
}

// veiledBody is a body whose beginning is read and hidden when it is first asked for.
type veiledBody struct {
	io.ReadCloser
	veil cover
	all  io.Reader // once it was asked for
}

func (b *veiledBody) Read(p []byte) (int, error) {
	if b.all == nil {
		begins, err := io.ReadAll(io.LimitReader(b.ReadCloser, maxHidden))
		rest := io.Reader(b.ReadCloser)
		if err != nil {
			rest = broken{err}
		}
		b.all = io.MultiReader(strings.NewReader(b.veil.words(string(begins))), rest)
	}
	return b.all.Read(p)
}

// broken is a body that has broken off.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// veiledDesk keeps tokens of sign-ins out of the definitions that the desk keeps and shows.
// Agents get them as the server wrote them. A token that is renewed is no change of a tool.
type veiledDesk struct {
	Desk
	tokens Tokens
}

// Saw hides the tokens of a server in what it says of its tools, in their names too.
func (d veiledDesk) Saw(ctx context.Context, serverID string, offered []permission.OfferedTool) error {
	veil := coverOf(d.tokens.Known(serverID))
	if veil == nil {
		return d.Desk.Saw(ctx, serverID, offered)
	}
	shown := make([]permission.OfferedTool, len(offered))
	for i, o := range offered {
		shown[i] = permission.OfferedTool{Name: veil.words(o.Name), Raw: json.RawMessage(veil.json(string(o.Raw)))}
	}
	return d.Desk.Saw(ctx, serverID, shown)
}

// veiled is an error whose words hide what a veil hides.
type veiled struct {
	cause error
	words string
}

func (v *veiled) Error() string { return v.words }
func (v *veiled) Unwrap() error { return v.cause }

func veilError(veil *strings.Replacer, err error) error {
	if already := (*veiled)(nil); errors.As(err, &already) {
		return err
	}
	return &veiled{err, veil.Replace(err.Error())}
}
