package tool

import (
	"slices"
	"testing"
)

// TestQuieting: what settings by these names make git run is put out of force, whatever git this machine has.
func TestQuieting(t *testing.T) {
	got := quieting([]string{"hook.a.b.command", "hook.a.b.event", "hook.a.b.enabled", "filter.x.clean", "diff.x.textconv", "diff.external",
		"merge.x.driver", "gpg.ssh.defaultkeycommand", "submodule.s.update", "trailer.x.cmd", "user.name", "hook.jobs"},
		[]string{"submodule.s.path", "submodule.t.v.url"})
	want := [][2]string{{"hook.a.b.command", "true"}, {"hook.a.b.event", ""}, {"filter.x.clean", ""}, {"diff.x.textconv", "cat"},
		{"diff.external", "false"}, {"merge.x.driver", "false"}, {"gpg.ssh.defaultkeycommand", "false"}, {"submodule.s.update", "none"},
		{"trailer.x.cmd", "true"}, {"submodule.s.ignore", "dirty"}, {"submodule.s.fetchRecurseSubmodules", "false"},
		{"submodule.t.v.ignore", "dirty"}, {"submodule.t.v.fetchRecurseSubmodules", "false"}}
	if !slices.Equal(got, want) {
		t.Errorf("quieted: %q, want %q", got, want)
	}
}
