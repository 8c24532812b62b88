#!/usr/bin/env bash
# Makes one Linux package of a layout: pack.sh deb|rpm ARCH VERSION LAYOUT OUT, at the time
# $SOURCE_DATE_EPOCH.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export ARCH=$2 VERSION=$3
cd "$4"
"$here/../build/bin/packaging/tools/nfpm" package --config "$here/nfpm.yaml" --packager "$1" --target "$5/"
