package agentbook

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"sekisho/backend/permission"
)

// DemoName is the agent of demonstrations. It is the desk's own.
const DemoName = "sekisho-demo"

// NoToken stands where other agents have the hash of their token. No token has it for
// a hash, so that nobody from outside is this agent.
const NoToken = "the desk's own"

// CheckName keeps names that can be a file's name on every platform and cannot
// deceive in a dialog's sentence.
func CheckName(name string) error {
	if name == "" || len(name) > 64 || strings.TrimSpace(name) != name || strings.Trim(name, ".") == "" {
		return permission.Invalid("name", permission.FieldNameForm, "a name has 1 to 64 bytes and neither starts nor ends with a blank")
	}
	if strings.EqualFold(name, DemoName) {
		return permission.Invalid("name", permission.FieldNameForm, "this name is the desk's own")
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ._-", r) {
			return permission.Invalid("name", permission.FieldNameForm, "a name has letters, digits, blanks, dots, dashes and underscores")
		}
	}
	return nil
}

// maxUser bounds the id of a user, in bytes.
const maxUser = 256

// CheckUser keeps ids of users that are one line and cannot deceive; "" is none.
func CheckUser(id string) error {
	if len(id) > maxUser || strings.TrimSpace(id) != id || !utf8.ValidString(id) || strings.ContainsFunc(id, unsightly) {
		return permission.Invalid("userId", permission.FieldNameForm, "the id of a user is one line of at most 256 bytes")
	}
	return nil
}

// UserOf is the user of an agent: itself, where none is named.
func UserOf(user string, agent uuid.UUID) string {
	if user == "" {
		return agent.String()
	}
	return user
}

func unsightly(r rune) bool { return !unicode.IsGraphic(r) }

// NewToken makes a secret of 256 random bits behind a prefix that says what it is.
func NewToken(prefix string) string {
	var secret [32]byte
	rand.Read(secret[:]) // never fails: it ends the program instead
	return prefix + base64.RawURLEncoding.EncodeToString(secret[:])
}

// TokenHash is what is kept of a token. Tokens are random, so one round of
// SHA-256 is enough.
func TokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
