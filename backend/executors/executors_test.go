package executors_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"sekisho/backend/executors"
	"sekisho/backend/permission"
)

// store keeps one executor, and cannot be read once it is broken.
type store struct {
	all    map[string]permission.Executor
	broken error
}

func (s *store) Executors(context.Context) (map[string]permission.Executor, error) {
	return s.all, s.broken
}

func (s *store) AddExecutor(_ context.Context, x permission.Executor, hash string, _ permission.Entry) error {
	s.all = map[string]permission.Executor{hash: x}
	return nil
}

func (s *store) DeleteExecutor(context.Context, permission.ExecutorID, permission.Entry) error {
	return nil
}

// TestADeletedExecutorIsGone: also where nothing can be read after it.
func TestADeletedExecutorIsGone(t *testing.T) {
	s := &store{}
	x := executors.New(t.Context(), s, func() permission.Time { return 1 }, slog.Default())
	e, token, err := x.Create(t.Context(), "laptop", []string{"site"})
	if _, known := x.Token(token); err != nil || !known {
		t.Fatalf("made: %v, known %v", err, known)
	}
	s.broken = errors.New("the disk is away")
	if err := x.Delete(t.Context(), e.ID); !errors.Is(err, s.broken) {
		t.Errorf("deleted: %v", err)
	}
	if _, known := x.Token(token); known || len(x.All()) > 0 {
		t.Error("the token of a deleted executor is good")
	}
}
