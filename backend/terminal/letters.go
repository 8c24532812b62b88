package terminal

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// takesUTF8 reports whether the terminal takes UTF-8, as the locale says. Where none is set it does, as nearly all do.
func takesUTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(os.Getenv(name)); locale != "" {
			return runtime.GOOS == "windows" || strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}

// Letters is a text in those letters that the terminal shows. One that takes a byte for a letter would obey
// some bytes of others: the second one of Û begins an order.
func Letters(text string) string {
	if takesUTF8() {
		return text
	}
	var b strings.Builder
	for _, r := range signs.Replace(text) {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
	}
	return b.String()
}

// signs are those of our own texts.
var signs = strings.NewReplacer("¦", ":", "…", "...", "“", `"`, "”", `"`, "−", "-", "⟦", "[", "⟧", "]")
