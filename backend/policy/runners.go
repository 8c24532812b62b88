package policy

import "strings"

// runners are the programs that only run another program, or code, which their
// arguments or their input name, and those that do so when a key is pressed. What is
// code of a project (make, npm run, ./build) is not here: its name says no more and no
// less than that of any program. A name also stands for its versions and builds: see
// namesIn.
var runners = wordSet(shells + wrappers + boxes + debuggers + watchers + remotes + interpreters + editors + desktops)

const shells = `
	. - : source command builtin eval exec coproc noglob nocorrect not and or begin trap alias
	enable mapfile readarray compgen complete bind fc sched zpty emulate repeat abbr read unset getopts vared
	hash exit return shift break continue integer float private
	sh bash dash zsh ksh mksh lksh pdksh oksh ash fish csh tcsh rbash rksh nu elvish xonsh posh yash sash osh ysh ion murex rc es scsh hush bosh
	pwsh powershell cmd command.com iex invoke icm saps sajb sal nal ipmo start foreach-object where-object measure-command
	new-module new-alias set-alias trace-command import-module add-type register busybox toybox coreutils bashdb tasksh slsh ksshell`

// wrappers run a program in another way: as somebody else, later, measured, once more.
const wrappers = `
	sudo sudoedit doas su su-exec run0 runuser runas psexec pkexec gosu setpriv dzdo pfexec please calife sux ksu gksu gksudo kdesu kdesudo beesu newgrp newrole sg
	setuidgid envuidgid envdir softlimit setlock pgrphack chpst execlineb aa-exec runcon capsh choom genie
	env nohup nice ionice chrt taskset setsid setarch arch linux32 linux64 uname26 i386 time timeout multitime stdbuf unbuffer flock lckdo script scriptlive logsave
	prlimit cpulimit schedtool numactl cgexec cset hyperfine chronic ifne pee mispipe retry faketime datefudge eatmydata rlwrap grc msgfilter
	xargs parallel pexec rush at batch cron anacron crontab systemd-run systemd-inhibit systemd-cat start-stop-daemon daemonize daemon run-parts srun sbatch salloc qsub bsub mpirun mpiexec
	xvfb-run dbus-run-session dbus-launch caffeinate tini dumb-init catatonit s6 runsv svc pidproxy supervisord supervisorctl launchctl
	proxychains proxychains4 torsocks torify tsocks usewithtor ccache sccache distcc icecc libtool xcrun cross-env env-cmd dotenv direnv envchain envconsul summon keychain gpg-agent
	npx bunx pnpx uvx pipx corepack nix-shell nyc c8 clinic run-s run-p npm-run-all concurrently foreman honcho overmind pm2 forever
	forfiles wmic schtasks msiexec regsvr32 installutil msbuild pcalua conhost explorer winrs odbcconf cmstp bitsadmin ld-linux ld-musl ld.so ld64.so`

const boxes = `
	chroot schroot arch-chroot fakechroot fakeroot proot pseudo unshare nsenter bwrap firejail sandbox-exec rootlesskit
	machinectl systemd-nspawn lxc-attach lxc-execute lxc-start lxc-unshare lxc-usernsexec lima wsl wine box64 box86 qemu dosbox`

const debuggers = `
	strace ltrace gdb gdbtui gdbserver cgdb lldb rr uftrace dtrace dtruss truss ktrace bpftrace stap trace-cmd heaptrack perf valgrind catchsegv apitrace crash
	pdb ipdb debugpy pudb dlv byebug py-spy scalene kernprof memray mprof pyinstrument viztracer cling scanmem`

const watchers = `
	watch entr watchexec watchmedo nodemon onchange chokidar reflex modd screen tmux tmate byobu zellij dtach abduco asciinema ttyrec ttyd gotty expect autoexpect empty`

const remotes = `
	ssh sshd slogin autossh sshpass mosh dropbear dbclient plink rsh rlogin rexec telnet adb pssh pdsh clush dsh ansible salt puppet knife
	socat nc ncat netcat tcpserver tcpclient inetd xinetd websocat stunnel openvpn pppd ftp lftp psftp smbclient mail mailx mutt neomutt msfconsole`

const interpreters = `
	python pythonw py pyw pypy ipython bpython ptpython jython micropython python2 python3 jupyter papermill twistd
	node nodejs deno bun tsx ts-node esno jiti babel-node sucrase-node coffee lsc qjs gjs cjs jsc d8 rhino jjs jrunscript electron phantomjs
	perl raku rakudo perl6 cpan plackup prename rename file-rename cowsay cowthink exiftool ruby jruby mruby mirb irb pry erb php phpdbg psysh hhvm
	lua luajit luatex lualatex texlua tclsh wish jimsh guile racket raco scheme csi gosh gsi chez petite janet fennel hy bb clj clojure nbb sbcl clisp ecl ccl abcl
	java jshell groovy groovysh scala amm kotlin kscript jbang bsh mono csharp fsi fsharpi dotnet-script swift crystal rdmd rust-script evcxr yaegi gomacro
	ghc ghci runghc runhaskell elixir erl escript ocaml ocamlrun utop sml poly swipl prolog gprolog julia r rscript octave scilab sage maxima gp gap matlab wolframscript gnuplot
	awk gawk mawk nawk bioawk goawk frawk sed gsed ssed m4 dc gs gforth pike rexx regina gst factor lli wasmtime wasmer
	psql mysql mariadb sqlite sqlite3 sqlplus isql mongo mongosh duckdb cqlsh
	osascript automator shortcuts mshta wscript cscript rundll32`

// editors and pagers take a command of their own on the command line, or by a key.
const editors = `
	ed red ex vi vim nvim vimdiff nvimdiff gvim gview gvimdiff rvim rview evim eview elvis nvi vipw vigr visudo vidir vipe
	emacs emacsclient xemacs zile mg jed joe jmacs jove ne nano pico rnano micro hx helix kak mc mcedit editor pager sensible-editor sensible-pager
	less more most pg zless zmore xmore fzf sk ncdu iftop ranger nnn lf vifm virsh debugfs`

const desktops = `
	open xdg-open exo-open kde-open gtk-launch dex run-mailcap see sensible-browser x-terminal-emulator xterm gnome-terminal konsole alacritty kitty foot wezterm
	i3-msg swaymsg hyprctl rofi dmenu_run mpv gimp rtorrent`

// runsWith are programs with a life of their own that run another one when they are
// given one of these words, wherever it stands. See trigger for how a word is spelled.
// The editor view is here because tools that read files have a command of that name.
var runsWith = triggersOf(`
	view: *
	find bfs: -exec -execdir -ok -okdir
	fd fdfind: -x -X --exec --exec-batch
	tar bsdtar star: -I -F --checkpoint-action --to-command --use-compress-program --info-script --new-volume-script --rmt-command --rsh-command -compress-program
	cpio: --rsh-command --rmt-command
	zip: -T --unzip-command
	rsync: -e -M --rsh --rsync-path --remote-option
	scp sftp: -S -o -F -D
	sshfs check_by_ssh: -o -F --ssh-command
	rclone restic borg duplicity unison: -o --option --rsh --password-command --ssh --sshcmd --rshcmd --config --rsh-command --ssh-options
	wget: -e --execute --use-askpass --config
	aria2c: ^--on --conf-path
	yt-dlp youtube-dl gallery-dl: --exec --exec-before-download --external-downloader --downloader --netrc-cmd --config-locations --plugin-dirs
	sort: --compress-program
	split: --filter
	install: --strip-program
	rg: --pre --hostname-bin
	ack ag ugrep bat batcat delta: --pager --output --filter --view
	man: -P -H -C --pager --html --config-file
	perldoc: -M -o -T
	printf: -v *[
	print: -v -P -z -s *[
	test: *[
	wait: -p
	jobs: -x
	git: -c -x -u -O --config --config-env --exec --exec-path --upload-pack --receive-pack --extcmd --open-files-in-pager --template --sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd --authors-prog --browser --access-hook ^ext:: config run foreach filter-branch difftool mergetool instaweb remote-ext remote-fd shell
	hg: --config --ssh --remotecmd -e --tool
	svn svnlook: --config-option --config-dir --diff-cmd --diff3-cmd --editor-cmd
	cvs: -e -d
	jj: --config --config-toml --config-file --tool exec
	gh glab: alias extension ext codespace cs
	docker podman nerdctl docker-compose: exec run create debug unshare --config
	buildah runc crun: run exec unshare create
	ctr crictl: run exec
	kubectl oc k3s microk8s minikube: exec run debug rsh attach edit ssh kubectl ctr crictl plugin --kubeconfig
	helm: --post-renderer --kubeconfig plugin
	lxc incus multipass limactl colima: exec shell ssh
	vagrant: ssh
	npm: exec exe x explore explor explo create creat crea cre cr init ini innit inni inn config confi conf c set --script-shell --shell --node-options --editor --viewer --git --init-module --call
	pnpm yarn: exec dlx node create init config set --script-shell --shell
	lerna nx turbo: exec
	bundle bundler gem: exec console open
	rake: -e -E -p -f -r --execute --execute-print --execute-continue --rakefile --require
	rails: runner r console c
	go: run tool -exec -toolexec -vettool ^-w *extld
	cargo: run r --config
	dotnet: run exec *.dll
	nim v zig dub gleam bazel buck: run r --run_under
	stack cabal dune: run exec repl runghc ghci script utop
	mix rebar: run do cmd eval shell
	lein: run exec repl
	tcc: -run
	cobc: -j
	uv: run tool x --python
	pip virtualenv: --python --editor -p config
	poetry pipenv conda mamba micromamba pdm hatch rye pixi coverage: run shell
	tox: exec
	nix guix devbox: run shell develop repl environment time-machine -c --command
	mise asdf rtx fnm nvm rbenv pyenv nodenv goenv jenv rvm volta: exec x do run shell
	rustup op doppler infisical dotenvx teller flatpak snap: run enter
	aws-vault saml2aws chamber berglas: exec
	sops: exec-env exec-file edit
	vault consul etcdctl: ssh agent exec lock watch exec-watch
	toolbox distrobox: run enter
	apptainer singularity: exec run shell instance
	ip: exec exe ex e ^-b ^--b
	aws: ssm execute-command
	gcloud: ssh scp shell interactive
	az heroku fly flyctl railway: ssh exec run run-command run:detached ps:exec console shell
	make: -f -E -C --file --makefile --eval --directory *=
	ninja: -f -C
	cmake: ^-E ^-P ^-C ^-DCMAKE_C_COMPILER ^-DCMAKE_CXX_COMPILER *_LAUNCHER *_PROGRAM
	ctest: -S --build-and-test --script
	just: -c -f --command --shell --justfile --chooser --shell-arg
	task: execute exec
	gradle gradlew: -I -b -c --init-script --build-file --settings-file
	mvn mvnw ant: *exec: *exec-maven *groovy -f --file -buildfile
	gcc g++ cc c++ c89 c99 clang clang++ gfortran: -wrapper ^-B ^-specs ^--specs ^-fplugin ^-fuse-ld ^@
	latex pdflatex xelatex tex pdftex xetex: -shell-escape -enable-write18 ^-e
	latexmk: ^-e ^-r ^-pdflatex ^-latex ^-shell-escape
	groff troff nroff pic: -U
	pandoc: -F -L -d --filter --lua-filter --pdf-engine --defaults
	enscript: -I --filter
	convert magick mogrify identify: *|
	yq: --enable-system-operator
	composer: exec run run-script
	wp: eval eval-file shell --exec --require --ssh
	prove: -e --exec
	brew: sh ruby irb exec edit
	apt apt-get apt-cache aptitude: -o -c --option --config-file
	dpkg: --pre-invoke --post-invoke
	yum dnf zypper pacman: -c --config --setopt --hookdir
	rpm rpmquery rpmverify rpmdb rpmbuild: -E -D --eval --define --pipe --macros --load --rcfile
	gpg gpg2 gpgsm: --photo-viewer --agent-program --dirmngr-program --exec-path --pinentry-program
	pass: edit git
	certbot: ^--pre-hook ^--post-hook ^--deploy-hook ^--renew-hook ^--manual
	iptables ip6tables: -M --modprobe
	tcpdump: -z
	tshark wireshark: -X
	nmap: --script
	pidstat scrot: -e --exec
	dmsetup: --exec
	feh: -A --action
	xdotool: exec
	gum: spin
	service: */
	busctl dbus-send dbus-monitor gdbus: *unixexec
	exim sendmail: ^-b ^-C ^-D
`)

func wordSet(list string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(list) {
		all[word] = true
	}
	return all
}
