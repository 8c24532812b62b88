package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sekisho/backend/permission"
)

// disputes are the rows that read other than the journal says. They become fewer by what
// a person settles, and by nothing else: a row in dispute is not written; see account.
type disputes struct {
	mu   sync.Mutex
	list []permission.Difference
	said string
}

func (d *disputes) open(list []permission.Difference) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list, d.said = list, inDispute(list)
}

// rowName names a row, of whichever set.
type rowName struct{ set, key string }

func nameOf(d permission.Difference) rowName { return rowName{d.Set, d.Key} }

// committed takes out what a job has settled, and takes in what it made of other versions.
func (d *disputes) committed(settling bool, settled []undo, moved []permission.Difference) {
	if !settling && len(moved) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if settling {
		names := make(map[rowName]bool, len(settled))
		for _, u := range settled {
			names[rowName{u.set, u.key}] = true
		}
		d.list = slices.DeleteFunc(d.list, func(p permission.Difference) bool { return names[nameOf(p)] })
	}
	for _, m := range moved {
		if i := slices.IndexFunc(d.list, func(p permission.Difference) bool { return nameOf(p) == nameOf(m) }); i >= 0 {
			d.list[i] = m
		}
	}
	d.said = inDispute(d.list)
}

// find gives the difference about a row.
func (d *disputes) find(name rowName) (found permission.Difference, disputed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.list, func(p permission.Difference) bool { return nameOf(p) == name })
	if i < 0 {
		return found, false
	}
	return d.list[i], true
}

// any reports whether there are some.
func (d *disputes) any() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.list) > 0
}

// unsound reports whether what the journal says of the sets is in dispute itself.
func (d *disputes) unsound() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.list, unsoundAt)
}

func unsoundAt(d permission.Difference) bool {
	return d.Set == permission.SetJournal && d.Key != permission.JournalNameKey
}

// distrust takes in that an entry of the journal is not to be believed.
func (d *disputes) distrust(seq int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.ContainsFunc(d.list, unsoundAt) {
		d.list = slices.Insert(d.list, 0, newDifference(permission.SetJournal, strconv.FormatInt(seq, 10), nil, nil))
	}
	d.said = inDispute(d.list)
}

func (d *disputes) each(visit func(permission.Difference)) {
	for _, p := range d.all() {
		visit(p)
	}
}

func (d *disputes) all() []permission.Difference {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.list)
}

func (d *disputes) words() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.said
}

var rowWords = map[string]string{"agents": "agent", "grants": "grant", "rules": "rule", "servers": "server", "settings": "settings",
	"tools": "tool", "projects": "project", "sessions": "session", "executors": "executor"}

// inDispute names the first difference and counts the others.
func inDispute(list []permission.Difference) string {
	if len(list) == 0 {
		return ""
	}
	d, more := list[0], ""
	if n := len(list) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	const until = ": nothing is allowed without asking until a person has picked one of the versions"
	switch {
	case unsoundAt(d):
		return "what the journal says of the rules and the other sets is damaged, or not signed by its key (entry " + d.Key + ")" + more + until
	case d.Set == permission.SetJournal:
		return "the name of the journal is lost or another than it was" + more + until
	}
	return fmt.Sprintf("the stored %s %.100q is not as the journal says that it was left (%s)%s%s", rowWords[d.Set], d.Key, versions(d), more,
		until)
}

// versions says in which columns two versions of a row differ.
func versions(d permission.Difference) string {
	var journal, table map[string]json.RawMessage
	_, _ = json.Unmarshal(d.Journal, &journal), json.Unmarshal(d.Table, &table) // null is a row that is not there
	switch {
	case journal == nil:
		return "the journal knows of none"
	case table == nil:
		return "it is missing"
	}
	var differ []string
	for _, column := range slices.Sorted(maps.Keys(journal)) {
		if string(journal[column]) != string(table[column]) {
			said, is := around(journal[column], table[column])
			differ = append(differ, fmt.Sprintf("%s: %s in the journal, %s in the table", column, said, is))
		}
	}
	return strings.Join(differ[:min(len(differ), 3)], "; ")
}

// Bounds of what is told of two texts that differ, in letters.
const (
	toldBefore = 60 // before the first that differs
	toldAfter  = 140
)

// around gives the parts of two texts where they first differ.
func around(a, b json.RawMessage) (string, string) {
	x, y := []rune(cmp.Or(string(a), "none")), []rune(cmp.Or(string(b), "none"))
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	return extract(x, same), extract(y, same)
}

// extract is what is told of a text that differs from a place on.
func extract(text []rune, from int) string {
	if len(text) <= toldBefore+toldAfter {
		return string(text)
	}
	begin, end, before, after := max(from-toldBefore, 0), min(from+toldAfter, len(text)), "…", "…"
	if begin == 0 {
		before = ""
	}
	if end == len(text) {
		after = ""
	}
	return before + string(text[begin:end]) + after
}

// newDifference names two versions of a row; nil is none.
func newDifference(set, key string, journal, table json.RawMessage) permission.Difference {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s", set, key, journal, table))
	return permission.Difference{ID: hex.EncodeToString(sum[:16]), Set: set, Key: key, Journal: journal, Table: table}
}
