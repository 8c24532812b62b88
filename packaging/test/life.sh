#!/usr/bin/env bash
# The life of a package, as piuparts looks at it: install, upgrade from an older one, downgrade,
# remove, purge; with a client that sekisho connect has wired and that starts its hook all the time.
. "$(dirname "$0")/root.sh"
system clean "$tools"
clean clean
older
mkdir "$here/older"
cp "$work"/older/*.deb "$work"/older/*.rpm "$here/older/"
old=/older/sekisho_0.0.9-1_amd64.deb
new=/packages/$(basename "$deb")

files() { (cd "$here" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./packages -o -path ./var/cache -o -path ./var/log \
  -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./home \) -prune -o -printf '%p %m %u:%g %y\n' | sort); }
# what lies in the home, with its bytes
home() { (cd "$here/home/person" && find . -type f ! -path './.local/share/sekisho/*.db*' -exec sha256sum {} + | sort); }

inside apt-get update -qq
inside apt-get install -qq -y --no-install-recommends "$old" >"$copy/apt.log" 2>&1 || { tail "$copy/apt.log"; fail "apt"; }
inside apt-get purge -qq -y sekisho >/dev/null
files >"$copy/before"

step "install the older one, and connect a client"
inside dpkg -i "$old" >/dev/null
mkdir -p "$here/home/person/.claude"
echo '{"model":"x"}' >"$here/home/person/.claude/settings.json"
inside chown -R person:person /home/person
cp "$here/home/person/.claude/settings.json" "$copy/settings.json"
person '
  (umask 077; head -c 32 /dev/urandom | base64 >token)
  sekishod --operator-token-file token >ready.json 2>log &
  until [ -s ready.json ]; do sleep 0.05; done
  desk=$(jq -r .url ready.json)
  sekisho --desk "$desk" --token-file token connect --yes --client claude-code >connected
  curl -fsS -H "Authorization: Bearer $(cat token)" -H "Content-Type: application/json" "$desk/v1/rules" \
    -d "{\"serverId\":null,\"toolName\":null,\"toolPattern\":null,\"effect\":\"allow\",\"priority\":1}" >/dev/null
  jq -r "[.hooks.PreToolUse[].hooks[].command][0]" .claude/settings.json >line
  while [ ! -e stop ]; do
    n=$((${n-0} + 1))
    event="{\"session_id\":\"s\",\"transcript_path\":\"/t\",\"cwd\":\"/home/person\",\"permission_mode\":\"default\",\"hook_event_name\":\"PreToolUse\",
      \"tool_name\":\"Read\",\"tool_input\":{\"file_path\":\"/home/person/f$n\"},\"tool_use_id\":\"t$n\"}"
    code=0
    echo "$event" | sh -c "$(cat line)" >said 2>&1 || code=$?
    if [ "$code" = 0 ] && grep -q "\"allow\"" said; then echo yes >>starts; else echo "$code: $(cat said)" >>gaps; fi
  done
' &
loop=$!
until [ -s "$here/home/person/starts" ] || [ -s "$here/home/person/gaps" ]; do kill -0 $loop || fail "the desk: $(cat "$here/home/person/log")"; sleep 0.1; done
grep -q '^/usr/bin/sekisho-hook ' "$here/home/person/line" || fail "the client is wired to $(cat "$here/home/person/line")"

step "upgrade and downgrade while the client works"
for _ in 1 2 3; do
  inside dpkg -i "$new" >"$copy/dpkg.log" 2>&1 || { cat "$copy/dpkg.log"; fail "upgrade"; }
  ! grep -q disconnect "$copy/dpkg.log" || fail "an upgrade speaks as a removal does"
  [ ! -e "$here/usr/share/doc/sekisho/gone-in-the-new-one" ] || fail "a file of the older one is left"
  inside dpkg -i "$old" >"$copy/dpkg.log" 2>&1 || { cat "$copy/dpkg.log"; fail "downgrade"; }
done
inside dpkg -i "$new" >/dev/null 2>&1
touch "$here/home/person/stop"
wait $loop
[ ! -s "$here/home/person/gaps" ] || { head -5 "$here/home/person/gaps"; fail "the hook was gone $(wc -l <"$here/home/person/gaps") times"; }
step "it was started $(wc -l <"$here/home/person/starts") times without a gap"
[ "$(wc -l <"$here/home/person/starts")" -ge 20 ] || fail "that is too few to see a gap"

step "remove: no home is touched, and it says what undoes the wiring"
home >"$copy/home"
inside dpkg -r sekisho >"$copy/dpkg.log" 2>&1
home | diff "$copy/home" - || fail "removal touched the home"
for word in 'sekisho disconnect' 'Claude Code, Codex'; do grep -q "$word" "$copy/dpkg.log" || fail "removal does not say: $word"; done
code=0
inside sh -c "$(cat "$here/home/person/line")" </dev/null >/dev/null 2>&1 || code=$?
[ "$code" = 2 ] || fail "a hook whose program is gone ends with $code"
inside dpkg -P sekisho >/dev/null 2>&1
home | diff "$copy/home" - || fail "purge touched the home"
files | diff "$copy/before" - || fail "something is left, or gone"

step "install again: disconnect puts the client back, byte for byte"
inside dpkg -i "$new" >/dev/null 2>&1
person 'sekisho disconnect --yes' >/dev/null
cmp "$copy/settings.json" "$here/home/person/.claude/settings.json" || fail "it is another"
inside dpkg -P sekisho >/dev/null 2>&1
files | diff "$copy/before" - || fail "something is left, or gone"

step "rpm: install, upgrade, downgrade, remove"
inside rpm -i --nodeps /older/sekisho-0.0.9-1.x86_64.rpm
inside rpm -U --nodeps "/packages/sekisho-$version-1.x86_64.rpm"
inside rpm -V --nodeps sekisho || fail "a file is not as it was packaged"
inside rpm -U --nodeps --oldpackage /older/sekisho-0.0.9-1.x86_64.rpm
inside /usr/bin/sekisho --version >/dev/null
inside rpm -e --nodeps sekisho >"$copy/rpm.log" 2>&1
grep -q 'sekisho disconnect' "$copy/rpm.log" || fail "removal does not say what undoes the wiring"
left=$(cd "$here/usr" && find . -path "*sekisho*" -type f)
[ -z "$left" ] || fail "a file is left: $left"
echo "life: passed"
