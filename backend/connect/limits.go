package connect

import (
	"strconv"
	"time"

	"sekisho/backend/conftext"
)

// longest is how long the desk keeps a client waiting that stays, and usual how long Codex
// waits for a server to start, in seconds.
const (
	longest = 3600
	usual   = 10
)

// short reports whether the client would end a call of an entry before the desk does.
func (d dialect) short(e *conftext.Entry) bool {
	written, _ := e.Value[d.limit].(conftext.Literal)
	seconds, err := strconv.ParseFloat(string(written), 64)
	return d.limit != "" && (e.Value[d.limit] == nil || err == nil && seconds < longest)
}

// slow gives how many seconds a client should wait for a server to start that takes about as
// long as it waits, or longer; else 0. Behind the desk a start takes somewhat longer.
func (d dialect) slow(e *conftext.Entry, took time.Duration) int {
	limit := float64(usual)
	if written, ok := e.Value[d.startLimit].(conftext.Literal); ok {
		limit, _ = strconv.ParseFloat(string(written), 64)
	}
	if d.startLimit == "" || e.Value["startup_timeout_ms"] != nil || 2*took.Seconds() < limit {
		return 0
	}
	return int(3*took.Seconds()) + usual
}

// raise gives the changes that raise the client's limits in an entry, behind its command or
// its arguments. took is how long its server takes to start, 0 where that is not known.
func (d dialect) raise(e *conftext.Entry, command string, took time.Duration) (all []conftext.Change) {
	limit := func(field string, seconds int) {
		raised := conftext.Change{Field: field, Raw: strconv.Itoa(seconds)}
		if _, there := e.Value[field]; !there {
			raised.After = command
			if _, there := e.Value["args"]; there {
				raised.After = "args"
			}
		}
		all = append(all, raised)
	}
	if d.short(e) {
		limit(d.limit, longest)
	}
	if seconds := d.slow(e, took); seconds > 0 {
		limit(d.startLimit, seconds)
	}
	return all
}
