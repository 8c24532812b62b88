package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
)

// quieted are settings by which a repository makes git run programs, and what they are put to.
// What git then cannot do without such a program fails.
var quieted = [][2]string{{"core.hooksPath", os.DevNull}, {"core.fsmonitor", "false"}, {"core.pager", "cat"}, {"core.sshCommand", "false"},
	{"core.gitProxy", "false"}, {"core.askPass", ""}, {"core.alternateRefsCommand", "true"}, {"credential.helper", ""},
	{"gpg.program", "false"}, {"gpg.ssh.program", "false"},
	{"gpg.x509.program", "false"}, {"commit.gpgSign", "false"}, {"log.showSignature", "false"},
	{"merge.verifySignatures", "false"}, {"gc.auto", "0"}, {"maintenance.auto", "false"}, {"submodule.recurse", "false"},
	{"safe.bareRepository", "explicit"}}

// drivers are the same of settings that have a name in the middle.
var drivers = []struct {
	name *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`(?s)^filter\..*\.(clean|smudge|process)$`), ""},
	{regexp.MustCompile(`(?s)^filter\..*\.required$`), "false"},
	{regexp.MustCompile(`(?s)^diff\..*\.textconv$`), "cat"},
	{regexp.MustCompile(`(?s)^(diff\..*\.command|diff\.external|merge\..*\.driver|gpg\..*program|gpg\..*command)$`), "false"},
}

// quietGit puts out of force what a repository's own settings make git run. It asks git for
// the names of the settings, those of included files too, by which it runs nothing.
func (w *Workspace) quietGit(ctx context.Context, cmd *exec.Cmd, scratch string) error {
	cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+path.Dir(w.folder))
	var names, trouble limited
	ask := &exec.Cmd{Path: cmd.Path, Args: []string{"git", "config", "--includes", "--list", "--name-only", "-z"}, Dir: w.folder, Env: cmd.Env,
		Stdout: &names, Stderr: &trouble}
	ask.Env = append(ask.Env, settings([][2]string{{"safe.directory", w.folder}, {"safe.bareRepository", "explicit"}})...)
	switch err := w.start(ctx, ask, scratch, false); {
	case err != nil:
		return fmt.Errorf("read the settings of git: %w: %s", err, trouble.kept.String())
	case names.cut:
		return errors.New("read the settings of git: there are too many")
	}
	all := append([][2]string{{"safe.directory", w.folder}}, quieted...)
	for name := range strings.SplitSeq(names.kept.String(), "\x00") {
		for _, d := range drivers {
			if d.name.MatchString(name) {
				all = append(all, [2]string{name, d.to})
			}
		}
	}
	cmd.Env = append(cmd.Env, settings(all)...)
	return nil
}

// settings give git settings that stand before those of files.
func settings(all [][2]string) []string {
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(all))}
	for i, s := range all {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return env
}
