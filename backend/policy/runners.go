package policy

import (
	"path"
	"slices"
	"strings"
)

// runners are the programs that only run another program, or code, which their
// arguments or their input name. What is code of a project (make, npm run, ./build)
// is not here: its name says no more and no less than that of any program.
var runners = wordSet(`
	. - : source command builtin eval exec coproc noglob nocorrect not and or begin trap alias
	sudo sudoedit doas su runuser pkexec gosu setpriv chroot unshare nsenter bwrap firejail fakeroot
	env nohup nice ionice chrt taskset setsid setarch time timeout stdbuf unbuffer flock script watch entr strace ltrace gdb
	perf valgrind prlimit numactl hyperfine chronic faketime cgexec runcon capsh sg srun mpirun
	xvfb-run dbus-run-session dbus-launch systemd-inhibit caffeinate machinectl tini dumb-init proxychains proxychains4 torsocks enable mapfile readarray
	xargs parallel at batch crontab systemd-run start-stop-daemon start screen tmux busybox toybox wine
	sh bash dash zsh ksh mksh ash fish csh tcsh rbash nu elvish xonsh pwsh powershell cmd
	iex invoke-expression icm invoke-command start-process start-job foreach-object
	ssh sshpass mosh rsh telnet adb expect
	python pypy ipython python2 python3 node nodejs deno bun tsx ts-node perl raku ruby irb php lua luajit tclsh wish
	guile racket sbcl clisp java jshell groovy scala kotlin julia r rscript osascript mshta wscript cscript rundll32
	awk gawk mawk nawk sed gsed ed ex vi vim nvim emacs
	npx bunx pnpx uvx pipx nix-shell direnv dotenv wsl`)

// runsWith are programs with a life of their own that run another one when they are
// given one of these arguments, wherever it stands.
var runsWith = map[string][]string{
	"find": {"-exec", "-execdir", "-ok", "-okdir"}, "fd": {"-x", "-X", "--exec", "--exec-batch"},
	"docker": {"exec", "run"}, "podman": {"exec", "run"}, "nerdctl": {"exec", "run"}, "docker-compose": {"exec", "run"},
	"kubectl": {"exec", "run", "debug"}, "oc": {"exec", "run", "debug", "rsh"}, "lxc": {"exec"}, "vagrant": {"ssh"},
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx", "node"}, "bundle": {"exec"},
	"go": {"run", "-exec", "-toolexec", "--exec", "--toolexec"}, "cargo": {"run"}, "dotnet": {"run", "exec"}, "uv": {"run", "tool"}, "poetry": {"run"},
	"rustup": {"run"}, "op": {"run"}, "doppler": {"run"}, "infisical": {"run"}, "dotenvx": {"run"}, "flatpak": {"run"}, "snap": {"run"},
	"toolbox": {"run"}, "hatch": {"run"}, "rye": {"run"}, "pixi": {"run"}, "ip": {"exec"}, "aws-vault": {"exec"}, "rbenv": {"exec"}, "pyenv": {"exec"},
	"asdf": {"exec"}, "fnm": {"exec"}, "apptainer": {"exec", "run"}, "singularity": {"exec", "run"}, "tox": {"exec"}, "distrobox": {"enter"},
	"tar": {"--checkpoint-action", "--to-command", "--use-compress-program", "-I"}, "rsync": {"-e", "--rsh"}, "scp": {"-S"},
	"pipenv": {"run"}, "conda": {"run"}, "nix": {"run", "shell", "develop"}, "mise": {"exec", "x"},
}

func wordSet(list string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(list) {
		all[word] = true
	}
	return all
}

// runsOthers reports whether a command runs a program or code that its arguments
// name. Where the arguments decide and are not plain, it may.
func runsOthers(argv []string, plain bool) bool {
	name := strings.ToLower(path.Base(argv[0]))
	for _, ending := range []string{".exe", ".com", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, ending)
	}
	bare := strings.TrimRight(name, "0123456789.-") // python3.14, lua5.4
	if strings.HasPrefix(name, "ld-linux") || runners[name] || runners[bare] || strings.Trim(name, ".+-") == "" {
		return true
	}
	given, depends := runsWith[name]
	return depends && (!plain || slices.ContainsFunc(argv[1:], func(arg string) bool {
		option, _, _ := strings.Cut(arg, "=")
		return slices.Contains(given, option)
	}))
}
