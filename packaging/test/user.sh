#!/usr/bin/env bash
# The tarball, for one user, on a system without any package of ours.
. "$(dirname "$0")/root.sh"
system clean "$tools"
clean clean
tar -xzf "$out/sekisho_${version}_linux_amd64.tar.gz" -C "$here/home/person"
inside chown -R person:person /home/person
files() { (cd "$here/home/person" && find . -path "./sekisho-$version" -prune -o -type f -print | sort); }
files >"$copy/before"

step "a folder that no desktop entry could name is refused"
for bad in relative "/home/person/with space" '/home/person/a|b'; do
  ! person "sekisho-$version/install.sh --prefix '$bad'" 2>/dev/null || fail "$bad is taken"
done
files | diff "$copy/before" - || fail "and yet something was written"

step "install: it says which libraries the window lacks, and the other programs run"
person "sekisho-$version/install.sh" >"$copy/said" 2>&1 || fail "$(cat "$copy/said")"
grep -q 'libwebkit2gtk' "$copy/said" || fail "it does not name them"
person '
  .local/bin/sekisho --version
  .local/bin/sekishod --version
  grep -qx "Exec=$HOME/.local/bin/sekisho-desktop" .local/share/applications/sekisho.desktop
  grep -qx "ExecStart=$HOME/.local/bin/sekishod" .local/share/systemd/user/sekishod.service
  XDG_RUNTIME_DIR=/tmp systemd-analyze verify --user --man=no .local/share/systemd/user/sekishod.service
'
step "install again, many times, while the hook is started without a gap"
person '
  while [ ! -e stop ]; do
    code=0; echo "{}" | .local/bin/sekisho-hook --client claude >/dev/null 2>&1 || code=$?
    if [ "$code" = 2 ]; then echo x >>starts; else echo "$code" >>gaps; fi
  done &
  for i in 1 2 3 4 5; do sekisho-'"$version"'/install.sh >/dev/null 2>&1; done
  touch stop; wait
  test ! -s gaps
  echo "  started $(wc -l <starts) times"
  rm -f stop starts
' || fail "the hook was gone"

step "remove: nothing is left of it"
person "sekisho-$version/install.sh --remove" | has 'sekisho disconnect' || fail "it does not say what undoes the wiring"
files | diff "$copy/before" - || fail "something is left, or gone"
! person "sekisho-$version/install.sh --remove" 2>/dev/null || fail "it removes what is not there"
echo "user: passed"
