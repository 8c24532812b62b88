// Package attention knows which call each page has in view, and which it had for long enough
// to approve it: a key that was meant for something else approves nothing. A page is named by
// its face: the window, or the session of a browser.
package attention

import (
	"slices"
	"sync"
	"time"

	"sekisho/backend/permission"
)

// How long a call must have been in view, with the page in focus, before that page
// may approve it: long enough that no key meant for something else does.
const (
	armed     = 700 * time.Millisecond
	armedHigh = 1500 * time.Millisecond
)

const (
	// afterglow is how long an armed call stays so once the page looks elsewhere. The
	// longest undo is a minute.
	afterglow = 2 * time.Minute
	maxArmed  = 64 // of one face, beside the one in view
)

// Attention knows what each face has in view, and what it had long enough. It keeps
// that in memory only. It is safe for use by many goroutines.
type Attention struct {
	now  func() time.Time
	most int // faces

	mu    sync.Mutex
	faces map[string]*gaze
	haste haste
}

// gaze is the attention of one face.
type gaze struct {
	view  *glance  // nil: nothing is in view
	armed []glance // was in view long enough; oldest first
	moved time.Time
}

// glance is one call in view, as it then was.
type glance struct {
	call  permission.CallID
	rev   int64
	agent permission.AgentID
	hash  string // of server, tool and input
	risk  permission.Risk
	since time.Time
	until time.Time // of one that is not in view any more
}

// New makes an attention that has seen nothing, with its clock and how many faces it keeps.
func New(now func() time.Time, most int) *Attention {
	return &Attention{now: now, most: most, faces: map[string]*gaze{}}
}

// full reports whether a call has been in view for long enough.
func (a *Attention) full(g *glance, at time.Time) bool { return at.Sub(g.since) >= a.need(g.risk, at) }

// covers reports whether what was seen is the call, or its twin to the byte that is
// no less of a risk.
func (g *glance) covers(c *permission.Call) bool {
	if g.call == c.ID {
		return g.rev >= c.ShownRev
	}
	return g.agent == c.AgentID && g.hash == actOf(c) && g.risk.Rank() >= c.Risk.Rank()
}

// actOf names all that would be executed of a call.
func actOf(c *permission.Call) string {
	act := c.Method + " " + c.InputHash + " "
	if c.EnvelopeHash != nil {
		act += *c.EnvelopeHash
	}
	return act
}

// Report notes that a face has a call in view from now on; nil is none. What was in
// view until now stays armed if its time was full, unless it is the same call.
func (a *Attention) Report(f string, c *permission.Call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.now()
	g := a.gaze(f)
	g.moved = at
	a.look(g, c, at)
	if g.view == nil && len(g.armed) == 0 {
		delete(a.faces, f)
	}
}

func (a *Attention) look(g *gaze, c *permission.Call, at time.Time) {
	if g.view != nil && a.full(g.view, at) {
		g.view.until = at.Add(afterglow)
		g.armed = append(g.armed, *g.view)
	}
	g.view = nil
	g.armed = slices.DeleteFunc(g.armed, func(old glance) bool {
		return !at.Before(old.until) || c != nil && old.call == c.ID
	})
	if over := len(g.armed) - maxArmed; over > 0 {
		g.armed = slices.Delete(g.armed, 0, over)
	}
	if c != nil {
		g.view = &glance{call: c.ID, rev: c.Rev, agent: c.AgentID, hash: actOf(c), risk: c.Risk, since: at}
	}
}

// gaze gives the record of a face. Past the limit, the face that has said nothing for
// the longest time is forgotten: its session is over.
func (a *Attention) gaze(f string) *gaze {
	if g := a.faces[f]; g != nil {
		return g
	}
	if len(a.faces) >= a.most {
		oldest := f
		for other, g := range a.faces {
			if oldest == f || g.moved.Before(a.faces[oldest].moved) {
				oldest = other
			}
		}
		delete(a.faces, oldest)
	}
	g := &gaze{}
	a.faces[f] = g
	return g
}

// Arms reports whether a face has seen a call, as it is now, for long enough.
func (a *Attention) Arms(f string, c *permission.Call) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	g, at := a.faces[f], a.now()
	if g == nil {
		return false
	}
	if g.view != nil && a.full(g.view, at) && g.view.covers(c) {
		return true
	}
	return slices.ContainsFunc(g.armed, func(old glance) bool { return at.Before(old.until) && old.covers(c) })
}
