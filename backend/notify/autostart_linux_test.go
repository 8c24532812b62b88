package notify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAutostart(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	file := filepath.Join(config, "autostart", "sekisho.desktop")
	for range 2 {
		if err := Autostart(true, "/opt/my apps/100%/sekisho-desktop", "--hidden", "--data", "/home/a\"b\\c$d`e"); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `Exec="/opt/my apps/100%%/sekisho-desktop" "--hidden" "--data" "/home/a\\"b\\\\c\\$d` + "\\\\`" + `e"` + "\n"
	if text := string(raw); !strings.HasPrefix(text, "[Desktop Entry]\nType=Application\n") || !strings.Contains(text, "\n"+want) {
		t.Errorf("got %s, want %s", text, want)
	}
	for range 2 {
		if err := Autostart(false, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it is still started")
	}
	if err := Autostart(true, "/bin/x\ny"); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(file); err != nil ||
		strings.Count(string(raw), "\n") != strings.Count("[Desktop Entry]\nType\nName\nIcon\nTerminal\nX\nExec\n", "\n") {
		t.Errorf("a line broke out: %s, %v", raw, err)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	write(t, blocked, "")
	t.Setenv("XDG_CONFIG_HOME", blocked)
	if Autostart(true, "/bin/x") == nil {
		t.Error("a folder that cannot be made is no error")
	}
}
