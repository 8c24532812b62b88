#!/usr/bin/env bash
# What is said about the packages without installing them: lintian, the validators of the
# metadata, what the programs need, and nothing of this machine in them.
. "$(dirname "$0")/root.sh"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

for arch in amd64 arm64; do
  step "lintian, $arch"
  lintian --fail-on error --tag-display-limit 0 "$out/sekisho_$version-1_$arch.deb"
done
lay=$work/linux-amd64/sekisho-$version
step "the sources"
"$root/packaging/test/sources.sh"
appstreamcli validate --no-net "$lay/share/metainfo/org.sekisho.Sekisho.metainfo.xml"
for file in "$lay"/share/bash-completion/completions/*; do bash -n "$file"; done

step "every program and command has a page"
for page in "$lay"/share/man/man1/*.gz; do
  said=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
  [ -z "$said" ] || fail "$page: $said"
done
for name in sekisho-desktop sekishod sekisho sekisho-hook; do [ -e "$lay/share/man/man1/$name.1.gz" ] || fail "no page for $name"; done
for flag in $("$lay/bin/sekisho-desktop" --help 2>&1 | sed -n 's/^  -\([a-z]*\).*/\1/p'); do
  zgrep -q -- "\\\\-\\\\-$flag" "$lay/share/man/man1/sekisho-desktop.1.gz" || fail "the page of sekisho-desktop lacks --$flag"
done

step "what the programs need is what the packages ask for"
for arch in amd64 arm64; do
  for program in "$work/linux-$arch/sekisho-$version"/bin/*; do
    most=$(objdump -T "$program" 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1 || true)
    [ "$(printf '%s\nGLIBC_2.34\n' "$most" | sort -V | tail -1)" = GLIBC_2.34 ] || fail "$program needs $most"
    readelf -d "$program" | sed -n "s/.*NEEDED.*\[\(.*\)\]/$(basename "$program") \1/p"
  done >"$copy/$arch"
done
diff "$copy/amd64" "$copy/arm64" || fail "programs of one system need other libraries than those of the other"
! file "$work/linux-arm64/sekisho-$version"/bin/* | has -v 'ARM aarch64' || fail "a program of arm64 is none"

step "nothing of this machine is in what is packaged"
registries=$({ go env GOPROXY | tr ',|' '\n\n'; npm config get registry; } | sed -n 's#^https\?://\([^/@]*@\)\?\([^/]*\).*#\2#p')
for word in "$root" "$HOME/go" "$(go env GOROOT)/src" "$(go env GOMODCACHE)" $registries; do
  ! grep -rlaF -- "$word" "$work"/linux-*/sekisho-"$version" "$work"/{third-party.txt,sbom.cdx.json} "$work/windows/sekisho" "$work/macos" || fail "they hold $word"
done

step "the rpm packages"
for arch in x86_64 aarch64; do
  rpm -qp --nosignature --qf '%{name} %{version}-%{release} %{arch} built on %{buildhost}\n' "$out/sekisho-$version-1.$arch.rpm" | tee "$copy/said"
  [ "$(cat "$copy/said")" = "sekisho $version-1 $arch built on localhost" ] || fail "that is another"
  rpm -qlp --nosignature "$out/sekisho-$version-1.$arch.rpm" | has -x /usr/bin/sekisho-hook || fail "a program is missing"
done
diff <(rpm -qlp --nosignature "$out/sekisho-$version-1.x86_64.rpm" | grep '^/usr/share/\(man\|icons\)/.*\.\(gz\|png\)$' | sort) \
  <(dpkg -c "$deb" | sed -n 's/.* \.\(\/usr\/share\/\(man\|icons\)\/.*[gz]\)$/\1/p' | sort) || fail "the two kinds of packages hold different files"

step "the bill of materials and the licences"
for arch in amd64 arm64; do
  jq -e '.bomFormat == "CycloneDX" and (.components | length > 30) and ([.components[] | .licenses[0].license.id] | all)' \
    "$out/sekisho_${version}_linux_$arch.cdx.json" >/dev/null || fail "the bill of $arch"
done
SEKISHO_BILLS="$(echo "$out"/*.cdx.json)" go test -C "$root/packaging" -trimpath -vet=off -count=1 -run '^TestBills$' ./bill
for name in react-dom github.com/mattn/go-sqlite3 SQLite 'Go standard library'; do
  zgrep -q "^$name .*(" "$lay/share/doc/sekisho/third-party.txt.gz" || fail "no licence of $name"
done
echo "lint: passed"
