package desk

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"sync"

	"sekisho/backend/permission"
	"sekisho/backend/sessionbook"
)

// StateStore says how the store is: what keeps it from keeping anything, what time it is,
// and where rules and what else decides read other than the journal says.
type StateStore interface {
	// Now is the time, which never goes back.
	Now() permission.Time
	// Trouble says what keeps it from keeping anything, as a sentence for a person, or "".
	Trouble() string
	// Ahead says in words that the store's time is far ahead of the computer's, or "".
	Ahead() string
	// Versions gives those of all that a desk has copies of, in one look.
	Versions(ctx context.Context) (permission.Versions, error)
	// Differences lists the rows that read other; Disputed says in words that there are
	// some, or "".
	Differences() []permission.Difference
	Disputed() string
	// Settle takes one version of each named difference.
	Settle(ctx context.Context, ids []string, take permission.Version, e permission.Entry) ([]permission.Difference, error)
}

// Options of a desk; the zero value works.
type Options struct {
	Logger  *slog.Logger // nil is slog.Default
	Secrets SecretStore  // nil forgets the secrets of servers at the end
	// Standings is what agents are in sessions that the desk made; nil: it makes none.
	Standings sessionbook.Standings
	// Workspaces looks at the disk for workspaces; nil: there are none.
	Workspaces Workspaces

	// Dismissed is told of an agent that was removed, and Reinstalled of the
	// servers as they are after an edit, so that doors end what is connected.
	Dismissed   func(permission.AgentID)
	Reinstalled func([]permission.Server)
}

// Workspaces looks at the disk, and at what this machine can do, for workspaces.
type Workspaces interface {
	// Check says what is wrong with the folders of an entry as they are now, as an *Error with Code
	// invalid, or nil.
	Check(s *permission.Server) error
	// Confined reports whether commands of a workspace are kept from what lies outside of it.
	Confined(s *permission.Server) bool
	// Look walks what a call names, and gives why it is refused; nil: it is not.
	Look(ctx context.Context, s *permission.Server, tool string, input json.RawMessage) *permission.Explanation
}

// SecretStore keeps secrets by their names, out of the database.
type SecretStore interface {
	// Secrets gives all. An error says in words for a person why it cannot.
	Secrets() (map[string]string, error)
	// ChangeSecrets puts some and forgets others, in one step that is on disk when it
	// returns.
	ChangeSecrets(put map[string]string, forget []string) error
	// Where is the place, for a person; "" is none that lasts.
	Where() string
}

// fleeting keeps secrets as long as the desk lives.
type fleeting struct {
	mu   sync.Mutex
	kept map[string]string
}

func (f *fleeting) Secrets() (map[string]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.kept), nil
}

func (f *fleeting) ChangeSecrets(put map[string]string, forget []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.Copy(f.kept, put)
	for _, name := range forget {
		delete(f.kept, name)
	}
	return nil
}

func (f *fleeting) Where() string { return "" }
