package gateway

import (
	"errors"
	"slices"
	"strings"

	"sekisho/backend/permission"
)

// minVeiled is the shortest value that is looked for, in bytes: shorter ones stand in
// words that are no secret.
const minVeiled = 8

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
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, secret := range secrets {
		if len(secret) >= minVeiled {
			pairs = append(pairs, secret, permission.Mask)
		}
	}
	return strings.NewReplacer(pairs...)
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
