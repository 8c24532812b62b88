package server

import (
	"context"
	"os"

	"sekisho/backend/desk"
	"sekisho/backend/history"
	"sekisho/backend/learn"
	"sekisho/backend/permission"
	"sekisho/backend/rest"
)

// newHistory reads the histories of the user whom the desk runs as, and judges them by the
// rules in force; nil where the user has no home.
func newHistory(d *desk.Desk) rest.History {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	return func(ctx context.Context, progress func(files int, bytes int64, calls int)) (*learn.Result, error) {
		rules, _, err := d.Policy.Rules(ctx)
		if err != nil {
			return nil, err
		}
		return learn.From(ctx, history.In(home, os.Getenv), learn.Options{
			Rules: rules, Now: permission.TimeOf(d.Calls.Now().Std()), Home: home, Progress: progress})
	}
}
