package guard

import (
	_ "embed" // options.txt
	"fmt"
	"slices"
	"strings"
	"sync"

	"sekisho/backend/permission"
)

//go:embed options.txt
var optionsText string

// rows is options.txt, read when it is first asked.
var rows = sync.OnceValue(func() map[string]*row {
	t, err := readRows(optionsText)
	if err != nil {
		panic(err) // a test reads it
	}
	return t
})

// Programs are the names of the listed programs, in their order.
func Programs() (names []string) {
	for name := range rows() {
		if !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// row is what may pass of a program, or of a verb of one.
type row struct {
	level    permission.Risk
	options  map[string]option // by their names with dashes
	operands []string          // kinds; one that ends with * is of all others
	script   string            // the kind of all words behind the first operand
	edge     map[string]bool   // options that stand for the first operand
	marks    map[string]bool   // @ words
	grave    map[string]bool   // words that put the level up wherever they stand
	verbs    bool              // it has rows of verbs alone
}

// option is one that may pass.
type option struct {
	kind     string // "" for one without a value
	optional bool   // the value is attached or left out
	high     bool
	attached bool // of a program of whole options: the value may stand in the same word
}

func readRows(text string) (map[string]*row, error) {
	all := map[string]*row{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if len(words) < 2 || order(permission.Risk(words[1])) < 0 {
			return nil, fmt.Errorf("options.txt: %q has no level", words[0])
		}
		r := all[words[0]]
		if r == nil {
			r = &row{options: map[string]option{}, edge: map[string]bool{}, marks: map[string]bool{}, grave: map[string]bool{}}
			all[words[0]] = r
		}
		if program, _, has := strings.Cut(words[0], "/"); has {
			all[program] = &row{verbs: true}
		}
		r.level = permission.Risk(words[1])
		r.read(words[2:])
	}
	return all, nil
}

// read adds the words of a line.
func (r *row) read(words []string) {
	operands := false
	for _, w := range words {
		switch {
		case w[0] == '@':
			name, list, _ := strings.Cut(w[1:], ":")
			r.marks[name] = true
			for o := range strings.SplitSeq(list, ",") {
				r.edge[o] = true
			}
			operands = false
		case w[0] == '<':
			r.operands, operands = append(r.operands, w[1:]), true
			for one := range strings.SplitSeq(strings.Trim(w, "<{}"), ",") {
				if grave, is := strings.CutPrefix(one, "!"); is {
					r.grave[grave] = true
				}
			}
		case w[0] == '>':
			r.script, operands = w[1:], false
		case operands && w[0] != '-' && w[0] != '!':
			r.operands = append(r.operands, w)
		default:
			r.option(w)
		}
	}
}

// option adds one option, or a run of letters.
func (r *row) option(w string) {
	var o option
	w, o.high = cutPrefix(w, "!")
	w, o.attached = cutPrefix(w, "+")
	name, kind, valued := strings.Cut(w, ":")
	o.kind = kind
	name, o.optional = strings.CutSuffix(name, "?")
	if r.marks["whole"] || strings.HasPrefix(name, "--") || valued && len(name) == 2 {
		r.options[name] = o
		return
	}
	for i, letter := range name[1:] {
		of := option{high: o.high}
		if i == len(name)-2 {
			of = o
		}
		r.options["-"+string(letter)] = of
	}
}

func cutPrefix(s, prefix string) (string, bool) {
	after, found := strings.CutPrefix(s, prefix)
	return after, found
}
