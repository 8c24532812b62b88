#!/usr/bin/env bash
# Builds every package into build/bin/packages, out of one description (nfpm.yaml) and one layout
# of files for each system. The page is built before: see the Makefile's target packages.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$root/build/bin/packaging
out=$root/build/bin/packages
here=$root/packaging

export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C.UTF-8
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
umask 022
version=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' backend/version.go)
date=$(date -d "@$SOURCE_DATE_EPOCH" +%F)

# nothing of this machine or folder is in a program
build() { go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= ${flags-}" "$@"; }
fill() { sed "s|@VERSION@|$version|g; s|@DATE@|$date|g" "$1"; }

tools() {
  go build -C "$here" -trimpath -o "$work/tools/" ./bill ./icons github.com/goreleaser/nfpm/v2/cmd/nfpm
  rm -rf "$work/man" "$work/icons"
  mkdir -p "$work/man"
  SEKISHO_MANUAL=$work/man go test -trimpath -count=1 -run '^TestManual$' ./backend/cmd/sekisho ./backend/cmd/sekishod
  fill "$here/linux/sekisho-desktop.1" >"$work/man/sekisho-desktop.1"
  "$work/tools/icons" "$work/icons" <build/icon.png
  CGO_ENABLED=0 build -o "$work/tools/sekisho" ./backend/cmd/sekisho
  build -o "$work/tools/sekishod" ./backend/cmd/sekishod
}

# programs DIR [SUFFIX]: the four of them, for the system that the environment names
programs() {
  mkdir -p "$1"
  CGO_ENABLED=1 build -o "$1/sekishod${2-}" ./backend/cmd/sekishod
  CGO_ENABLED=1 flags=${window-} build -tags desktop,production,webkit2_41 -o "$1/sekisho-desktop${2-}" .
  CGO_ENABLED=0 build -o "$1/sekisho${2-}" ./backend/cmd/sekisho
  CGO_ENABLED=0 build -o "$1/sekisho-hook${2-}" ./backend/cmd/sekisho-hook
}

# the files of Linux below a prefix
layout() {
  local to=$1 page program
  "$work/tools/bill" -version "$version" -out "$work" "$to"/bin/*
  install -Dm644 "$here/linux/sekisho.desktop" -t "$to/share/applications"
  mkdir -p "$to/share/metainfo" "$to/share/man/man1" "$to/share/doc/sekisho" "$to/share/icons"
  fill "$here/linux/org.sekisho.Sekisho.metainfo.xml" >"$to/share/metainfo/org.sekisho.Sekisho.metainfo.xml"
  cp -r "$work/icons/hicolor" "$to/share/icons/"
  for page in "$work"/man/*.1; do gzip -9n <"$page" >"$to/share/man/man1/$(basename "$page").gz"; done
  for program in sekisho sekishod; do
    mkdir -p "$to"/share/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
    "$work/tools/$program" completion bash >"$to/share/bash-completion/completions/$program"
    "$work/tools/$program" completion zsh >"$to/share/zsh/site-functions/_$program"
    "$work/tools/$program" completion fish >"$to/share/fish/vendor_completions.d/$program.fish"
  done
  install -Dm644 "$here/linux/sekishod.service" -t "$to/share/systemd/user"
  licence "$here/linux/copyright" >"$to/share/doc/sekisho/copyright"
  gzip -9n <"$work/third-party.txt" >"$to/share/doc/sekisho/third-party.txt.gz"
  gzip -9n <"$work/sbom.cdx.json" >"$to/share/doc/sekisho/sbom.cdx.json.gz"
  gzip -9n <CHANGELOG.md >"$to/share/doc/sekisho/changelog.gz"
}

# Debian's form of a licence: without its title and copyright line, indented
licence() {
  awk '/^@LICENCE@$/ { while ((getline line < "LICENSE") > 0) if (++n > 4) print line == "" ? " ." : " " line; next } { print }' "$1"
}

# packed FOLDER FILE: a tar file of a folder, with nothing of this machine
packed() {
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    -C "$(dirname "$1")" -c "$(basename "$1")" | gzip -9n >"$2"
}

linux() {
  local arch=$1 to=$work/linux-$1/sekisho-$version kind
  rm -rf "$work/linux-$arch"
  programs "$to/bin"
  layout "$to"
  cp "$work/sbom.cdx.json" "$out/sekisho_${version}_linux_$arch.cdx.json"
  install -m755 "$here/user/install.sh" -t "$to"
  install -m644 LICENSE -t "$to"
  packed "$to" "$out/sekisho_${version}_linux_$arch.tar.gz"
  printf 'sekisho (%s-1) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- The Sekisho authors <maintainers@sekisho.invalid>  %s\n' \
    "$version" "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$work/linux-$arch/changelog.Debian.gz"
  cp "$here/linux/leave.sh" "$work/linux-$arch/"
  install -m644 "$here/linux/lintian-overrides" "$work/linux-$arch/sekisho.lintian"
  for kind in deb rpm; do packaging/pack.sh "$kind" "$arch" "$version" "$to" "$out"; done
}

windows() {
  local to=$work/windows/sekisho
  rm -rf "$work/windows"
  GOOS=windows GOARCH=amd64 CC=x86_64-w64-mingw32-gcc window="-H windowsgui" programs "$to" .exe
  "$work/tools/bill" -version "$version" -out "$to" "$to"/*.exe
  sed 's/$/\r/' LICENSE >"$to/licence.txt"
  cp "$work/icons/sekisho.ico" "$to/"
  find "$to" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
  makensis -V2 -NOCD "-DVERSION=$version" "-DFILES=$to" "-DOUT=$out/sekisho_${version}_windows_amd64_not-run-on-windows.exe" \
    "$here/windows/sekisho.nsi"
}

macos() {
  local to=$work/macos/Sekisho.app/Contents name
  rm -rf "$work/macos"
  mkdir -p "$to/MacOS" "$to/Resources"
  for name in sekisho sekisho-hook; do
    GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 build -o "$to/MacOS/$name" "./backend/cmd/$name"
  done
  "$work/tools/bill" -version "$version" -out "$to/Resources" "$to"/MacOS/*
  fill "$here/macos/Info.plist" >"$to/Info.plist"
  cp "$here/macos/NOT-RUN.txt" "$work/icons/sekisho.icns" LICENSE "$to/Resources/"
  packed "$work/macos/Sekisho.app" "$out/sekisho_${version}_macos_arm64_layout-not-run.tar.gz"
}

mkdir -p "$work" "$out"
rm -f "$out"/*
tools
GOOS=linux GOARCH=amd64 linux amd64
"$here/sysroot.sh" "$work/sysroot-arm64"
sysroot=$work/sysroot-arm64
GOOS=linux GOARCH=arm64 CC="aarch64-linux-gnu-gcc --sysroot=$sysroot" PKG_CONFIG_SYSROOT_DIR=$sysroot \
  PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig linux arm64
windows
macos
(cd "$out" && sha256sum ./* >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" .)
cat "$out/SHA256SUMS"
