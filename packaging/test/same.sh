#!/usr/bin/env bash
# Two builds of one commit, in two folders, each with a cache of its own, have the same hashes.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$(mktemp -d "${TMPDIR:-/tmp}/same.XXXXXX")
trap 'chmod -R u+w "$copy"; rm -rf "$copy"' EXIT
for name in one another-with-a-longer-name; do
  git clone -q "$root" "$copy/$name"
  (cd "$copy/$name" && GOCACHE=$copy/cache-$name make --no-print-directory packages >"$copy/$name.log" 2>&1) || { tail -20 "$copy/$name.log"; exit 1; }
done
diff "$copy"/one/build/bin/packages/SHA256SUMS "$copy"/another-with-a-longer-name/build/bin/packages/SHA256SUMS || { echo "FAILED: two builds differ" >&2; exit 1; }
cat "$copy/one/build/bin/packages/SHA256SUMS"
echo "same: passed"
