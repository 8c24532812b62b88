#!/usr/bin/env bash
# The layout of the bundle for macOS, as far as it can be read here. Nothing of it was run.
. "$(dirname "$0")/root.sh"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
packed=$out/sekisho_${version}_macos_arm64_layout-not-run.tar.gz
mkdir "$copy/unpacked"
tar -xpzf "$packed" -C "$copy/unpacked"
contents=$copy/unpacked/Sekisho.app/Contents

step "the files, and nothing else"
(cd "$copy/unpacked" && find . -type f -printf '%m %P\n' | sort -k2) >"$copy/said"
diff - "$copy/said" <<'END' || fail "the layout is another"
644 Sekisho.app/Contents/Info.plist
755 Sekisho.app/Contents/MacOS/sekisho
755 Sekisho.app/Contents/MacOS/sekisho-hook
644 Sekisho.app/Contents/Resources/LICENSE
644 Sekisho.app/Contents/Resources/NOT-RUN.txt
644 Sekisho.app/Contents/Resources/sbom.cdx.json
644 Sekisho.app/Contents/Resources/sekisho.icns
644 Sekisho.app/Contents/Resources/third-party.txt
END
! tar --numeric-owner -tvzf "$packed" | has -v ' 0/0 ' || fail "a file belongs to someone"

step "Info.plist, the programs and the icon"
python3 "$root/packaging/test/macos.py" "$contents" "$version"

step "it says what is missing, and that it was never run"
grep -q 'never run' "$contents/Resources/NOT-RUN.txt" || fail "it does not say so"
for name in sekisho sekisho-hook sekishod sekisho-desktop; do
  [ -e "$contents/MacOS/$name" ] || grep -q -- "-o Sekisho.app/Contents/MacOS/$name " "$contents/Resources/NOT-RUN.txt" || fail "nothing says how to build $name"
done

step "the bill of materials and the licences"
SEKISHO_BILLS=$contents/Resources/sbom.cdx.json go test -C "$root/packaging" -trimpath -vet=off -count=1 -run '^TestBills$' ./bill
grep -q '^Go standard library .*(' "$contents/Resources/third-party.txt" || fail "no licence of Go's standard library"
echo "macos: passed (the layout; not run)"
