package signin

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"sekisho/backend/permission"
)

// minHidden is the bytes of a secret that is looked for: shorter ones stand in words that are none.
const minHidden = 8

// hidden puts the mask in the place of secrets: an authorization server may repeat in its
// refusal what it was sent. The longest goes first, since one may begin with another.
func hidden(words string, secrets []string) string {
	for _, secret := range slices.SortedFunc(slices.Values(secrets), func(a, b string) int { return len(b) - len(a) }) {
		if len(secret) >= minHidden {
			words = strings.ReplaceAll(words, secret, permission.Mask)
		}
	}
	return words
}

// inWords is what an error says to a person, without secrets: they are hidden before it is
// cut, which would leave the beginning of one. What came with a refused token request is
// not repeated but for its code and description.
func inWords(err error, secrets ...string) string {
	var refusal *oauth2.RetrieveError
	if errors.As(err, &refusal) {
		if refusal.ErrorCode == "" {
			return "the authorization server refused to give a token"
		}
		return "the authorization server says " + excerpt(hidden(refusal.ErrorCode+" "+refusal.ErrorDescription, secrets))
	}
	return excerpt(hidden(err.Error(), secrets))
}

// maxExcerpt bounds what is repeated of another's words, in bytes.
const maxExcerpt = 300

func excerpt(s string) string {
	return strings.ToValidUTF8(strings.TrimSpace(s[:min(len(s), maxExcerpt)]), "?")
}
