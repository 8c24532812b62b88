package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/restclient"
)

// typed takes a line of the person.
func (w *watch) typed(ctx context.Context, typed typedLine) error {
	line := typed.text
	word, rest, _ := strings.Cut(line, " ")
	word, rest = strings.ToLower(word), strings.TrimSpace(rest)
	if w.on == nil {
		return w.typedIdle(ctx, word)
	}
	if typed.at.Before(w.on.armed) { // whenever it comes to be looked at
		if err := w.say("That was typed before this call could be read, and is not taken.\n"); err != nil {
			return err
		}
		return w.prompt()
	}
	if takes := w.on.takes; takes != nil {
		w.on.takes = nil
		return takes(ctx, line)
	}
	switch word {
	case "":
		w.later[w.on.call.ID] = w.on.call.Rev
		return w.next(ctx)
	case "y", "yes":
		if rest != "" {
			break // more than a yes: it may be the rest of something else
		}
		return w.approve(ctx, permission.ScopeOnce, 0)
	case "n", "no":
		if rest != "" {
			return w.decline(ctx, rest)
		}
		w.on.takes = w.decline
		return w.say("Why not? It is told to the agent (Enter: no reason) > ")
	case "w", "wider":
		return w.wider()
	case "s", "show":
		w.on.shown = 0
		return w.page(ctx, "")
	}
	if err := w.say("%q is none of y, n, w, s, Enter and q.\n", Visible(line)); err != nil {
		return err
	}
	return w.prompt()
}

// typedIdle takes a line while no call is on the screen.
func (w *watch) typedIdle(ctx context.Context, word string) error {
	if word == "l" {
		clear(w.later)
		return w.next(ctx)
	}
	return w.say("Nothing is asked. (l shows again what was put aside, q leaves)\n")
}

// page shows the next page of the whole.
func (w *watch) page(ctx context.Context, line string) error {
	if strings.EqualFold(line, "q") {
		return w.prompt()
	}
	if err := w.print(rows(w.out) - 2); err != nil {
		return err
	}
	if w.on.whole() {
		return w.prompt()
	}
	w.on.takes = w.page
	return w.say("… %s more. Enter: go on, q: stop reading > ", Count(len(w.on.text)-w.on.shown, "line", "lines"))
}

// wider asks how far a yes shall reach.
func (w *watch) wider() error {
	covers := w.on.call.Covers
	if covers == nil {
		if err := w.say("This call is answered by itself only.\n"); err != nil {
			return err
		}
		return w.prompt()
	}
	if !w.on.whole() {
		return w.unread()
	}
	text := "A wider yes lets pass, until the session ends or for as long as you say (such as k 30m):\n"
	if covers.Class != nil {
		text += "  k  " + Visible(covers.Class.Text) + "\n"
	}
	if covers.Session != nil {
		text += "  a  " + Visible(covers.Session.Text) + "\n"
	}
	w.on.takes = w.widened
	return w.say("%s", folded(text+"Which? (Enter: none) > ", columns(w.out)))
}

func (w *watch) widened(ctx context.Context, line string) error {
	word, lasts, _ := strings.Cut(strings.ToLower(line), " ")
	var scope permission.Scope
	switch covers := w.on.call.Covers; {
	case word == "k" && covers.Class != nil:
		scope = permission.ScopeClass
	case word == "a" && covers.Session != nil:
		scope = permission.ScopeSession
	default:
		return w.prompt()
	}
	var d time.Duration
	if lasts = strings.TrimSpace(lasts); lasts != "" {
		var err error
		if d, err = time.ParseDuration(lasts); err != nil {
			err = fmt.Errorf("%q is no length of time: say it as 90s, 30m or 2h", Visible(lasts))
		} else {
			err = lasting(d)
		}
		if err != nil {
			if err := w.say("Nothing is decided: %v.\n", err); err != nil {
				return err
			}
			return w.prompt()
		}
	}
	return w.approve(ctx, scope, d)
}

func (w *watch) unread() error {
	if err := w.say("Not all of it was shown: s shows the rest.\n"); err != nil {
		return err
	}
	return w.prompt()
}

func (w *watch) approve(ctx context.Context, scope permission.Scope, lasts time.Duration) error {
	if !w.on.whole() {
		return w.unread()
	}
	return w.answer(ctx, restclient.Answer{Approved: true, Scope: scope, ForSeconds: lasts.Seconds()})
}

func (w *watch) decline(ctx context.Context, reason string) error {
	return w.answer(ctx, restclient.Answer{Reason: reason})
}

// answer sends what was said, to what was shown.
func (w *watch) answer(ctx context.Context, a restclient.Answer) error {
	a.InputHash, a.Rev = w.on.call.InputHash, w.on.call.Rev
	d, err := w.desk.Decide(ctx, w.on.call.ID, a)
	var p *restclient.Problem
	switch {
	case err == nil:
		if err := said(w.out, d); err != nil {
			return err
		}
		return w.next(ctx)
	case errors.As(err, &p) && p.Code == permission.CodeStale:
		if err := w.say("Nothing is decided: it has changed since it was shown. This is how it stands now.\n"); err != nil {
			return err
		}
		return w.show(ctx, w.on.call.ID)
	case errors.As(err, &p):
		if err := w.say("Nothing is decided: %s\n", Visible(p.Error())); err != nil {
			return err
		}
		if p.Call == nil || p.Call.Status == permission.Pending {
			return w.prompt()
		}
		return w.next(ctx)
	}
	if err := w.failed(ctx, err); err != nil {
		return err
	}
	return w.say("Whether that was decided is not known: the call is shown again if it still waits.\n")
}
