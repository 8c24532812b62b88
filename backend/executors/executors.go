// Package executors is the use case of programs that run the tools of workspaces where the files
// are: a person makes an executor for some projects, and gets its token once. Of the token the
// desk keeps a hash. An executor asks for nothing and decides nothing.
package executors

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"sekisho/backend/agentbook"
	"sekisho/backend/permission"
	"sekisho/backend/proof"
)

// Store keeps executors.
type Store interface {
	// Executors gives all by the hashes of their tokens.
	Executors(ctx context.Context) (map[string]permission.Executor, error)
	// AddExecutor keeps one with its token's hash; a name that is taken is CodeExists.
	AddExecutor(ctx context.Context, x permission.Executor, tokenHash string, e permission.Entry) error
	// DeleteExecutor removes one; NotFound where there is none.
	DeleteExecutor(ctx context.Context, id permission.ExecutorID, e permission.Entry) error
}

// tokenPrefix begins the token of an executor.
const tokenPrefix = "ske_"

// maxProjects bounds the projects of an executor.
const maxProjects = 100

// Executors is the use case. It is safe for use by many goroutines.
type Executors struct {
	store Store
	now   func() permission.Time
	book  atomic.Pointer[book]
	edits sync.Mutex // one change of the book at a time
}

// book is all executors by the hashes of their tokens, and those hashes by their keys. It never
// changes.
type book struct {
	byToken map[string]permission.Executor
	byKey   map[string]proof.Hash
}

func newBook(byToken map[string]permission.Executor) *book {
	b := &book{byToken, map[string]proof.Hash{}}
	for hash := range byToken {
		if raw, err := hex.DecodeString(hash); err == nil && len(raw) == len(proof.Hash{}) {
			h := proof.Hash(raw)
			b.byKey[h.Key()] = h
		}
	}
	return b
}

// New makes one over a store. What cannot be read is nobody's: no token of an executor is known then.
func New(ctx context.Context, store Store, now func() permission.Time, log *slog.Logger) *Executors {
	x := &Executors{store: store, now: now}
	x.book.Store(newBook(nil))
	if err := x.reload(ctx); err != nil {
		log.Error("read executors", "error", err)
	}
	return x
}

func (x *Executors) reload(ctx context.Context) error {
	all, err := x.store.Executors(ctx)
	if err == nil {
		x.book.Store(newBook(all))
	}
	return err
}

// Token finds the executor of a token.
func (x *Executors) Token(token string) (permission.Executor, bool) {
	if x == nil || !strings.HasPrefix(token, tokenPrefix) {
		return permission.Executor{}, false
	}
	e, known := x.book.Load().byToken[agentbook.TokenHash(token)]
	return e, known
}

// Prove proves for the token of a key that this is its desk; NotFound when no token has it. See
// package proof.
func (x *Executors) Prove(key, nonce, address string) (string, error) {
	if x == nil {
		return "", permission.NotFound("token")
	}
	if hash, known := x.book.Load().byKey[key]; known {
		return hash.Of(nonce, address), nil
	}
	return "", permission.NotFound("token")
}

// All lists the executors, oldest first.
func (x *Executors) All() []permission.Executor {
	all := []permission.Executor{}
	for _, e := range x.book.Load().byToken {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b permission.Executor) int { return strings.Compare(string(a.ID), string(b.ID)) }) // by time: UUIDv7
	return all
}

// Create makes an executor and its token. The token is not kept, only its SHA-256.
func (x *Executors) Create(ctx context.Context, name string, projects []string) (e permission.Executor, token string, err error) {
	if err := agentbook.CheckName(name); err != nil {
		return e, "", err
	}
	if err := checkProjects(projects); err != nil {
		return e, "", err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return e, "", fmt.Errorf("create executor: %w", err)
	}
	token = agentbook.NewToken(tokenPrefix)
	e = permission.Executor{ID: permission.ExecutorID(id.String()), Name: name, ProjectIDs: slices.Clone(projects), CreatedAt: x.now()}
	x.edits.Lock()
	defer x.edits.Unlock()
	said := entry(e.CreatedAt, "executor_created", map[string]any{"executorId": e.ID, "name": name, "projectIds": projects})
	if err := x.store.AddExecutor(ctx, e, agentbook.TokenHash(token), said); err != nil {
		return e, "", errors.Join(err, x.reload(context.WithoutCancel(ctx)))
	}
	return e, token, x.reload(context.WithoutCancel(ctx))
}

// checkProjects looks at the ids of projects. A workspace may be added later than its executor.
func checkProjects(projects []string) error {
	if len(projects) == 0 || len(projects) > maxProjects {
		return permission.Invalid("projectIds", permission.FieldOutOfRange, fmt.Sprintf("an executor serves 1 to %d projects", maxProjects))
	}
	for i, id := range projects {
		if s := (permission.Server{ID: id}); !s.GoodID() {
			return permission.Invalid(fmt.Sprintf("projectIds[%d]", i), permission.FieldIDForm,
				"an id is 1 to 64 letters, digits, dots, dashes or underscores")
		}
		if slices.Contains(projects[:i], id) {
			return permission.Invalid(fmt.Sprintf("projectIds[%d]", i), permission.FieldDuplicate, "a project is named twice")
		}
	}
	return nil
}

// Delete ends an executor: its token is void at once.
func (x *Executors) Delete(ctx context.Context, id permission.ExecutorID) error {
	x.edits.Lock()
	defer x.edits.Unlock()
	err := x.store.DeleteExecutor(ctx, id, entry(x.now(), "executor_deleted", map[string]any{"executorId": id}))
	if err == nil { // whatever can be read afterwards
		left := maps.Clone(x.book.Load().byToken)
		maps.DeleteFunc(left, func(_ string, e permission.Executor) bool { return e.ID == id })
		x.book.Store(newBook(left))
	}
	return errors.Join(err, x.reload(context.WithoutCancel(ctx)))
}

// entry is what the journal says of a change.
func entry(at permission.Time, what string, data map[string]any) permission.Entry {
	data["what"] = what
	return permission.Entry{At: at, Kind: permission.AgentsChanged, Actor: permission.ActorPerson, Data: permission.Data(data)}
}
