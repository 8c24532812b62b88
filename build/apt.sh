#!/bin/sh
# Installs those of the named Debian packages that are missing. Needs root or
# sudo; elsewhere than on Debian and its kin it says what is needed and goes on.
set -eu
missing=
for p in "$@"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
  echo "these packages (by their Debian names) are needed:$missing" >&2
  exit 0
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "installing:$missing"
$sudo apt-get update -q >/dev/null
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing >/dev/null
