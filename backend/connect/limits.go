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
	written, _ := e.Value[d.limit.field].(conftext.Literal)
	limit, err := strconv.ParseFloat(string(written), 64)
	return d.limit.field != "" && (e.Value[d.limit.field] == nil && d.limit.bare || err == nil && limit < float64(longest*d.limit.second))
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
	set := func(field string, value int) {
		raised := conftext.Change{Field: field, Raw: strconv.Itoa(value)}
		if _, there := e.Value[field]; !there {
			raised.After = command
			if _, there := e.Value["args"]; there {
				raised.After = "args"
			}
		}
		all = append(all, raised)
	}
	if d.short(e) {
		set(d.limit.field, longest*d.limit.second)
	}
	if seconds := d.slow(e, took); seconds > 0 {
		set(d.startLimit, seconds)
	}
	return all
}
