package sqlite

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sekisho/backend/permission"
)

func TestHabitsOfClients(t *testing.T) {
	dir, ctx := furnished(t), t.Context()
	s := opened(t, dir)
	keep := func(h permission.ClientHabit) {
		t.Helper()
		if err := s.KeepClientHabit(ctx, h); err != nil {
			t.Fatal(err)
		}
	}
	keep(permission.ClientHabit{Agent: "one", Client: "c", Grown: time.Minute})
	last := permission.ClientHabit{Agent: "one", Client: "c", Limit: 90 * time.Second, Grown: 2 * time.Minute, Wary: 3}
	keep(last)
	keep(permission.ClientHabit{Agent: "two", Client: "c", Grown: time.Hour})
	keep(permission.ClientHabit{Agent: "nobody", Client: "c", Grown: time.Hour})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opened(t, dir)
	if _, err := s.DeleteAgent(ctx, permission.Versions{}, "two", permission.Decision{}, entry(permission.AgentsChanged)); err != nil {
		t.Fatal(err)
	}
	if all, err := s.ClientHabits(ctx); err != nil || len(all) != 1 || all[0] != last || s.Disputed() != "" {
		t.Errorf("%v, %v, %s", all, err, s.Disputed())
	}
	three := permission.Agent{ID: "three", Name: "three", CreatedAt: 1}
	if _, err := s.AddAgent(ctx, permission.Versions{}, three, "hash-three", entry(permission.AgentsChanged)); err != nil {
		t.Fatal(err)
	}
	other := permission.ClientHabit{Agent: "three", Client: "c", Grown: time.Hour}
	keep(other)
	err := s.write(ctx, func(t *tx) error {
		for i := range permission.MaxClientHabits {
			if _, err := t.Exec("INSERT INTO client_habits VALUES ('one', ?, 0, 0, 0)", fmt.Sprint(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	keep(last)
	if all, err := s.ClientHabits(ctx); err != nil || len(all) != 2 || !slices.Contains(all, last) || !slices.Contains(all, other) {
		t.Errorf("%d habits, %v", len(all), err)
	}
	chained(t, s)
}
