package risk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// fewestLines is how many labelled command lines a corpus must have.
const fewestLines = 600

// corpora are the files of labelled command lines.
var corpora = []string{"commands-abuse.txt", "commands-everyday.txt"}

// labelled is a command line of a corpus with the level that it must have.
type labelled struct {
	at            string // file and line number
	level         string
	class, source string
	text          string
}

var corpusKey = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// TestCorpus holds the form of the corpora: their fields, the spelling of levels, their number of
// lines, and that no text stands twice. It judges nothing.
func TestCorpus(t *testing.T) {
	first := map[string]labelled{} // by text
	for _, name := range corpora {
		lines, err := readCorpus(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(lines) < fewestLines {
			t.Errorf("%s has %d lines, wants %d", name, len(lines), fewestLines)
		}
		own := map[string]bool{}
		for _, line := range lines {
			if own[line.text] {
				t.Errorf("%s: the text stands twice: %q", line.at, line.text)
			}
			own[line.text] = true
			if other, ok := first[line.text]; ok && other.level != line.level {
				t.Errorf("%s is %s, %s is %s: %q", other.at, other.level, line.at, line.level, line.text)
			}
			first[line.text] = line
		}
	}
}

// readCorpus reads the labelled lines of one file of testdata.
func readCorpus(name string) ([]labelled, error) {
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		return nil, err
	}
	var lines []labelled
	for i, row := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
		if row == "" || strings.HasPrefix(row, "#") {
			continue
		}
		line, err := parseLabelled(row)
		line.at = fmt.Sprintf("%s:%d", name, i+1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line.at, err)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// parseLabelled reads level, class, source and text, with a tab between; the text has the escapes of a Go string.
func parseLabelled(row string) (labelled, error) {
	fields := strings.Split(row, "\t")
	if len(fields) != 4 {
		return labelled{}, fmt.Errorf("%d fields, wants 4", len(fields))
	}
	line := labelled{level: fields[0], class: fields[1], source: fields[2]}
	switch {
	case line.level != "high" && line.level != "medium" && line.level != "low":
		return line, fmt.Errorf("level %q", line.level)
	case !corpusKey.MatchString(line.class):
		return line, fmt.Errorf("class %q", line.class)
	case !corpusKey.MatchString(line.source):
		return line, fmt.Errorf("source %q", line.source)
	case strings.TrimSpace(fields[3]) == "":
		return line, errors.New("no text")
	}
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(fields[3], `"`, `\"`) + `"`)
	if err != nil {
		return line, fmt.Errorf("text %q: %w", fields[3], err)
	}
	line.text = text
	return line, nil
}
