package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// missing is the status of a check that a run did not come to.
const missing = "missing"

// difference is a check that came out otherwise behind the desk.
type difference struct {
	name         string
	bare, behind string // statuses
	message      string // what the suite says of the run behind the desk
}

// worse reports whether the desk is at fault: what the bare server passes must pass
// behind it, and nothing may fail there that did not fail before. Warnings and
// remarks may come and go.
func (d difference) worse() bool {
	if d.bare == success {
		return true
	}
	return d.behind == failure
}

// differences compares two runs check by check, in the order of their names.
func differences(bare, behind outcome) (all []difference) {
	names := map[string]bool{}
	for _, o := range []outcome{bare, behind} {
		for name := range o {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		d := difference{name, bare.status(name), behind.status(name), behind[name].ErrorMessage}
		if d.bare != d.behind {
			all = append(all, d)
		}
	}
	return all
}

func (o outcome) status(name string) string {
	if c, ok := o[name]; ok {
		return c.Status
	}
	return missing
}

// tell prints what differs and reports whether nothing is worse.
func tell(out io.Writer, bare, behind outcome) bool {
	same := true
	for _, d := range differences(bare, behind) {
		fmt.Fprintln(out, " ", d)
		same = same && !d.worse()
	}
	return same
}

// maxMessage is how much of a message is shown: a broken schema is told at length,
// and once for each message.
const maxMessage = 300

func (d difference) String() string {
	mark, text := "", ""
	if d.worse() {
		mark = "WORSE "
	}
	if first, _, _ := strings.Cut(d.message, "\n"); first != "" {
		text = fmt.Sprintf(": %.*s", maxMessage, first)
	}
	return fmt.Sprintf("%s%s: bare %s, behind the desk %s%s", mark, d.name, d.bare, d.behind, text)
}
