package desk_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/secret"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// keyed is a desk whose secrets are in a file beside the database.
func keyed(t *testing.T, dir string) *house {
	t.Helper()
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	return keyedOver(t, store, store, secret.New(dir))
}

func keyedOver(t *testing.T, store *sqlite.Store, shown storetest.Store, secrets desk.SecretStore) *house {
	t.Helper()
	d, err := desk.Open(ctx, storetest.Stores(shown), desk.Options{Logger: slog.New(slog.DiscardHandler), Secrets: secrets})
	if err != nil {
		t.Fatal(err)
	}
	return &house{T: t, parts: partsOf(d), store: store, agent: permission.Agent{ID: "a", Name: "Agent A"}}
}

func withSecrets(id string, env, headers map[string]string) permission.Server {
	if headers != nil {
		return permission.Server{ID: id, Transport: permission.TransportHTTP, URL: "http://127.0.0.1:1/mcp", Headers: headers, Enabled: true}
	}
	return permission.Server{ID: id, Transport: permission.TransportStdio, Command: "x", Env: env, Enabled: true}
}

func (h *house) replace(servers ...permission.Server) {
	h.Helper()
	if _, _, err := h.ReplaceServers(ctx, "", servers); err != nil {
		h.Fatal(err)
	}
}

// values are all values of a server.
func (h *house) values(id string) map[string]string {
	h.Helper()
	s, err := h.Server(ctx, id)
	if err != nil {
		h.Fatal(err)
	}
	all := maps.Clone(s.Env)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, s.Headers)
	return all
}

// stored are the values in the database, and in the file of secrets.
func (h *house) stored(dir string) (database, file []string) {
	h.Helper()
	servers, err := h.store.Servers(ctx)
	if err != nil {
		h.Fatal(err)
	}
	for _, s := range servers {
		database = slices.AppendSeq(slices.AppendSeq(database, maps.Values(s.Env)), maps.Values(s.Headers))
	}
	all, err := secret.New(dir).Secrets()
	if err != nil {
		h.Fatal(err)
	}
	return database, slices.Sorted(maps.Values(all))
}

// TestValuesAreKeptBesideTheDatabase, names in it; an edit keeps what did not change
// and forgets what went.
func TestValuesAreKeptBesideTheDatabase(t *testing.T) {
	dir := t.TempDir()
	h := keyed(t, dir)
	h.replace(withSecrets("s", map[string]string{"TOKEN": "one", "EMPTY": ""}, nil),
		withSecrets("r", nil, map[string]string{"Authorization": "two"}))
	database, file := h.stored(dir)
	for _, value := range database {
		if !permission.IsReference(value) {
			t.Errorf("the database has %q", value)
		}
	}
	if !slices.Equal(file, []string{"", "one", "two"}) {
		t.Errorf("the file has %q", file)
	}
	h.close()
	h = keyed(t, dir)
	if got := h.values("s"); got["TOKEN"] != "one" || len(got) != 2 {
		t.Errorf("%v", got)
	}
	if got := h.values("r"); got["Authorization"] != "two" {
		t.Errorf("%v", got)
	}
	if notice := h.Secrets(); notice.Where != filepath.Join(dir, secret.FileName) || notice.Trouble != "" {
		t.Errorf("%+v", notice)
	}
	h.replace(withSecrets("s", map[string]string{"TOKEN": permission.Mask, "NEW": "three"}, nil))
	if _, file := h.stored(dir); !slices.Equal(file, []string{"one", "three"}) {
		t.Errorf("after an edit the file has %q", file)
	}
	again, _ := h.stored(dir)
	h.replace(withSecrets("s", map[string]string{"TOKEN": "one", "NEW": permission.Mask}, nil))
	if same, _ := h.stored(dir); !slices.Equal(slices.Sorted(slices.Values(again)), slices.Sorted(slices.Values(same))) {
		t.Errorf("values that are the same got other names: %q and %q", again, same)
	}
	h.close()
}

// TestAValueThatReadsLikeAReferenceIsAValue.
func TestAValueThatReadsLikeAReferenceIsAValue(t *testing.T) {
	dir := t.TempDir()
	h := keyed(t, dir)
	h.replace(withSecrets("a", map[string]string{"K": "mine"}, nil))
	database, _ := h.stored(dir)
	h.replace(withSecrets("a", map[string]string{"K": permission.Mask}, nil), withSecrets("b", map[string]string{"K": database[0]}, nil))
	if got := h.values("b"); got["K"] != database[0] {
		t.Errorf("another server's secret was read by its name: %v", got)
	}
	h.close()
}

// breaking lets the store or the secrets fail at one step.
type breaking struct {
	*sqlite.Store
	desk.SecretStore
	edits, secrets bool
}

func (b *breaking) ReplaceServers(ctx context.Context, of permission.Versions, s []permission.Server, tools permission.ToolEdit,
	e permission.Entry) (permission.Versions, error) {
	if b.edits {
		return of, errFault
	}
	return b.Store.ReplaceServers(ctx, of, s, tools, e)
}

func (b *breaking) ChangeSecrets(put map[string]string, forget []string) error {
	if b.secrets {
		return errFault
	}
	return b.SecretStore.ChangeSecrets(put, forget)
}

// TestAnEditIsWholeOrNothing: a new secret never reaches the server as it was before.
func TestAnEditIsWholeOrNothing(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	b := &breaking{Store: store, SecretStore: secret.New(dir)}
	h := keyedOver(t, store, b, b)
	h.replace(withSecrets("r", nil, map[string]string{"Authorization": "for the old place"}))
	elsewhere := withSecrets("r", nil, map[string]string{"Authorization": "for the new place"})
	elsewhere.URL = "http://127.0.0.1:2/mcp"
	for _, broken := range []*bool{&b.secrets, &b.edits} {
		*broken = true
		if _, _, err := h.ReplaceServers(ctx, "", []permission.Server{elsewhere}); !errors.Is(err, errFault) {
			t.Errorf("%v", err)
		}
		*broken = false
		for range 2 { // as it goes on, and after a new start
			if s, _ := h.Server(ctx, "r"); s.URL != "http://127.0.0.1:1/mcp" || s.Headers["Authorization"] != "for the old place" || s.Lacks != "" {
				t.Errorf("%+v", s)
			}
			h.desk.Close()
			h = keyedOver(t, store, b, b)
		}
	}
	h.replace(elsewhere)
	if _, file := h.stored(dir); !slices.Equal(file, []string{"for the new place"}) {
		t.Errorf("what broken edits left is still there: %q", file)
	}
	h.close()
}

// TestAServerWithoutItsSecretsSaysSo, starts as soon as they are there, and is not lost
// by an edit of another one.
func TestAServerWithoutItsSecretsSaysSo(t *testing.T) {
	for name, harm := range map[string]struct {
		do   func(path string) error
		says string
	}{
		"damaged": {func(path string) error { return os.WriteFile(path, []byte(`{"format":1,"secr`), 0o600) }, "is damaged"},
		"gone":    {os.Remove, "Enter them again"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			h := keyed(t, dir)
			h.replace(withSecrets("s", map[string]string{"TOKEN": "one", "OTHER": "two"}, nil), withSecrets("plain", nil, nil))
			h.close()
			path := filepath.Join(dir, secret.FileName)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := harm.do(path); err != nil {
				t.Fatal(err)
			}
			h = keyed(t, dir)
			defer func() { h.close() }()
			lacks := func(want string) {
				t.Helper()
				s, err := h.Server(ctx, "s")
				if err != nil || (s.Lacks == "") != (want == "") || !strings.Contains(s.Lacks, want) || want != "" &&
					(!strings.Contains(s.Lacks, "(OTHER, TOKEN)") || s.Env["TOKEN"] != permission.Mask) {
					t.Errorf("%+v %v", s, err)
				}
			}
			lacks(harm.says)
			if s, err := h.Server(ctx, "plain"); err != nil || s.Lacks != "" {
				t.Errorf("a server without secrets: %+v %v", s, err)
			}
			if s, err := h.Unmasked(ctx, withSecrets("s", map[string]string{"TOKEN": permission.Mask}, nil)); err != nil || s.Lacks == "" {
				t.Errorf("a trial of it: %+v %v", s, err)
			}
			kept := withSecrets("s", map[string]string{"TOKEN": permission.Mask, "OTHER": permission.Mask}, nil)
			h.replace(kept, withSecrets("third", nil, nil))
			lacks(harm.says)
			if name == "damaged" {
				if got, err := os.ReadFile(path); err != nil || string(got) == string(whole) || h.Secrets().Trouble == "" {
					t.Errorf("%q %v %+v", got, err, h.Secrets())
				}
				if _, _, err := h.ReplaceServers(ctx, "", []permission.Server{withSecrets("s", map[string]string{"TOKEN": "new"}, nil)}); code(
					err) != permission.CodeUnavailable {
					t.Errorf("a secret that cannot be kept: %v", err)
				}
				if err := os.WriteFile(path, whole, 0o600); err != nil {
					t.Fatal(err)
				}
				h.close()
				h = keyed(t, dir)
				lacks("")
				return
			}
			h.replace(withSecrets("s", map[string]string{"TOKEN": "new", "OTHER": "two"}, nil))
			lacks("")
			if got := h.values("s"); got["TOKEN"] != "new" {
				t.Errorf("%v", got)
			}
		})
	}
}

// TestAnotherDatabaseCostsNoSecrets: who puts the old one back finds them.
func TestAnotherDatabaseCostsNoSecrets(t *testing.T) {
	dir, empty := t.TempDir(), t.TempDir()
	h := keyed(t, dir)
	h.replace(withSecrets("s", map[string]string{"TOKEN": "one"}, nil))
	h.close()
	store, err := sqlite.Open(ctx, empty)
	if err != nil {
		t.Fatal(err)
	}
	keyedOver(t, store, store, secret.New(dir)).close()
	h = keyed(t, dir)
	defer h.close()
	if got := h.values("s"); got["TOKEN"] != "one" {
		t.Errorf("%v", got)
	}
}

// TestAgentsAreKnownAtOnce, and no more once they are removed, also by a removal of
// which the store did not tell the end.
func TestAgentsAreKnownAtOnce(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	a, first, err := h.CreateAgent(ctx, "one")
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := h.CreateAgent(ctx, "two")
	if err != nil {
		t.Fatal(err)
	}
	h.close()
	h = openAt(t, dir)
	defer func() { h.close() }()
	if got, err := h.Authenticate(ctx, first); err != nil || got != a {
		t.Errorf("after a new start: %+v %v", got, err)
	}
	if err := h.DeleteAgent(ctx, a.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Authenticate(ctx, first); code(err) != permission.CodeNotFound {
		t.Errorf("a removed agent: %v", err)
	}
	if _, err := h.Authenticate(ctx, second); err != nil {
		t.Errorf("the other one: %v", err)
	}
	if err := h.DeleteAgent(ctx, a.ID); code(err) != permission.CodeNotFound {
		t.Errorf("removed twice: %v", err)
	}
	if _, err := h.Authenticate(ctx, second); err != nil {
		t.Errorf("the other one, after an error: %v", err)
	}
}

// TestARevisionTellsOfWhatMasksHide, and of nothing else.
func TestARevisionTellsOfWhatMasksHide(t *testing.T) {
	h := keyed(t, t.TempDir())
	defer h.close()
	revision := func(change func(*permission.Server)) string {
		t.Helper()
		s := withSecrets("a", map[string]string{"KEY": "one"}, nil)
		change(&s)
		h.replace(s)
		s, err := h.Server(ctx, "a")
		if err != nil || s.Revision == "" {
			t.Fatal(s, err)
		}
		return s.Revision
	}
	first := revision(func(*permission.Server) {})
	for name, change := range map[string]func(*permission.Server){
		"the same":     func(*permission.Server) {},
		"a mask":       func(s *permission.Server) { s.Env["KEY"] = permission.Mask },
		"switched off": func(s *permission.Server) { s.Enabled = false },
	} {
		if revision(change) != first {
			t.Errorf("%s is another revision", name)
		}
	}
	second := revision(func(s *permission.Server) { s.Env["KEY"] = "two" })
	if back := revision(func(*permission.Server) {}); second == first || back == second {
		t.Error("another secret is the same revision")
	}
	if revision(func(s *permission.Server) { s.Args = []string{"x"} }) == first {
		t.Error("another argument is the same revision")
	}
}
