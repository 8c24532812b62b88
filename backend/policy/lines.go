package policy

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/cel-go/common/types/ref"

	"sekisho/backend/command"
	"sekisho/backend/rawjson"
)

// The bounds of what is remembered of lines: about 10 MB at worst.
const (
	lineSlots    = 1 << 9
	maxKeptInput = 2 << 10
	maxKeptParts = 16
)

// lines remembers how lines were read. It is right whatever the rules and the time are.
type lines struct {
	seed   maphash.Seed
	texts  [lineSlots]atomic.Pointer[lineText]
	inputs [lineSlots]atomic.Pointer[reading]
}

func newLines() *lines { return &lines{seed: maphash.MakeSeed()} }

// lineText is a text taken apart, and what the function shell gives for it.
type lineText struct {
	command.Line
	once sync.Once
	val  ref.Val
}

// value is what the function shell gives.
func (l *lineText) value() ref.Val {
	l.once.Do(func() { l.val = shellValue(&l.Line) })
	return l.val
}

// text takes a text apart. Own says that its memory is that of nothing larger.
func (l *lines) text(text string, own bool) *lineText {
	slot := &l.texts[maphash.String(l.seed, text)%lineSlots]
	if known := slot.Load(); known != nil && known.Text == text {
		return known
	}
	if !own {
		text = strings.Clone(text)
	}
	read := &lineText{Line: command.Read(text)}
	if len(text) <= maxKeptInput && len(read.Parts) <= maxKeptParts {
		slot.Store(read)
	}
	return read
}

// reading is the line of a call's input, as its tool and folder say that it is read.
type reading struct {
	input     []byte
	tool, cwd string
	key       string    // the member that has the text
	members   []string  // all members that the line stands in
	member    [1]string // room for the one that most have
	line      *command.Line
	folder    string // that it runs in, as the call and its input say; "" is not known
	list      bool   // it is a list of words
	whole     bool   // its one part is judged as the input is: nothing is put in its place
}

// of gives the line of a call, or nil.
func (l *lines) of(c *Call) *reading {
	if !c.ofTool() || !mayHaveLine(c.Input) {
		return nil
	}
	cwd := ""
	if c.Cwd != nil {
		cwd = *c.Cwd
	}
	slot := &l.inputs[(maphash.Bytes(l.seed, c.Input)^maphash.String(l.seed, cwd))%lineSlots]
	if known := slot.Load(); known != nil && known.tool == c.ToolName && known.cwd == cwd && bytes.Equal(known.input, c.Input) {
		return known
	}
	r := l.read(c, cwd)
	if r != nil && len(c.Input) <= maxKeptInput && len(r.line.Parts) <= maxKeptParts {
		slot.Store(r)
	}
	return r
}

func (l *lines) read(c *Call, cwd string) *reading {
	if len(c.Input) > MaxInputBytes {
		return nil
	}
	members, err := rawjson.Members(c.Input)
	if err != nil {
		return nil
	}
	order, found := command.Find(rawjson.Values(members))
	if !found || order.Editor {
		return nil
	}
	r := &reading{input: slices.Clone(c.Input), tool: strings.Clone(c.ToolName), cwd: strings.Clone(cwd), key: order.Key}
	r.members = r.member[:0]
	r.folder, _ = folderOf(cwd, members)
	for _, m := range members {
		if isLineMember(m.Key) && (m.Key != "args" || !blank(m.Value)) {
			r.members = append(r.members, m.Key)
		}
	}
	if order.Bad == "" && order.Args == nil && !command.IsForeign(c.ToolName, cwd) {
		r.line = &l.text(order.Text, true).Line
	} else {
		line := order.ReadAs(c.ToolName, cwd, false)
		r.line = &line
	}
	first := r.line.Parts[0]
	alone := len(r.line.Parts) == 1
	r.list = order.List
	r.whole = order.Bad != "" || r.line.Foreign || alone && (first.Text == "" || order.Args == nil && first.Text == order.Text)
	return r
}

// blank reports whether args are as good as none.
func blank(args []byte) bool {
	list, is := bytes.CutPrefix(args, []byte("["))
	return string(args) == "null" || is && string(bytes.TrimSpace(list)) == "]"
}

// mayHaveLine is quick: most inputs have no such word anywhere.
func mayHaveLine(input []byte) bool {
	if bytes.Contains(input, []byte(`\u`)) {
		return true
	}
	for rest := input; ; {
		at := bytes.IndexAny(rest, "cC")
		if at < 0 {
			return false
		}
		rest = rest[at:]
		if len(rest) > 3 && strings.EqualFold(string(rest[:3]), "cmd") || len(rest) > 7 && strings.EqualFold(string(rest[:7]), "command") {
			return true
		}
		rest = rest[1:]
	}
}
