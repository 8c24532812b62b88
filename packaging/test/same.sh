#!/usr/bin/env bash
# Two builds of one commit have the same hashes: the one that was tried here, and one in another
# folder, with a cache of its own.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[ -z "$(git -C "$root" status --porcelain)" ] || { echo "FAILED: commit first: what was built is not the commit" >&2; exit 1; }
copy=$(mktemp -d "${TMPDIR:-/tmp}/same.XXXXXX")
trap 'chmod -R u+w "$copy"; rm -rf "$copy"' EXIT
git clone -q "$root" "$copy/another-with-a-longer-name"
(cd "$copy/another-with-a-longer-name" && GOCACHE=$copy/cache make --no-print-directory packages >"$copy/log" 2>&1) || { tail -20 "$copy/log"; exit 1; }
diff "$root/build/bin/packages/SHA256SUMS" "$copy/another-with-a-longer-name/build/bin/packages/SHA256SUMS" || { echo "FAILED: two builds differ" >&2; exit 1; }
cat "$root/build/bin/packages/SHA256SUMS"
echo "same: passed"
