#!/usr/bin/env bash
# What can be said of the packages without building them; part of make test.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || fail "gofmt -w $unformatted"
go vet -trimpath ./bill ./icons
go test -trimpath -vet=off ./bill >"$copy/said" || fail "$(cat "$copy/said")"
for script in ./*.sh test/*.sh; do bash -n "$script"; done
for script in linux/leave.sh user/install.sh; do sh -n "$script"; done
desktop-file-validate linux/sekisho.desktop
sed 's/@VERSION@/0.1.0/; s/@DATE@/2026-01-01/' linux/org.sekisho.Sekisho.metainfo.xml >"$copy/org.sekisho.Sekisho.metainfo.xml"
appstreamcli validate --no-net "$copy/org.sekisho.Sekisho.metainfo.xml" >"$copy/said" || fail "$(cat "$copy/said")"
for name in linux/sekisho.desktop linux/sekishod.service; do
  grep -q '^Exec\(Start\)\?=/usr/bin/sekisho' "$name" || fail "$name starts a program elsewhere"
done
grep -q '^StandardOutput=null$' linux/sekishod.service || fail "the unit would keep the operator's token"
for script in linux/leave.sh user/install.sh windows/sekisho.nsi; do
  grep -q 'sekisho disconnect' "$script" || fail "$script does not say what undoes the wiring"
done
