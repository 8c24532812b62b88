package sqlite

import (
	"context"
	"fmt"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// BenchmarkStart opens a folder with 10,000 rules and 1,000,000 entries, and edits a rule of
// it: what it takes to hold the rules against the journal, and to tell the journal of one.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	s := opened(b, dir)
	rules := make([]permission.Rule, 10_000)
	for i := range rules {
		rules[i] = ruled(fmt.Sprintf("rule-%d", i), fmt.Sprintf("tool_%d_*", i))
	}
	putRules(b, s, true, rules...)
	id := permission.CallID("0190b6e0-0000-7000-8000-000000000000")
	for range 1000 {
		err := s.write(context.Background(), func(t *tx) error {
			for range 1000 {
				e := entry(permission.CallCreated)
				if err := t.Append(e, &permission.Call{ID: id}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	var starts, edits time.Duration
	n := 0
	for b.Loop() {
		n++
		began := time.Now()
		s, err := Open(context.Background(), dir)
		if err != nil {
			b.Fatal(err)
		}
		starts += time.Since(began)
		began = time.Now()
		putRules(b, s, false, ruled("rule-5", fmt.Sprint("x", n)))
		edits += time.Since(began)
		s.Close()
	}
	for name, took := range map[string]time.Duration{"start-ms": starts, "edit-ms": edits} {
		b.ReportMetric(float64(took.Microseconds())/1000/float64(n), name)
	}
}
