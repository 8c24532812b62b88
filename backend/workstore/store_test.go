package workstore_test

import (
	"testing"

	"sekisho/backend/coordination"
	"sekisho/backend/sqlite"
	"sekisho/backend/workstore"
	"sekisho/backend/worktest"
)

// open opens the keeper of a folder.
func open(t testing.TB, dir string) (*workstore.Store, *sqlite.Store) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return workstore.New(s.Reader(), s.Write), s
}

// TestContract holds the keeper to the contract, on a file.
func TestContract(t *testing.T) {
	worktest.Run(t, func(t *testing.T) coordination.Store {
		s, _ := open(t, t.TempDir())
		return s
	})
}
