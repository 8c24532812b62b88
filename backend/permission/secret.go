package permission

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
)

// referencePrefix says what a reference is to whoever looks into the data.
const referencePrefix = "sekisho-secret:"

var reference = regexp.MustCompile("^" + referencePrefix + "[0-9a-f]{32}$")

// NewReference makes a name for a secret that is kept outside of the database. It
// stands there in the secret's place.
func NewReference() string {
	var name [16]byte
	rand.Read(name[:]) // never fails: it ends the program instead
	return referencePrefix + hex.EncodeToString(name[:])
}

// IsReference reports whether a value is the name of a secret and not one itself.
func IsReference(value string) bool { return reference.MatchString(value) }

// SecretsNotice says where the secrets of this desk are, for a person to see.
type SecretsNotice struct {
	Where   string `json:"where"`   // the file's path; empty: they are kept nowhere and end with the desk
	Trouble string `json:"trouble"` // why they cannot be read or kept, or empty
}
