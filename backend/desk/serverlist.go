package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"sekisho/backend/permission"
)

// serverList is the servers behind the desk, so that no request waits for the store to
// know them. It never changes: an edit makes another one.
type serverList struct {
	all        []permission.Server // with their values
	byID       map[string]int
	tables     bool                         // some server says who may use which of its tools
	workspaces bool                         // some server is one
	stored     map[string]permission.Server // as the store has them: references in the place of values
	notice     permission.SecretsNotice
}

// version is made of what the store has alone, so that no secret can be guessed from it.
func (l *serverList) version() string {
	sum := sha256.New()
	for _, s := range l.all {
		fmt.Fprintf(sum, "%s %s %t %q %q\n", s.ID, s.Revision, s.Enabled, s.ToolPermissions, s.Users)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

func (l *serverList) find(id string) (s permission.Server, known bool) {
	i, known := l.byID[id]
	if known {
		s = l.all[i]
	}
	return s, known
}
