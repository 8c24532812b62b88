package economy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// call is a tool call of a recording. See testdata/README.md.
type call struct {
	Session string          `json:"session"`
	Cwd     string          `json:"cwd"`
	Tool    string          `json:"tool"`
	Server  *string         `json:"server"`
	Input   json.RawMessage `json:"input"`
	Danger  bool            `json:"danger"`
}

// recordings are the files of testdata.
var recordings = []string{"coding", "data", "ops"}

func record(t *testing.T, name string) (calls []call) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var c call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v: %s", name, err, lines.Bytes())
		}
		calls = append(calls, c)
	}
	return calls
}

// alternate is the halves that the goals are about: every other call is learned.
func alternate(calls []call) (learned, unseen []call) {
	for i, c := range calls {
		if i%2 == 0 {
			learned = append(learned, c)
		} else {
			unseen = append(unseen, c)
		}
	}
	return learned, unseen
}

// sessions is a harder cut: every other session is learned, and most of the others are about
// other folders and programs.
func sessions(calls []call) (learned, unseen []call) {
	n, last := 0, ""
	for _, c := range calls {
		if c.Session != last {
			n, last = n+1, c.Session
		}
		if n%2 == 1 {
			learned = append(learned, c)
		} else {
			unseen = append(unseen, c)
		}
	}
	return learned, unseen
}

// line is the command of a call, or "".
func (c *call) line() string {
	var in struct{ Command string }
	if json.Unmarshal(c.Input, &in) != nil {
		return ""
	}
	return in.Command
}

// name is the tool with its server.
func (c *call) name() string {
	if c.Server == nil {
		return c.Tool
	}
	return *c.Server + "/" + c.Tool
}
