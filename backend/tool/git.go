package tool

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"syscall"

	"sekisho/backend/lazyregexp"
)

// quieted are settings by which a repository makes git run programs, and what they are put to.
// What git then cannot do without such a program fails.
var quieted = [][2]string{{"core.hooksPath", os.DevNull}, {"core.fsmonitor", "false"}, {"core.pager", "cat"}, {"core.sshCommand", "false"},
	{"core.gitProxy", "false"}, {"core.askPass", ""}, {"core.alternateRefsCommand", "true"}, {"credential.helper", ""},
	{"gpg.program", "false"}, {"gpg.ssh.program", "false"},
	{"gpg.x509.program", "false"}, {"commit.gpgSign", "false"}, {"log.showSignature", "false"},
	{"merge.verifySignatures", "false"}, {"gc.auto", "0"}, {"maintenance.auto", "false"}, {"submodule.recurse", "false"},
	{"sequence.editor", "false"}, {"interactive.diffFilter", "cat"},
	// Git does not look into the files of a submodule, but to add it: see inner.
	{"diff.ignoreSubmodules", "dirty"}, {"diff.submodule", "short"}, {"status.submoduleSummary", "false"},
	{"fetch.recurseSubmodules", "false"}}

// drivers are the same of settings that have a name in the middle.
var drivers = []struct {
	name *lazyregexp.Regexp
	to   string
}{
	{lazyregexp.New(`(?s)^filter\..*\.(clean|smudge|process)$`), ""},
	{lazyregexp.New(`(?s)^filter\..*\.required$`), "false"},
	{lazyregexp.New(`(?s)^diff\..*\.textconv$`), "cat"},
	{lazyregexp.New(`(?s)^hook\..*\.command$`), "true"}, // a hook by settings, which core.hooksPath is not about
	{lazyregexp.New(`(?s)^hook\..*\.event$`), ""},
	{lazyregexp.New(`(?s)^submodule\..*\.update$`), "none"},
	{lazyregexp.New(`(?s)^trailer\..*\.(cmd|command)$`), "true"},
	{lazyregexp.New(`(?s)^(diff\..*\.command|diff\.external|merge\..*\.driver|gpg\..*program|gpg\..*command)$`), "false"},
}

// submodule finds the name of a submodule in that of a setting.
var submodule = lazyregexp.New(`(?s)^submodule\.(.+)\.[^.]+$`)

// repository is one that git is asked about, under settings that stand before its own.
type repository struct {
	w       *Workspace
	git     *exec.Cmd // whose program and environment git is asked with
	scratch string
	at      string // its folder in the workspace
	under   [][2]string
}

// quietGit puts out of force what a repository's own settings make git run, and those of the repositories
// in it. It asks git for the names of the settings, those of included files and of .gitmodules too, by
// which it runs nothing.
func (w *Workspace) quietGit(ctx context.Context, cmd *exec.Cmd, scratch string) error {
	cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+path.Dir(w.folder))
	r := &repository{w, cmd, scratch, ".", [][2]string{{"safe.directory", w.folder}, {"safe.bareRepository", "explicit"}}}
	names, code, err := r.settings(ctx, "--includes")
	if err != nil || code != 0 {
		return fmt.Errorf("read the settings of git: %w", cmp.Or(err, fmt.Errorf("exit code %d", code)))
	}
	of := []string{"--blob", ":.gitmodules"} // as git reads them where there is no such file
	if _, err := w.root.Lstat(".gitmodules"); err == nil {
		of = []string{"--file", ".gitmodules"}
	}
	r.under = slices.Concat(r.under, quieted, quieting(names, nil)) // what reads the index asks a monitor
	modules, _, err := r.settings(ctx, of...)                       // without either it ends with an error, and there is none
	if err != nil {
		return fmt.Errorf("read the submodules of git: %w", err)
	}
	r.under = append(r.under, quieting(nil, modules)...)
	if err := r.inner(ctx); err != nil {
		return fmt.Errorf("read the repositories in that of git: %w", err)
	}
	cmd.Env = append(cmd.Env, settings(r.under)...)
	return nil
}

// maxInner bounds the repositories in one, those in them counted.
const maxInner = 64

// inner puts out of force what the repositories in this one make git run, that its index names. Git enters
// them to tell whether their files have changed, when it adds them: it hands our settings on, and reads theirs.
func (r *repository) inner(ctx context.Context) error {
	all := []string{"."}
	for i := 0; i < len(all); i++ {
		one := &repository{r.w, r.git, r.scratch, all[i], r.under}
		if i > 0 {
			names, code, err := one.settings(ctx, "--includes")
			if err != nil || code != 0 {
				return fmt.Errorf("%s: %w", one.at, cmp.Or(err, fmt.Errorf("exit code %d", code)))
			}
			own := func(name string) bool { return strings.HasPrefix(name, "diff.") } // nothing of it is shown: diff.submodule
			r.under = append(r.under, quieting(slices.DeleteFunc(names, own), nil)...)
			one.under = r.under
		}
		links, err := one.links(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", one.at, err)
		}
		for _, link := range links {
			_, err := r.w.root.Stat(path.Join(link, ".git"))
			switch {
			case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR), slices.Contains(all, link): // it has no files here
			case err != nil:
				return fmt.Errorf("%s: %w", link, err)
			default:
				all = append(all, link)
			}
		}
		if len(all) > maxInner {
			return fmt.Errorf("there are more than %d", maxInner)
		}
	}
	return nil
}

// links are the folders of the workspace that the index of a repository names as repositories of their own.
func (r *repository) links(ctx context.Context) ([]string, error) {
	var found gitlinks
	code, err := r.ask(ctx, &found, "ls-files", "--stage", "-z")
	_, none := r.w.root.Lstat(path.Join(r.at, ".git"))
	switch {
	case err != nil:
		return nil, err
	case code != 0 && (r.at != "." || !errors.Is(none, os.ErrNotExist)):
		return nil, fmt.Errorf("read the index: exit code %d", code)
	case found.cut:
		return nil, errors.New("the index names too many")
	}
	for i, name := range found.names {
		found.names[i] = path.Join(r.at, name)
	}
	return found.names, nil
}

// gitlinks keeps from a list of an index the names of what are repositories of their own.
type gitlinks struct {
	line  []byte // the beginning of one that has not ended
	names []string
	cut   bool
}

func (g *gitlinks) Write(p []byte) (int, error) {
	g.line = append(g.line, p...)
	for {
		line, rest, ended := bytes.Cut(g.line, []byte{0})
		if !ended {
			return len(p), nil
		}
		g.line = rest
		if about, name, _ := strings.Cut(string(line), "\t"); strings.HasPrefix(about, "160000 ") {
			if g.cut = len(g.names) >= 1000*maxInner; !g.cut {
				g.names = append(g.names, name)
			}
		}
	}
}

// settings gives the names of settings, and the exit code of git.
func (r *repository) settings(ctx context.Context, of ...string) (names []string, code int, err error) {
	var out limited
	code, err = r.ask(ctx, &out, append([]string{"config", "--list", "--name-only", "-z"}, of...)...)
	if err == nil && out.cut {
		err = errors.New("there are too many")
	}
	return strings.Split(out.kept.String(), "\x00"), code, err
}

// ask runs git, which says something of the repository, and gives its exit code.
func (r *repository) ask(ctx context.Context, out io.Writer, words ...string) (code int, err error) {
	var trouble limited
	ask := &exec.Cmd{Path: r.git.Path, Args: append([]string{"git", "-C", r.at}, words...), Dir: r.w.folder,
		Env: slices.Clone(r.git.Env), Stdout: out, Stderr: &trouble}
	if r.at != "." {
		ask.Env = append(ask.Env, "GIT_DIR=.git") // as git itself says when it enters one
	}
	ask.Env = append(ask.Env, settings(r.under)...)
	var exit *exec.ExitError
	if err := r.w.start(ctx, ask, r.scratch, false); err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		return 0, fmt.Errorf("%w: %s", err, trouble.kept.String())
	}
	return ask.ProcessState.ExitCode(), nil
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
