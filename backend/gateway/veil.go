package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// minVeiled is the shortest value that is looked for, in bytes: shorter ones stand in
// words that are no secret.
const minVeiled = 8

// maxHidden is how far into an answer that refuses tokens are looked for, in bytes. What is
// told of it is shorter.
const maxHidden = 64 << 10

// veilOf puts the mask in the place of a server's secrets: a server that says what it was
// given says it to the log and to agents.
func veilOf(server permission.Server) *strings.Replacer {
	var secrets []string
	for _, values := range []map[string]string{server.Env, server.Headers} {
		for _, value := range values {
			secrets = append(secrets, value)
			if _, token, ok := strings.Cut(value, " "); ok { // behind the word Bearer
				secrets = append(secrets, strings.TrimSpace(token))
			}
		}
	}
	return strings.NewReplacer(masks(secrets)...)
}

// masks are the secrets that are long enough, the longest first, each with the mask.
func masks(secrets []string) (pairs []string) {
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		if len(secret) >= minVeiled {
			pairs = append(pairs, secret, permission.Mask)
		}
	}
	return pairs
}

// veilOver is a veil over tokens; nil where there is nothing to hide.
func veilOver(tokens []string) *strings.Replacer {
	if pairs := masks(tokens); len(pairs) > 0 {
		return strings.NewReplacer(pairs...)
	}
	return nil
}

// quoted are tokens as they stand between the quotes of a JSON string.
func quoted(tokens []string) (all []string) {
	for _, token := range tokens {
		inside := rawjson.AppendString(nil, token)
		all = append(all, string(inside[1:len(inside)-1]))
	}
	return all
}

// hide draws a veil over an answer that refuses, which is told of in words. One that does
// not refuse passes as it is.
func hide(resp *http.Response, veil *strings.Replacer) {
	resp.Status = veil.Replace(resp.Status)
	replace(resp, &veiledBody{ReadCloser: resp.Body, veil: veil})
}

// veiledBody is a body whose beginning is read and hidden when it is first asked for.
type veiledBody struct {
	io.ReadCloser
	veil *strings.Replacer
	all  io.Reader // once it was asked for
}

func (b *veiledBody) Read(p []byte) (int, error) {
	if b.all == nil {
		begins, err := io.ReadAll(io.LimitReader(b.ReadCloser, maxHidden))
		rest := io.Reader(b.ReadCloser)
		if err != nil {
			rest = broken{err}
		}
		b.all = io.MultiReader(strings.NewReader(b.veil.Replace(string(begins))), rest)
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

// Saw hides the tokens of a server in what it says of its tools.
func (d veiledDesk) Saw(ctx context.Context, serverID string, offered []permission.OfferedTool) error {
	veil := veilOver(quoted(d.tokens.Known(serverID))) // what is not in quotes is none of them
	if veil == nil {
		return d.Desk.Saw(ctx, serverID, offered)
	}
	shown := slices.Clone(offered)
	for i := range shown {
		shown[i].Raw = json.RawMessage(veil.Replace(string(shown[i].Raw)))
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
