#!/usr/bin/env bash
# The package on a clean Debian: apt install, then a window within five seconds, the desk and
# the unit.
. "$(dirname "$0")/root.sh"
system clean "$tools"
clean clean

step "no Go and no Node are there"
! inside sh -c 'command -v go || command -v node || command -v npm' || fail "they are"

step "apt install"
inside apt-get update -qq
inside apt-get install -qq -y --no-install-recommends "/packages/$(basename "$deb")" >"$copy/apt.log" 2>&1 || { tail "$copy/apt.log"; fail "apt"; }

# The clock starts where dpkg said that the package was configured, in whole seconds.
configured=$(inside sed -n 's/^\(.*\) status installed sekisho:amd64 .*/\1/p' /var/log/dpkg.log | tail -1)
person '
  Xvfb :7 -screen 0 1280x900x24 -nolisten tcp >/dev/null 2>&1 &
  export DISPLAY=:7
  until xdotool getdisplaygeometry >/dev/null 2>&1; do sleep 0.02; done
  sekisho-desktop >desktop.log 2>&1 &
  window=$(timeout 60 xdotool search --sync --onlyvisible --class sekisho | head -1)
  date +%s >opened
  test -n "$window"
  xdotool getwindowname "$window" | grep -q Sekisho
  curl -fsS --retry 20 --retry-connrefused --retry-delay 1 http://127.0.0.1:7360/healthz >health.json
  sekisho --version
' || { cat "$here/home/person/desktop.log"; fail "the window did not open"; }
took=$(($(cat "$here/home/person/opened") - $(date -u -d "$configured" +%s)))
step "the window was there $took s after dpkg had configured the package"
[ "$took" -le 5 ] || fail "that is more than 5 s"

step "the unit"
inside env XDG_RUNTIME_DIR=/tmp systemd-analyze verify --user --man=no /usr/lib/systemd/user/sekishod.service 2>"$copy/unit.log" || { cat "$copy/unit.log"; fail "systemd-analyze verify"; }
! grep sekishod "$copy/unit.log" || fail "systemd-analyze has something to say"

step "each program finds its libraries, and the desk answers"
for name in sekisho-desktop sekishod sekisho sekisho-hook; do
  ! inside ldd "/usr/bin/$name" 2>&1 | grep 'not found' || fail "$name"
done
person '
  (umask 077; head -c 32 /dev/urandom | base64 >token)
  sekishod --operator-token-file token >ready.json 2>log &
  until [ -s ready.json ]; do sleep 0.05; done
  sekisho --desk "$(jq -r .url ready.json)" --token-file token pending
  code=0; echo "{}" | sekisho-hook --client claude >/dev/null 2>&1 || code=$?
  test "$code" = 2
'

# systemctl is a stand-in that starts and ends what the unit says: the clean system has no session of a person.
step "sekisho service install: the token is shown once, and the unit cannot decide"
person '
  export HOME=$PWD/served
  mkdir -p "$HOME/bin"
  cd
  cat >bin/systemctl <<"END"
#!/bin/sh
echo "$*" >>"$HOME/asked"
case "$*" in
"--user enable --now sekishod.service")
  eval "setsid $(sed -n s/^ExecStart=//p "$HOME/.config/systemd/user/sekishod.service") >/dev/null 2>&1 </dev/null &"
  echo $! >"$HOME/pid" ;;
"--user disable --now sekishod.service")
  kill "$(cat "$HOME/pid")"
  timeout 20 tail -f --pid "$(cat "$HOME/pid")" /dev/null ;;
esac
END
  chmod 755 bin/systemctl
  export PATH=$HOME/bin:$PATH
  said() { echo "FAILED: $*" >&2; exit 1; }
  ! sekisho service install </dev/null >without 2>&1 || said "it installs where no terminal shows the token"
  script -qec "sekisho service install" shown >/dev/null || said "$(cat shown)"
  [ "$(grep -o "skk_[A-Za-z0-9_-]*" shown | wc -l)" = 1 ] || said "the token is not shown once"
  key=$(grep -o "skk_[A-Za-z0-9_-]*" shown)
  rm shown
  unit=.config/systemd/user/sekishod.service
  grep -q "^ExecStart=\"/usr/bin/sekishod\" .* --operator-key-file " $unit || said "$(cat $unit)"
  grep -qx StandardOutput=null $unit || said "a journal keeps what the desk prints"
  grep -q "^skp_" .config/sekisho/operator.pub || said "the public half is missing"
  ! grep -rlF -- "$key" . || said "the token lies in a file"
  XDG_RUNTIME_DIR=/tmp systemd-analyze verify --user --man=no $unit 2>verified || said "$(cat verified)"
  ! grep sekishod verified || said "systemd-analyze has something to say"
  ! sekisho --token-file .config/sekisho/operator.pub pending 2>/dev/null || said "the public half decides"
  sekisho --token-file <(echo "$key") pending
  script -qec "sekisho service install" again >/dev/null && said "it installs twice"
  ! grep -q skk_ again || said "it shows a token again"
  sekisho service uninstall
  [ ! -e $unit ] && [ ! -e .config/sekisho/operator.pub ] || said "something of the service is left"
  ! kill -0 "$(cat pid)" 2>/dev/null || said "the desk runs on"
  [ -d .local/share/sekisho ] || said "the data of the desk are gone"
  cat asked
' || fail "the service"
echo "install: passed"
