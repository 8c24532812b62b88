package command

import (
	"cmp"
	_ "embed" // programs.txt
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed programs.txt
var programsText string

// programs is the table, read when it is first asked.
var programs = sync.OnceValue(func() *table {
	t, err := readTable(programsText)
	if err != nil {
		panic(err) // a test reads it
	}
	return t
})

// table is programs.txt.
type table struct {
	rows     map[string]*row
	once     map[string]bool      // programs that have no class
	ends     map[string][]trigger // words behind which a class ends
	steers   []string
	families []string
	spares   []string
	builtins []string
	grave    map[string]bool // programs that may destroy, send, raise rights or fetch
}

// row is what is known of a program or of a verb.
type row struct {
	effects  Effect
	adds     []add
	options  map[string]valued // with their dashes
	verbs    map[string]*row   // nil: it has none; one more level is joined by a dot
	joined   map[string]*row   // the same with the options of the program, and under "" what has no row
	two      []string
	flags    map[string]bool
	folder   []string
	sql      []string
	module   string
	lists    []string // options with which it only reads
	out      string   // letters of options that name what is written
	writes   []string // such options by their names
	edited   []string // options with which it changes the files that it names, or behind "!" without which; none: it always does
	wrap     int      // operands before what it runs, or -1
	filter   int      // operands of one that reads only its pipe, or -1
	texts    int      // operands that name no files
	max      int      // operands, or -1
	declared bool
}

// add is what a program does besides where one of its words meets a trigger.
type add struct {
	effects  Effect
	code     bool
	chooses  bool
	triggers []trigger
}

// valued says whether an option has a value.
type valued uint8

const (
	bare     valued = iota + 1
	optional        // attached alone
	required
)

func newRow() *row {
	return &row{options: map[string]valued{}, flags: map[string]bool{}, wrap: -1, filter: -1, max: -1}
}

func readTable(text string) (*table, error) {
	t := &table{rows: map[string]*row{}, once: map[string]bool{}, ends: map[string][]trigger{}}
	var current []*row
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\n")
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		left, right, _ := strings.Cut(line, " = ")
		names, words := strings.Fields(left), strings.Fields(right)
		var err error
		switch last := names[len(names)-1]; {
		case left[0] == ' ':
			for _, parent := range current {
				err = cmp.Or(err, eachRow(parent.child, names, words))
			}
		case last == "steers":
			t.steers = append(t.steers, words...)
		case last == "families":
			t.families = append(t.families, words...)
		case last == "spares":
			t.spares = append(t.spares, words...)
		case last == "builtin":
			t.builtins = append(t.builtins, words...)
		case last == "once" && names[0] == "*":
			for _, word := range words {
				t.once[word] = true
			}
		case last == "once":
			for _, name := range names[:len(names)-1] {
				t.ends[name] = append(t.ends[name], triggersOf(words)...)
			}
		default:
			current = nil
			err = eachRow(func(name string) *row {
				if t.rows[name] == nil {
					t.rows[name] = newRow()
				}
				current = append(current, t.rows[name])
				return t.rows[name]
			}, names, words)
		}
		if err != nil {
			return nil, fmt.Errorf("programs.txt:%d: %w", number, err)
		}
	}
	t.grave = map[string]bool{}
	for name, r := range t.rows {
		r.join()
		t.grave[name] = r.isGrave()
	}
	return t, nil
}

// child gives the row of a verb.
func (r *row) child(verb string) *row {
	if r.verbs == nil {
		r.verbs = map[string]*row{}
	}
	if r.verbs[verb] == nil {
		r.verbs[verb] = newRow()
	}
	return r.verbs[verb]
}

// eachRow reads a line for each of its names.
func eachRow(of func(string) *row, names, words []string) error {
	plus := slices.Index(names, "+")
	if plus < 0 {
		for _, name := range names {
			if err := of(name).read(words); err != nil {
				return err
			}
		}
		return nil
	}
	a := add{triggers: triggersOf(words)}
	for _, name := range names[plus+1:] {
		switch name {
		case "code":
			a.code = true
		case "chooses":
			a.chooses = true
		default:
			if effectOf(name) == 0 {
				return fmt.Errorf("%q is no effect", name)
			}
			a.effects |= effectOf(name)
		}
	}
	for _, name := range names[:plus] {
		r := of(name)
		r.adds = append(r.adds, a)
	}
	return nil
}

func triggersOf(words []string) []trigger {
	triggers := make([]trigger, len(words))
	for i, word := range words {
		triggers[i] = trigger(word)
	}
	return triggers
}

// read adds the words of a line.
func (r *row) read(words []string) error {
	r.declared = true
	single := r.flags["single"] || slices.Contains(words, "@single")
	for _, word := range words {
		var err error
		switch {
		case word[0] == '@':
			err = r.attribute(word[1:])
		case word[0] == '-' && len(word) > 1:
			r.option(word, single)
		case effectOf(word) == 0:
			err = fmt.Errorf("%q is neither an effect nor an option", word)
		default:
			r.effects |= effectOf(word)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// option adds an option, or a bundle of letters.
func (r *row) option(word string, single bool) {
	kind := bare
	name, ends := strings.CutSuffix(word, "=?")
	if ends {
		kind = optional
	} else if name, ends = strings.CutSuffix(word, "="); ends {
		kind = required
	}
	if single || strings.HasPrefix(name, "--") {
		r.options[name] = kind
		return
	}
	for _, letter := range name[1:] {
		r.options["-"+string(letter)] = kind
	}
}

var flagNames = strings.Fields("verbs target neutral single beside joined loose shell script opaque foreign lost own awk sed " +
	"loopback tests copies first jq behind asks looks into inside paths")

// attribute adds a word that begins with @.
func (r *row) attribute(word string) (err error) {
	name, value, _ := strings.Cut(word, ":")
	numbers := map[string]*int{"wrap": &r.wrap, "filter": &r.filter, "texts": &r.texts, "max": &r.max}
	lists := map[string]*[]string{"two": &r.two, "folder": &r.folder, "sql": &r.sql, "lists": &r.lists, "writes": &r.writes,
		"edits": &r.edited}
	if list := lists[name]; list != nil && value != "" {
		*list = append(*list, strings.Split(value, ",")...)
	}
	switch number := numbers[name]; {
	case number != nil:
		*number, err = strconv.Atoi(value)
	case name == "out":
		r.out += value
	case name == "module":
		r.module = value
	case name == "edits":
		r.flags[name] = true
	case lists[name] == nil && !slices.Contains(flagNames, name):
		return fmt.Errorf("@%s is no attribute", name)
	case lists[name] == nil:
		if r.flags[name] = true; name == "verbs" && r.verbs == nil {
			r.verbs = map[string]*row{}
		}
	}
	return err
}

// listing reports whether an option is one with which a program only reads, also among
// other letters.
func (r *row) listing(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	return slices.ContainsFunc(r.lists, func(known string) bool {
		return name == known || len(known) == 2 && isBundle(option) && !r.flags["single"] && strings.Contains(r.letters(option), known[1:])
	})
}

// letters are those of a bundle without the value that one of them has attached.
func (r *row) letters(bundle string) string {
	for i := 1; i < len(bundle); i++ {
		if r.options["-"+bundle[i:i+1]] > bare {
			return bundle[:i+1]
		}
	}
	return bundle
}

// program gives the row of a program, or nil. One with a version in its name has that of
// the name, unless that would make it one which only reads.
func (t *table) program(name string) *row {
	if r := t.rows[name]; r != nil {
		return r
	}
	if r := t.rows[strings.TrimRight(name, "0123456789.-")]; r != nil && !r.effects.Has(Reads) && r.verbs == nil {
		return r
	}
	return nil
}

// isGrave reports whether a program may do what a string of code is read for.
func (t *table) isGrave(name string) bool {
	return t.grave[name] || t.grave[strings.TrimRight(name, "0123456789.-")]
}

// isGrave reports whether a row, or one of its verbs, has an effect that a string of code is
// read for.
func (r *row) isGrave() bool {
	const grave = graveCode | Fetches
	return r.effects.Has(grave) || slices.ContainsFunc(r.adds, func(a add) bool { return a.effects.Has(grave) }) ||
		slices.ContainsFunc(slices.Collect(maps.Values(r.verbs)), (*row).isGrave)
}

// steering reports whether a variable steers what programs run, however it is set.
func (t *table) steering(name string) bool { return listed(t.steers, name) && !listed(t.spares, name) }

// steeringSet reports whether a variable that is set for a program steers what it runs, or
// where it gets it from. Of those that name proxies programs look at several spellings.
func (t *table) steeringSet(name string) bool {
	return (listed(t.steers, name) || listed(t.families, name)) && !listed(t.spares, name) || proxies(name)
}

func proxies(name string) bool { return strings.HasSuffix(strings.ToLower(name), "_proxy") }

// namesProxy reports whether a text has the name of such a variable in it.
func namesProxy(text string) bool {
	at := strings.IndexByte(text, '_')
	return at >= 0 && strings.Contains(strings.ToLower(text[at:]), "_proxy")
}

// listed reports whether a list of names has one, or a beginning or end of it.
func listed(names []string, name string) bool {
	return slices.ContainsFunc(names, func(known string) bool {
		if rest, ok := strings.CutSuffix(known, "*"); ok {
			return strings.HasPrefix(name, rest)
		}
		rest, ok := strings.CutPrefix(known, "*")
		return ok && strings.HasSuffix(name, rest) || name == known
	})
}

// Steers reports whether a variable that is set for a program steers what it runs.
func Steers(name string) bool { return programs().steeringSet(name) }

// Known reports whether the table has a program of this name.
func Known(name string) bool { return programs().rows[name] != nil }

// Builtin reports whether bash has a command of this name of its own.
func Builtin(name string) bool { return slices.Contains(programs().builtins, name) }

// below is the row of a verb with the options and attributes of the program.
func (r *row) below(verb string) *row {
	if joined := r.joined[verb]; joined != nil {
		return joined
	}
	return r.joined[""]
}

// join makes the rows that below gives.
func (r *row) join() {
	r.joined = map[string]*row{"": r.with("")}
	for verb := range r.verbs {
		r.joined[verb] = r.with(verb)
	}
}

func (r *row) with(verb string) *row {
	v := r.verbs[verb]
	if v == nil {
		v = newRow()
	}
	all := *v
	all.flags, all.out, all.writes = maps.Clone(v.flags), r.out+v.out, slices.Concat(r.writes, v.writes)
	for _, name := range []string{"single", "loopback", "looks", "into"} {
		if r.flags[name] {
			all.flags[name] = true
		}
	}
	all.options = make(map[string]valued, len(r.options)+len(v.options))
	maps.Copy(all.options, r.options)
	maps.Copy(all.options, v.options)
	return &all
}
