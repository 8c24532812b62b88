package policy_test

import (
	"slices"
	"strings"
	"testing"
)

// withoutVerbs are programs that can run others and that the table of programs has no verbs for:
// whoever answers for their kind answers for all that they do.
var withoutVerbs = strings.Fields(`gpg su-exec run0 su gosu runuser pkexec timeout systemd-run at batch crontab less more screen tmux
	socat nc ncat lftp ssh arch gawk nawk mawk sed gsed rename mongosh compgen complete fc read unset getopts`)

// TestRunnersSayWhatTheyRun: each program comes with the arguments that make it run another
// one or code, and each line of a kind. Either the line is answered once only, or its kind
// names more than the program: what is run, or a verb.
func TestRunnersSayWhatTheyRun(t *testing.T) {
	for kind, commands := range map[string][]string{
		"a letter with its value, alone and in a bundle": {"rsync '-esh -c id' x y:", "rsync -avesh x y:", "rsync -e id x y:",
			"tar '-Ish -c id' -xf x", "tar -xIid -f x",
			"tar xIf id x", "tar cFf id x", "bsdtar -xIid -f x", "scp -Sid a b:", "scp -qoProxyCommand=id a b:", "scp -o ProxyCommand=id a b:",
			"sftp -oProxyCommand=id h", "sftp -D id",
			"fd -Hxid", "fd -X id", "git clone -qc core.fsmonitor=id x", "git grep -Oid x", "git rebase -x id", "make -sfx", "make -f/tmp/x",
			"rake -eexit", "man -Pid ls", "zip -qT a b",
			"rpm -E x", "prove -eid", "tcpdump -Gz id", "hg -e x", "wget -e use_askpass=id x", "apt-get -yo x=id update", "printf -v PATH x",
			"printf %d 'a[$(id)]'", "test 'a[$(id)]' -eq 1",
			"iptables -Mid -L", "groff -U x", "pidstat -e id", "wait -p 'a[$(id)]'", "jobs -x id", "exim -be x", "sshfs -ossh_command=id a b"},
		"a long option, and what is short for it": {"tar xf x --to-com=id", "tar xf x --to-command id",
			"tar cf x y --checkpoint=1 --checkpoint-act=exec=id", "tar xf x --use=id", "tar xf x --u id",
			"tar xf x --rsh-c=id", "tar cf x y --info-s=id", "tar cf x y --new-vol=id", "tar xf h:x --rmt-c=id", "cpio --rsh-command=id",
			"rsync --rsh=id x y:", "rsync --rsh id x y:", "rsync --rsync-path=id x y:",
			"sort --comp=id x", "split --filt=id x", "install -s --strip-prog=id a b", "rg --pre=id x", "rg --hostname-bin id x",
			"git --exec-path=/tmp x", "git ls-remote --upload-pack=id .",
			"git push --receive-p=id .", "git difftool --ext=id", "git grep --open-files-in=id x", "git --config-env=a=b log",
			"hg --config=alias.x=id x", "svn diff --diff-cmd id", "make --ev=x", "make --fil=x",
			"cargo --config x test", "go test -exec id ./...", "go build --toolexec=id", "go vet -vettool=id", "go build -ldflags '-extld=id'",
			"helm install --post-renderer=id", "pandoc --filt=id x",
			"aria2c --on-download-complete=id x", "yt-dlp --exec id x", "nmap --script=x h", "nmap -script x h", "fd --exec=id", "man --pager=id ls",
			"just --shell=id", "gpg --photo-viewer=id x", "pip --python=/tmp/x list",
			"npm --script-shell=id test", "gcc -wrapper id,x a.c", "gcc -specs=x a.c", "gcc -B/tmp a.c", "pdflatex -shell-escape x",
			"kubectl --kubeconfig=x get pods", "docker --config=/tmp ps",
			"certbot renew --pre-hook id", "dpkg --pre-invoke=id -i x", "restic --password-command=id snapshots",
			"busctl --address=unixexec:path=id", "bat --pager=id x", "dnf --setopt=x update"},
		"a word": {"git config core.pager id", "git bisect run id", "git submodule foreach id", "git clone 'ext::id'", "git -c core.pager=id log",
			"docker create x id", "podman exec a id", "kubectl exec a id", "npm exe id", "npm x id",
			"npm explore a id", "npm init x", "npm create x", "yarn dlx id", "pnpm dlx id", "ip net e a id", "ip -batch x", "gem exec id",
			"bundle exec id", "uv run x", "cargo r", "cmake -E env id", "cmake -P x",
			"make SHELL=id", "make CC='sh -c id;'", "gh alias set x y", "brew sh", "coverage run x", "mix eval x", "stack runghc x", "cabal repl",
			"nix shell x", "sops exec-env a id", "mvn exec:java",
			"convert '|id' x.png", "service ../../bin/sh", "nvm exec id", "dotnet x.dll", "aws ssm start-session", "task execute id",
			"dmsetup ls --exec id", "wp eval x", "composer exec id", "volta run id"},
		"what a shell may make of a word": {`busctl "$X"`, `busctl "a$X"`, `exim "$X"`, `exim "-$X"`, "groff *.1", `groff "-T$X"`, "groff -T*",
			`sort "$X"`, `sort "-$X"`, `split "--$X" x`, "sort --c*",
			`gcc "-wr$X=id" a.c`, "tar x* y", `docker "r$A-x$B" y`, `docker r*x"a"* y`, `docker "r\un" x`, `docker r\un x`, "docker r{un,x} y",
			`docker r"$X" y`, "docker r[u]n x", "docker ru? x", "docker a$IFS y"},
		"a version or build": {"python3-dbg -c 1", "python3-dbg x.py", "python3.12 x", "python3.13t x", "python3.12-intel64 x", "php8.2-cli x",
			"php-cgi x", "php8.2-cgi x", "ts-node-esm x", "perl5.36-x86_64-linux-gnu x",
			"lua5.4 x", "ruby3.1 x", "node-18 x", "vim.tiny x", "vim.basic x", "sh.distrib x", "busybox-static x", "fakeroot-sysv x",
			"qemu-x86_64-static x", "gdb-multiarch x", "arm-none-eabi-gdb x",
			"x86_64-linux-gnu-gcc-13 -wrapper id x.c", "gtimeout 1 x", "genv x", "gxargs x", "gfind . -exec id", "gtar xf x --to-com=id",
			"gmake SHELL=id", "sudo-rs id", "octave-cli x", "pwsh-preview x",
			"guile-3.0 x", "wine64 x", "proxychains4 x", "ld-linux-x86-64.so.2 x", "ld-musl-x86_64.so.1 x", "/lib64/ld64.so.2 x", "Python.EXE x",
			"g++-12 -wrapper id a.cc", "clang-15 -wrapper id x", "tar-1.34 -Iid -xf x",
			"/proc/self/exe -c id", "//proc/self/exe -c id", "/dev/fd/3", strings.Repeat("x", 101)},
		"a program that does nothing else": runs(`su-exec chpst proot rlwrap lxc-attach run0 runghc ghci elixir erl m4 octave vimdiff view
			sudo doas su gosu setpriv runuser pkexec chroot schroot arch-chroot systemd-nspawn unshare nsenter bwrap firejail fakeroot s6-setuidgid setuidgid envdir capsh choom
			nice ionice timeout stdbuf setsid nohup xargs parallel watch strace ltrace gdb lldb rr perf time systemd-run at batch crontab ed ex vi emacs emacsclient nano pico micro hx
			env less more most flock script screen tmux expect unbuffer valgrind heaptrack bpftrace uftrace dlv ccache distcc socat nc ncat lftp autossh ssh sshpass ssh-agent mosh
			npx bunx pnpx uvx pipx corepack cross-env nodemon watchexec entr busybox toybox coreutils arch setarch linux32 taskset chrt numactl cgexec cpulimit multitime torsocks tsocks proxychains
			run-parts start-stop-daemon dbus-run-session xvfb-run tini dumb-init pdb ipdb bpython jupyter deno bun tsx qjs gjs rhino electron jshell groovy kotlin scala jbang jrunscript bsh
			swipl ocaml utop guile racket sbcl ecl clj bb janet fennel julia rscript gnuplot gawk nawk mawk sed gsed dc gs rename prename exiftool erb irb pry cpan psql mysql sqlite3 mongosh
			osascript forfiles wmic msbuild regsvr32 xdg-open run-mailcap xterm alacritty fzf compgen complete fc read unset getopts emulate repeat measure-command invoke-item xonsh fish nu elvish yash rc`),
	} {
		for _, command := range commands {
			program, _, _ := strings.Cut(command, " ")
			if got := kindOf(commandInput(command)); got == program && !slices.Contains(withoutVerbs, program) {
				t.Errorf("%s: %s is of the kind %s", kind, command, got)
			}
		}
	}
}

func runs(programs string) []string {
	commands := strings.Fields(programs)
	for i := range commands {
		commands[i] += " x"
	}
	return commands
}

// TestClassOfWhatRunsNothing: what looks like a runner, or like the options of one, and
// is not.
func TestClassOfWhatRunsNothing(t *testing.T) {
	for _, command := range []string{
		"ls -la", "cat x", "grep -rex .", "sort -u x", "cp -r a b", "curl -o x https://h", "head -n 3 x", "tail -f x", "wc -l x", "jq .a x",
		"gzip -9 x", "printf '%s' x", "test -f x", "diff -ru a b",
		"git log --oneline -n 3", "git diff --stat main", "git commit -am 'x -c y'", "git push origin main", "git fetch --prune",
		"git branch --contains x", "git checkout -b x", "git stash", "git remote -v", "git rev-parse HEAD",
		"tar tf x", "tar xzf x", "tar -xzf x -C y --strip-components=1", "tar czf x --exclude=y z", "rsync -a x y",
		"rsync -av --delete --exclude=e x y", "rsync --recursive x y", "zip -r a b", "unzip a",
		"find . -type f -executable", "fd -e txt", "rg -n x", "rg --pre-glob '*.x' y", "scp a b:", "make test", "make -j4 -k all", "ninja -j4",
		"cmake -DCMAKE_BUILD_TYPE=Release ..", "cmake --build build", "gcc -O2 -Wall -o x x.c",
		"go test -run X -race ./...", "go build -o x .", "go vet ./...", "cargo test --release", "dotnet build", "npm install",
		"npm i -g typescript", "npm ci", "npm test", "npm run build", "yarn add x", "pnpm install", "pip install -r x.txt", "pip3 install -e .",
		"uv sync", "poetry install", "bundle install", "composer install", "mvn test", "gradle build", "docker ps -a", "docker logs x",
		"docker compose up -d", "docker build -t x .", "kubectl get pods -n x", "helm list", "aws s3 ls", "gh pr list",
		"apt-get update", "apt-get install -y x", "apt list", "brew install x", "systemctl status x", "ip addr", "service x status",
		"convert a.png b.jpg", "pytest -k x", "eslint src", "tsc --noEmit", "prettier -w x", "golangci-lint lint",
		`docker ps "a$X"`, "docker logs r*x", "docker rm a{b,c}", `sort "a$X" b*`, "groff a*", "rsync -a --exclude=*.o x y", "tar czf x a*",
		"find . -name *.go", "exim a*",
		"mkdir -p a", "touch a", "pandoc a -o b", "latexmk -pdf x", "nmap -p 80 h", "openssl x509 -in x", "pre-commit install", "7z x a",
		"pythonx y", "shx", "gosum x", "react-scripts build",
	} {
		program, _, _ := strings.Cut(command, " ")
		if got := kindOf(commandInput(command)); !strings.HasPrefix(got, program) {
			t.Errorf("%s: %s", command, got)
		}
	}
}
