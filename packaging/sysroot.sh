#!/usr/bin/env bash
# Unpacks what the window is linked with for arm64, out of Debian's packages: sysroot.sh DIR.
# None of them is installed or run.
set -euo pipefail
[ -e "$1/.complete" ] && exit 0
rm -rf "$1"
mkdir -p "$(dirname "$1")"
mmdebstrap --quiet --variant=extract --architectures=arm64 \
  --include=libc6-dev,libgcc-12-dev,libgtk-3-dev,libwebkit2gtk-4.1-dev bookworm "$1"
# An absolute link would lead out of the folder, to this machine's own library.
find "$1" -type l -lname '/*' | while read -r link; do
  ln -sfnr "$1$(readlink "$link")" "$link"
done
touch "$1/.complete"
