# Clean Debian systems to try packages in; sourced. Needs root. The system is made once; each
# test gets a copy that is thrown away. It has no Go and no Node.
set -euo pipefail
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$root/build/bin/packaging
out=$root/build/bin/packages
version=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' "$root/backend/version.go")
deb=$out/sekisho_$version-1_amd64.deb
tools=xvfb,xauth,xdotool,systemd,rpm,procps,jq,curl,ca-certificates

fail() { echo "FAILED: $*" >&2; exit 1; }
step() { echo "- $*"; }
# has PATTERN: is it in what is read? To the end: grep -q stops earlier, and what writes to it then fails.
has() { [ -n "$(grep "$@")" ]; }

# system NAME PACKAGES [ARCHITECTURES]: makes $work/NAME once
system() {
  [ -e "$work/$1/.complete" ] && return
  rm -rf "${work:?}/$1"
  mmdebstrap --quiet --variant=minbase --architectures="${3:-amd64}" --include="$2" bookworm "$work/$1"
  touch "$work/$1/.complete"
}

# clean NAME: mounts a copy of the system at $here, taken away at the end
clean() {
  copy=$(mktemp -d "$work/copy.XXXXXX")
  here=$copy/merged
  mkdir "$copy"/{upper,work,merged}
  mount -t overlay overlay -o "lowerdir=$work/$1,upperdir=$copy/upper,workdir=$copy/work" "$here"
  trap leave EXIT
  mount --bind /dev "$here/dev"
  mount --make-private "$here/dev"
  mount -t devpts devpts "$here/dev/pts" -o mode=0620,ptmxmode=0666
  mount -t proc proc "$here/proc"
  mount -t tmpfs tmpfs "$here/tmp" -o mode=1777
  mkdir -p "$here/packages" "$work/archives/partial"
  mount --bind "$out" "$here/packages"
  mount --bind "$work/archives" "$here/var/cache/apt/archives"
  cp /etc/resolv.conf "$here/etc/resolv.conf"
  rm -f "$here/etc/apt/apt.conf.d/docker-clean"
  printf '#!/bin/sh\nexit 101\n' >"$here/usr/sbin/policy-rc.d"
  chmod 755 "$here/usr/sbin/policy-rc.d"
  inside useradd -m person
}

leave() {
  local pid
  for pid in $(find /proc -maxdepth 2 -name root -lname "$here*" 2>/dev/null | cut -d/ -f3); do kill -9 "$pid" 2>/dev/null || true; done
  sleep 0.2
  umount -R "$here" || return
  rm -rf --one-file-system "$copy"
}

# inside CMD…: in the copy, as root, with a network
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$here" "$@"; }

# person SCRIPT: in the copy, as a user, in a network that has nothing but loopback
person() {
  env -i PATH=/usr/bin:/bin HOME=/home/person USER=person LC_ALL=C.UTF-8 unshare --mount --net --pid --fork --kill-child \
    env PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c 'ip link set lo up; mount -t proc proc "$0/proc"; exec chroot --userspec=person:person "$0" bash -euc "cd; $1"' "$here" "$1"
}

# older: a package of the same layout with a lower version, whose programs differ in their bytes
older() {
  local to=$work/older/sekisho-0.0.9 kind program
  rm -rf "$work/older"
  mkdir -p "$work/older"
  cp -r "$work/linux-amd64/sekisho-$version" "$to"
  cp "$work/linux-amd64"/{leave.sh,changelog.Debian.gz,sekisho.lintian} "$work/older/"
  for program in "$to"/bin/*; do printf 'older' >>"$program"; done
  touch "$to/share/doc/sekisho/gone-in-the-new-one"
  for kind in deb rpm; do SOURCE_DATE_EPOCH=1 "$root/packaging/pack.sh" "$kind" amd64 0.0.9 "$to" "$work/older" >/dev/null; done
}
