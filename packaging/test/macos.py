"""Reads the bundle for macOS: macos.py CONTENTS VERSION. It ends with 1 at the first fault."""

import pathlib
import plistlib
import struct
import sys

contents, version = pathlib.Path(sys.argv[1]), sys.argv[2]
MACH_O_64, ARM64, EXECUTE = 0xFEEDFACF, 0x0100000C, 2
CODE_SIGNATURE, BUILD_VERSION, MACOS = 0x1D, 0x32, 1
ICONS = {b"ic11": 32, b"ic12": 64, b"ic07": 128, b"ic08": 256}


def check(good, what):
    if not good:
        sys.exit(f"FAILED: {what}")


info = plistlib.loads((contents / "Info.plist").read_bytes())
check(info["CFBundlePackageType"] == "APPL", "the bundle is no application")
check(info["CFBundleIdentifier"] == "org.sekisho.Sekisho", "the identifier is another")
check(info["CFBundleExecutable"] == "sekisho-desktop", "it starts another program than the window")
for key in ("CFBundleShortVersionString", "CFBundleVersion"):
    check(info[key] == version, f"{key} is {info[key]}")
check((contents / "Resources" / f"{info['CFBundleIconFile']}.icns").is_file(), "the icon is missing")
least = tuple(map(int, info["LSMinimumSystemVersion"].split(".")))

# An arm64 Mac starts no program without a signature, be it one that the linker made.
for program in sorted((contents / "MacOS").iterdir()):
    raw, name = program.read_bytes(), program.name
    magic, cpu, _, kind, count = struct.unpack_from("<5I", raw)
    check((magic, cpu, kind) == (MACH_O_64, ARM64, EXECUTE), f"{name} is no program of macOS for arm64")
    commands, at = {}, 32
    for _ in range(count):
        command, size = struct.unpack_from("<2I", raw, at)
        commands[command], at = at, at + size
    check(CODE_SIGNATURE in commands, f"{name} has no signature")
    check(BUILD_VERSION in commands, f"{name} does not say for which system it is")
    system, needs = struct.unpack_from("<2I", raw, commands[BUILD_VERSION] + 8)
    check(system == MACOS, f"{name} is for another system of Apple")
    check((needs >> 16, needs >> 8 & 0xFF) <= least, f"{name} needs a newer macOS than Info.plist says")

icns, sizes, at = (contents / "Resources" / "sekisho.icns").read_bytes(), {}, 8
check(icns[:8] == b"icns" + struct.pack(">I", len(icns)), "the icon is no icns")
while at < len(icns):
    kind, length = struct.unpack_from(">4sI", icns, at)
    check(icns[at + 8 : at + 16] == b"\x89PNG\r\n\x1a\n", f"{kind} of the icon is no PNG")
    sizes[kind], at = struct.unpack_from(">I", icns, at + 24)[0], at + length
check(sizes == ICONS, f"the icon has {sizes}")
