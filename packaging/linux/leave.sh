#!/bin/sh
# Before the removal: no home is touched, so clients that people connected stay connected.
set -e
case "$1" in
remove | 0)
  cat <<'EOF'
Sekisho: nothing in any home is touched. Clients that you connected still start programs of Sekisho,
which will be gone. To put a client back as it was, each person runs, before the removal:

  sekisho disconnect

Too late? Install the package again, run it, and remove the package then. The same goes for a service
that a person has made with "sekisho service install": "sekisho service uninstall" puts it away.

Until then: the hooks that connecting wrote refuse every tool of the client, and servers behind the
desk do not start. A hook written by hand, without what connecting puts behind the command, lets
tools run in these clients once its program is gone: Claude Code, Codex.
EOF
  ;;
esac
