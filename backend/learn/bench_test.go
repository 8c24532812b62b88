package learn_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkFrom reads 100 MB of transcripts: 20,000 calls of everyday work, two of three
// with a word of their own, with results of 4 KB, and 60 entries of a permission list.
func BenchmarkFrom(b *testing.B) {
	home := b.TempDir()
	size := history100(b, home)
	b.SetBytes(size)
	for b.Loop() {
		if r := from(b, home); r.Calls != 20_000 || r.Bytes < size {
			b.Fatalf("%d calls, %d bytes of %d", r.Calls, r.Bytes, size)
		}
	}
}

// history100 writes the transcripts and gives their size.
func history100(b *testing.B, home string) (size int64) {
	b.Helper()
	lines := everyday(b)
	result := strings.Repeat("what the command printed, line for line\\n", 100)
	var out bytes.Buffer
	for i := range 20_000 {
		line := lines[i%len(lines)]
		if i%3 != 0 {
			line = fmt.Sprintf("%s part-%d", line, i)
		}
		quoted, err := json.Marshal(line)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(&out, `{"parentUuid":"%036d","type":"assistant","sessionId":"s%d","cwd":"/home/ada/src/p%d","timestamp":"2026-01-02T03:04:05Z",`,
			i, i/1000, i/5000)
		fmt.Fprintf(&out, `"message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%010d","name":"Bash","input":{"command":%s}}]}}`+"\n",
			i, quoted)
		fmt.Fprintf(&out, `{"type":"user","sessionId":"s%d","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%010d",`,
			i/1000, i)
		fmt.Fprintf(&out, `"content":"%s"}]},"toolUseResult":{"stdout":"%s"}}`+"\n", result, result[:41*20])
		if i%1000 == 999 {
			keep(b, filepath.Join(home, ".claude", "projects", "p", fmt.Sprintf("s%d.jsonl", i/1000)), out.Bytes())
			size += int64(out.Len())
			out.Reset()
		}
	}
	var list []string
	for _, program := range strings.Fields("git go npm make cargo docker kubectl ls cat grep find sed awk python3 node pip curl gh terraform aws") {
		list = append(list, "Bash("+program+":*)", "Bash("+program+" run:*)", "Bash("+program+" test)")
	}
	raw, err := json.Marshal(map[string]any{"permissions": map[string]any{"allow": list}})
	if err != nil {
		b.Fatal(err)
	}
	keep(b, filepath.Join(home, ".claude", "settings.json"), raw)
	return size
}

func keep(b *testing.B, name string, content []byte) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		b.Fatal(err)
	}
}

// everyday are the lines of the corpus of everyday work.
func everyday(b *testing.B) (lines []string) {
	b.Helper()
	file, err := os.Open("../risk/testdata/commands-everyday.txt")
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	for in := bufio.NewScanner(file); in.Scan(); {
		fields := strings.Split(in.Text(), "\t")
		if line, err := strconv.Unquote(`"` + strings.ReplaceAll(fields[len(fields)-1], `"`, `\"`) + `"`); err == nil && len(fields) == 4 {
			lines = append(lines, line)
		}
	}
	return lines
}
