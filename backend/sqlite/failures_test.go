package sqlite

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// note is a job that writes one entry, and then what follow does.
func note(words string, follow func(*tx) error) *job {
	return database.NewJob(context.Background(), func(t *tx) error { return errors.Join(noteOf(words)(t), follow(t)) })
}

func noteOf(words string) func(*tx) error {
	return func(t *tx) error {
		return t.Append(permission.Entry{At: 1, Kind: permission.RulesChanged, Actor: words, Data: []byte("{}")}, nil)
	}
}

func nothing(*tx) error { return nil }

// chain gives the actors of the journal, and complains when its links are not whole.
func chain(t *testing.T, s *Store) (actors []string) {
	t.Helper()
	entries, _, err := s.Journal(context.Background(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	prev := ""
	for i, e := range entries {
		if e.Seq != int64(i+1) || e.PrevHash != prev {
			t.Errorf("the chain broke at %d: %+v", i, e)
		}
		prev = e.Hash
		actors = append(actors, e.Actor)
	}
	return actors
}

// TestFailuresLeaveTheChainWhole: a job that fails leaves nothing, its neighbours
// stay, and a transaction that SQLite took back takes all of them.
func TestFailuresLeaveTheChainWhole(t *testing.T) {
	broken := errors.New("broken")
	fails := func(*tx) error { return broken }
	vanishes := func(t *tx) error {
		_, err := t.Exec("ROLLBACK")
		return err
	}
	for name, tt := range map[string]struct {
		jobs []*job
		want string // who is in the journal afterwards
	}{
		"alone, well":          {[]*job{note("a", nothing)}, "[before a after]"},
		"alone, fails":         {[]*job{note("a", fails)}, "[before after]"},
		"alone, vanishes":      {[]*job{note("a", vanishes)}, "[before after]"},
		"one of three fails":   {[]*job{note("a", nothing), note("b", fails), note("c", nothing)}, "[before a c after]"},
		"first of two fails":   {[]*job{note("a", fails), note("b", nothing)}, "[before b after]"},
		"all fail":             {[]*job{note("a", fails), note("b", fails)}, "[before after]"},
		"one of two vanishes":  {[]*job{note("a", nothing), note("b", vanishes)}, "[before after]"},
		"vanishes, then a job": {[]*job{note("a", vanishes), note("b", nothing)}, "[before after]"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(context.Background(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			commitAll(s, note("before", nothing))
			commitAll(s, tt.jobs...)
			commitAll(s, note("after", nothing))
			actors := chain(t, s)
			if fmt.Sprint(actors) != tt.want {
				t.Errorf("journal %v, want %v", actors, tt.want)
			}
			told := 2
			for _, j := range tt.jobs {
				if j.Err() == nil {
					told++
				}
			}
			if told != len(actors) {
				t.Errorf("%d writes were acknowledged, %d are on disk", told, len(actors))
			}
		})
	}
}

// TestForgottenJobIsLeftOut: a job whose caller has gone before its turn does not run.
func TestForgottenJobIsLeftOut(t *testing.T) {
	s, err := Open(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	late := database.NewJob(ctx, noteOf("late"))
	commitAll(s, late, note("a", nothing))
	if actors := chain(t, s); fmt.Sprint(actors) != "[a]" || !errors.Is(late.Err(), context.Canceled) {
		t.Errorf("journal %v, late: %v", actors, late.Err())
	}
}
