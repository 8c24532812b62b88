#!/usr/bin/env bash
# The installer for Windows and its programs, as far as wine goes. Nothing here was run on Windows.
. "$(dirname "$0")/root.sh"
copy=$(mktemp -d)

step "the programs are vetted"
(cd "$root" && GOOS=windows CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc go vet -trimpath -tags desktop,production . ./backend/cmd/...)

export WINEPREFIX=$copy/wine WINEDEBUG=-all HOME=$copy DISPLAY=
trap 'WINEPREFIX=$copy/wine wineserver -k 2>/dev/null || true; rm -rf "$copy"' EXIT

step "the installer installs"
wineboot -i >/dev/null 2>&1
x86_64-w64-mingw32-gcc -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$root/packaging/test/bcryptprimitives.c" -ladvapi32
wine "$out/sekisho_${version}_windows_amd64_not-run-on-windows.exe" /S >/dev/null 2>&1
to=$(find "$copy/wine/drive_c/users" -type d -path '*/Programs/Sekisho')
[ -n "$to" ] || fail "nothing is installed"
for name in sekisho-desktop sekishod sekisho sekisho-hook; do
  cmp "$to/$name.exe" "$work/windows/sekisho/$name.exe" || fail "$name"
done
wine reg query 'HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Sekisho' 2>/dev/null | has "$version" || fail "it is not registered"

step "the programs start"
wine "$to/sekisho.exe" --version 2>/dev/null | has "$version" || fail "sekisho"
wine "$to/sekishod.exe" --version 2>/dev/null | has "$version" || fail "sekishod"
wine "$to/sekisho-desktop.exe" --version 2>/dev/null | has "$version" || fail "sekisho-desktop"
code=0
echo '{}' | wine "$to/sekisho-hook.exe" --client claude >/dev/null 2>&1 || code=$?
[ "$code" = 2 ] || fail "the hook ends with $code"
(cd "$copy" && exec wine "$to/sekishod.exe" --data 'C:\desk' --listen 127.0.0.1:0 >ready.json 2>desk.log) &
for _ in $(seq 300); do [ -s "$copy/ready.json" ] && break; sleep 0.1; done
url=$(jq -r .url "$copy/ready.json" | tr -d '\r')
curl -fsS "$url/healthz" >/dev/null || fail "the desk does not answer: $(cat "$copy/desk.log")"

step "the installer replaces programs that run, and removes them"
printf older >>"$to/sekisho-hook.exe"
wine "$out/sekisho_${version}_windows_amd64_not-run-on-windows.exe" /S >/dev/null 2>&1
for name in sekishod sekisho-hook; do cmp "$to/$name.exe" "$work/windows/sekisho/$name.exe" || fail "$name is not replaced"; done
wineserver -k
wine "$to/uninstall.exe" /S >/dev/null 2>&1
wineserver -w
[ ! -e "$to/sekisho.exe" ] || fail "a program is left"
[ -e "$copy/wine/drive_c/desk" ] || fail "the desk's data are gone"
echo "windows: passed (under wine; not run on Windows)"
