package command_test

import (
	"testing"

	"sekisho/backend/command"
)

// BenchmarkRead reads lines of the kinds that agents write all day.
func BenchmarkRead(b *testing.B) {
	for name, text := range map[string]string{
		"one":    "git status",
		"list":   "cd web && npm run build 2>&1 | tail -20 && git add -A && git commit -m 'x y'",
		"nested": "bash -lc 'cd a && go test ./... | grep FAIL'",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				command.Read(text)
			}
		})
	}
}
