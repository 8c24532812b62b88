package command_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sekisho/backend/command"
	"sekisho/backend/cputime"
	"sekisho/backend/shell"
)

// TestDenseLines: a line of 64 KiB takes no time that anybody notices, and one of many
// parts or words is opaque.
func TestDenseLines(t *testing.T) {
	repeat := func(text string) string { return strings.Repeat(text, shell.MaxText/len(text)) }
	for _, text := range []string{"a;", "a\n", "a|", "a ", `"a"'b'\c `, "git x;",
		"python -c 'rm -rf x';", "$(a $b);", "x=`y`;", "a>b;", "<<a\n", "# <<a\n"} {
		start := cputime.Now()
		l := command.Read(repeat(text))
		if took := cputime.Since(start); took > 200*time.Millisecond || !l.Opaque {
			t.Errorf("%q: opaque %t after %v", text, l.Opaque, took)
		}
	}
}

// TestLongLinesAreRead: what is long for its texts, and not for its commands, is taken apart.
func TestLongLinesAreRead(t *testing.T) {
	body := strings.Repeat("if (a) | b; 'c' && \"d\" # e\n", 900)
	body = strings.NewReplacer("(", "", ")", "").Replace(body)
	var files strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&files, " src/some/where/file%d.go", i)
	}
	for name, text := range map[string]string{
		"here": "cat > x <<'EOF'\n" + body + "EOF\ngit add x", "tabs": "cat > x <<-\"EOF\" && y\n" + body + "\t\tEOF\ngit add x",
		"plain": "cat > x << EOF\n" + body + "EOF\ngit add x", "quotes": "python -c '" + strings.ReplaceAll(body, "'", "") + "'; git add x",
		"files": "cat x; git add" + files.String(), "remarks": "cat x\n" + strings.Repeat("# a b c d e f g ' \" \n", 2000) + "git add x",
	} {
		l := command.Read(text)
		if last := l.Parts[len(l.Parts)-1].Name; l.Opaque || last != "git add" || len(l.Parts) < 2 {
			t.Errorf("%s: %s, ends with %q of %d parts", name, l.Why, last, len(l.Parts))
		}
	}
}
