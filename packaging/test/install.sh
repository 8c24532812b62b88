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
echo "install: passed"
