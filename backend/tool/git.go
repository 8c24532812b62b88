package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// quieted are settings by which a repository makes git run programs, and what they are put to.
// What git then cannot do without such a program fails.
var quieted = [][2]string{{"core.hooksPath", os.DevNull}, {"core.fsmonitor", "false"}, {"core.pager", "cat"}, {"core.sshCommand", "false"},
	{"core.gitProxy", "false"}, {"core.askPass", ""}, {"core.alternateRefsCommand", "true"}, {"credential.helper", ""},
	{"gpg.program", "false"}, {"gpg.ssh.program", "false"},
	{"gpg.x509.program", "false"}, {"commit.gpgSign", "false"}, {"log.showSignature", "false"},
	{"merge.verifySignatures", "false"}, {"gc.auto", "0"}, {"maintenance.auto", "false"}, {"submodule.recurse", "false"},
	{"sequence.editor", "false"}, {"interactive.diffFilter", "cat"},
	// A submodule has settings of its own, which nobody has read: git does not look into its files, but to add it.
	{"diff.ignoreSubmodules", "dirty"}, {"fetch.recurseSubmodules", "false"}}

// drivers are the same of settings that have a name in the middle.
var drivers = []struct {
	name *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`(?s)^filter\..*\.(clean|smudge|process)$`), ""},
	{regexp.MustCompile(`(?s)^filter\..*\.required$`), "false"},
	{regexp.MustCompile(`(?s)^diff\..*\.textconv$`), "cat"},
	{regexp.MustCompile(`(?s)^hook\..*\.command$`), "true"}, // a hook by settings, which core.hooksPath is not about
	{regexp.MustCompile(`(?s)^hook\..*\.event$`), ""},
	{regexp.MustCompile(`(?s)^submodule\..*\.update$`), "none"},
	{regexp.MustCompile(`(?s)^trailer\..*\.(cmd|command)$`), "true"},
	{regexp.MustCompile(`(?s)^(diff\..*\.command|diff\.external|merge\..*\.driver|gpg\..*program|gpg\..*command)$`), "false"},
}

// submodule finds the name of a submodule in that of a setting.
var submodule = regexp.MustCompile(`(?s)^submodule\.(.+)\.[^.]+$`)

// quietGit puts out of force what a repository's own settings make git run. It asks git for
// the names of the settings, those of included files and of .gitmodules too, by which it runs nothing.
func (w *Workspace) quietGit(ctx context.Context, cmd *exec.Cmd, scratch string) error {
	cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+path.Dir(w.folder))
	trusted := [][2]string{{"safe.directory", w.folder}, {"safe.bareRepository", "explicit"}}
	names, code, err := w.gitSettings(ctx, cmd, scratch, trusted, "--includes")
	if err != nil || code != 0 {
		return fmt.Errorf("read the settings of git: %w", cmp.Or(err, fmt.Errorf("exit code %d", code)))
	}
	of := []string{"--blob", ":.gitmodules"} // as git reads them where there is no such file
	if _, err := w.root.Lstat(".gitmodules"); err == nil {
		of = []string{"--file", ".gitmodules"}
	}
	quiet := slices.Concat(trusted, quieted, quieting(names, nil))    // what reads the index asks a monitor
	modules, _, err := w.gitSettings(ctx, cmd, scratch, quiet, of...) // without either it ends with an error, and there is none
	if err != nil {
		return fmt.Errorf("read the submodules of git: %w", err)
	}
	cmd.Env = append(cmd.Env, settings(slices.Concat(quiet, quieting(nil, modules)))...)
	return nil
}

// gitSettings gives the names of settings, which git reads under others, and the exit code of git.
func (w *Workspace) gitSettings(ctx context.Context, cmd *exec.Cmd, scratch string, under [][2]string,
	of ...string) (names []string, code int, err error) {
	var out, trouble limited
	ask := &exec.Cmd{Path: cmd.Path, Args: slices.Concat([]string{"git", "config", "--list", "--name-only", "-z"}, of), Dir: w.folder,
		Env: slices.Clone(cmd.Env), Stdout: &out, Stderr: &trouble}
	ask.Env = append(ask.Env, settings(under)...)
	var exit *exec.ExitError
	switch err := w.start(ctx, ask, scratch, false); {
	case err != nil && (!errors.As(err, &exit) || ctx.Err() != nil):
		return nil, 0, fmt.Errorf("%w: %s", err, trouble.kept.String())
	case out.cut:
		return nil, 0, errors.New("there are too many")
	}
	return strings.Split(out.kept.String(), "\x00"), ask.ProcessState.ExitCode(), nil
}

// quieting is what settings of these names are put to.
func quieting(names, modules []string) (all [][2]string) {
	for _, name := range names {
		for _, d := range drivers {
			if d.name.MatchString(name) {
				all = append(all, [2]string{name, d.to})
			}
		}
	}
	seen := map[string]bool{}
	for _, name := range slices.Concat(names, modules) {
		if m := submodule.FindStringSubmatch(name); m != nil && !seen[m[1]] {
			seen[m[1]] = true
			all = append(all, [2]string{"submodule." + m[1] + ".ignore", "dirty"},
				[2]string{"submodule." + m[1] + ".fetchRecurseSubmodules", "false"})
		}
	}
	return all
}

// settings give git settings that stand before those of files.
func settings(all [][2]string) []string {
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(all))}
	for i, s := range all {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return env
}
