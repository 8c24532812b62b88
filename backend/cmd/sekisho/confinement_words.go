package main

import (
	"fmt"
	"io"

	"sekisho/backend/tool"
)

// levelWords say how far commands of workspaces are confined.
var levelWords = map[tool.Level]string{
	tool.LevelFull:  "commands are confined to their folder, and have no network but git clone, pull and fetch, and npm (level full)",
	tool.LevelFiles: "commands are confined to the files of their folder, and of the rest not wholly (level files)",
	tool.LevelNone:  "commands are not confined: one that you approve can do all that you can, and none runs unasked (level none)",
}

// missingWords say what something is for that a machine lacks, and who has it.
var missingWords = map[string]string{
	"landlock":     "keeps commands to their files: Linux 6.2 or newer, with Landlock switched on",
	"landlock tcp": "keeps commands with a network to ports 80 and 443: Linux 6.7 or newer",
	"pid namespace": "ends all that a command leaves behind: Linux that allows user namespaces " +
		"(kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)",
	"network namespace": "takes the network from commands: Linux that allows user namespaces, likewise",
	"seccomp":           "refuses sockets: Linux on amd64 or arm64",
}

// sayConfinement tells a person how far commands are confined, and what is missing.
func sayConfinement(out io.Writer, before string, c tool.Confinement) {
	fmt.Fprintf(out, "%s%s\n", before, levelWords[c.Level])
	for _, name := range c.Missing {
		fmt.Fprintf(out, "  missing: %s, which %s\n", name, missingWords[name])
	}
}
