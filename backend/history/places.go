package history

import (
	"path/filepath"
)

// Places are the folders of the programs.
type Places struct {
	Home     string
	Claude   string // ~/.claude
	Codex    string // ~/.codex
	Gemini   string // ~/.gemini
	Opencode string // ~/.local/share/opencode
	Settings string // ~/.config/opencode
}

// In gives the places in a home folder. Variables of the environment by which a program is
// told to use another folder count, where env is not nil and they are absolute.
func In(home string, env func(string) string) Places {
	p := Places{
		Home:   home,
		Claude: filepath.Join(home, ".claude"), Codex: filepath.Join(home, ".codex"), Gemini: filepath.Join(home, ".gemini"),
		Opencode: filepath.Join(home, ".local", "share", "opencode"), Settings: filepath.Join(home, ".config", "opencode"),
	}
	if env == nil {
		return p
	}
	for name, place := range map[string]*string{"CLAUDE_CONFIG_DIR": &p.Claude, "CODEX_HOME": &p.Codex} {
		if dir := env(name); filepath.IsAbs(dir) {
			*place = filepath.Clean(dir)
		}
	}
	if dir := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		p.Opencode = filepath.Join(dir, "opencode")
	}
	if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		p.Settings = filepath.Join(dir, "opencode")
	}
	return p
}
