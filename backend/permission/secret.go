package permission

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strings"
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

// Unmask gives a server values of its own, with the kept secrets in the place of the masks.
func (s *Server) Unmask(kept Server) error {
	s.Env, s.Headers = maps.Clone(s.Env), maps.Clone(s.Headers)
	if err := reveal("env.", s.Env, kept.Env); err != nil {
		return err
	}
	return reveal("headers.", s.Headers, kept.Headers)
}

// reveal puts the kept secrets in the place of the masks.
func reveal(field string, values, kept map[string]string) error {
	for name, value := range values {
		if value != Mask {
			continue
		}
		secret, ok := kept[name]
		if !ok {
			return Invalid(field+name, FieldMaskedUnknown, "masked, but there is no kept value under this name")
		}
		values[name] = secret
	}
	return nil
}

// Revealed is a stored server with its values, or with masks and why it lacks them.
func (s *Server) Revealed(secrets map[string]string, trouble string) Server {
	out, lost := *s, []string(nil)
	for _, values := range []*map[string]string{&out.Env, &out.Headers} {
		shown := maps.Clone(*values)
		for name, value := range *values {
			secret, kept := secrets[value]
			switch {
			case kept && IsReference(value):
				shown[name] = secret
			case IsReference(value) || value == Mask:
				shown[name], lost = Mask, append(lost, name)
			}
		}
		*values = shown
	}
	if len(lost) == 0 {
		return out
	}
	slices.Sort(lost)
	if trouble == "" {
		trouble = "they are not among the kept secrets. Enter them again"
	}
	out.Lacks = "its secret values (" + strings.Join(lost, ", ") + ") are not at hand: " + trouble
	return out
}

// HideValues puts names of secrets into the place of values: those that stand there, where a value is
// the known one, else new ones, which are put with their values.
func HideValues(values, known, stored, put map[string]string) map[string]string {
	hidden := maps.Clone(values)
	for name, value := range values {
		if was := stored[name]; known[name] == value && (IsReference(was) || was == Mask) {
			hidden[name] = was
			continue
		}
		hidden[name] = NewReference()
		put[hidden[name]] = value
	}
	return hidden
}

// Holds reports whether one of a server's values is this one.
func (s *Server) Holds(value string) bool {
	for _, values := range []map[string]string{s.Env, s.Headers} {
		for _, v := range values {
			if v == value {
				return true
			}
		}
	}
	return false
}
