#!/bin/sh
# Installs Sekisho for one user: ./install.sh [--prefix DIR] (default: ~/.local), and takes it
# away again: ./install.sh --remove. Nothing needs root, and your data stay.
set -eu
prefix=$HOME/.local
remove=
while [ $# -gt 0 ]; do
  case "$1" in
  --prefix) prefix=${2:?--prefix needs a folder}; shift 2 ;;
  --prefix=?*) prefix=${1#*=}; shift ;;
  --remove) remove=1; shift ;;
  --help) sed -n '2,3s/^# //p' "$0"; exit 0 ;;
  *) echo "install.sh: unknown argument $1" >&2; exit 2 ;;
  esac
done
case "$prefix" in
/*) ;;
*) echo "install.sh: the prefix is not an absolute path: $prefix" >&2; exit 2 ;;
esac
case "$prefix" in
*[!A-Za-z0-9/._@+-]*) echo "install.sh: the prefix has characters that desktop entries and units cannot name: $prefix" >&2; exit 2 ;;
esac
list=$prefix/share/sekisho/installed

if [ -n "$remove" ]; then
  [ -f "$list" ] || { echo "install.sh: nothing is installed in $prefix" >&2; exit 1; }
  while IFS= read -r file; do rm -f "$prefix/$file"; done <"$list"
  rm -f "$list"
  rmdir "$prefix/share/sekisho" 2>/dev/null || true
  cat <<EOF
Sekisho is removed from $prefix. Clients that you connected still name its programs: "sekisho disconnect",
run before the removal, puts them back. Too late? Install again, run it, and remove then. The same goes
for a service of "sekisho service install": "sekisho service uninstall" puts it away.
EOF
  exit 0
fi

cd "$(dirname "$0")"
missing=$(ldd bin/sekisho-desktop 2>&1 | sed -n 's/^[[:space:]]*\(.*\) => not found.*/\1/p')
if [ -n "$missing" ]; then
  echo "The window needs libraries that this system lacks:" $missing >&2
  echo "Debian, Ubuntu: apt install libgtk-3-0 libwebkit2gtk-4.1-0    Fedora: dnf install gtk3 webkit2gtk4.1" >&2
  echo "The other programs run without them." >&2
fi
mkdir -p "$prefix/share/sekisho"
files=$(find bin share -type f | sort)
# Each file takes its place whole, at once: programs that clients start are never gone.
for file in $files; do
  mkdir -p "$prefix/$(dirname "$file")"
  case "$file" in
  share/applications/*.desktop | share/systemd/user/*)
    sed "s|/usr/bin/|$prefix/bin/|" "$file" >"$prefix/$file.new" ;;
  *) cp "$file" "$prefix/$file.new" ;;
  esac
  case "$file" in bin/*) chmod 755 "$prefix/$file.new" ;; *) chmod 644 "$prefix/$file.new" ;; esac
  mv -f "$prefix/$file.new" "$prefix/$file"
done
# What an older version had and this one has not goes.
if [ -f "$list" ]; then
  while IFS= read -r file; do
    echo "$files" | grep -Fqx "$file" || rm -f "$prefix/$file"
  done <"$list"
fi
echo "$files" >"$list.new"
mv -f "$list.new" "$list"
echo "Sekisho is installed in $prefix. Start $prefix/bin/sekisho-desktop, or Sekisho from your desktop's menu."
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "$prefix/bin is not in your PATH." ;;
esac
