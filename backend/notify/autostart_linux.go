package notify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Autostart lets the person's session start a program, or no longer.
func Autostart(on bool, program string, args ...string) error {
	config, err := os.UserConfigDir()
	if err != nil {
		return fmt.Errorf("find the autostart folder: %w", err)
	}
	file := filepath.Join(config, "autostart", "sekisho.desktop")
	if !on {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("start no longer with the session: %w", err)
		}
		return nil
	}
	line := quoted(program)
	for _, arg := range args {
		line += " " + quoted(arg)
	}
	entry := "[Desktop Entry]\nType=Application\nName=Sekisho\nIcon=sekisho\nTerminal=false\nX-GNOME-Autostart-enabled=true\nExec=" + line +
		"\n"
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(entry), 0o644)); err != nil {
		return fmt.Errorf("start with the session: %w", err)
	}
	return nil
}

// quoted writes an argument as the Desktop Entry Specification wants it in Exec: by
// the rule for quoting, then by the one for strings, and % is said twice.
func quoted(arg string) string {
	arg = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", `$`, `\$`).Replace(arg)
	arg = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "%", "%%").Replace(arg)
	return `"` + arg + `"`
}
