package desk

import (
	"context"
	"maps"
	"time"

	"sekisho/backend/permission"
)

// readSettings reads what a person set. Settings that cannot be read are no reason
// to stay closed, but to ask for everything.
func (d *Policy) readSettings(ctx context.Context, _ int64) (*permission.Settings, error) {
	d.unset = permission.Explanation{}
	s, err := d.store.Settings(ctx)
	if err != nil {
		d.opts.Logger.Error("the settings cannot be read: the desk is on hold", "error", err)
		d.unset = permission.Explanation{Code: permission.ReasonSettingsDamaged,
			Reason: "the stored settings are damaged: nothing is allowed without asking until a version of them is picked " +
				"or they are saved anew, and the hold is ended"}
		s = permission.DefaultSettings()
		s.Hold = true
	}
	return &s, d.counts.SetBrake(ctx, s.Brake)
}

// Settings gives them as they are. Whoever heard of a change gets the changed ones:
// an edit is told of before it is in force, and is waited for.
func (d *Policy) Settings(context.Context) (permission.Settings, error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	return copied(d.settings.Load()), nil
}

// InputMembers is how many members and elements one input may have now.
func (d *Policy) InputMembers() int { return int(d.settings.Load().Limits.InputMembers) }

// ChangeSettings lets change edit a copy, and keeps it when it is valid. Holding is
// not changed by this: see Hold.
func (d *Policy) ChangeSettings(ctx context.Context, change func(*permission.Settings) error) (permission.Settings, error) {
	return d.saveSettings(ctx, d.store.SaveSettings, func(next *permission.Settings) error {
		hold := next.Hold
		if err := change(next); err != nil {
			return err
		}
		next.Hold = hold
		return next.Valid()
	})
}

// Hold says whether nothing is allowed without asking, until it is said otherwise.
func (d *Policy) Hold(ctx context.Context, on bool) error {
	_, err := d.saveSettings(ctx, d.store.Hold, func(next *permission.Settings) error {
		next.Hold = on
		return nil
	})
	return err
}

// OnHold reports whether a person holds everything.
func (d *Policy) OnHold() bool { return d.settings.Load().Hold }

func (d *Policy) saveSettings(ctx context.Context,
	save func(context.Context, permission.Versions, permission.Settings, permission.Entry) (permission.Versions, error),
	change func(*permission.Settings) error) (next permission.Settings, err error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	err = d.turn.edit(ctx, func() error {
		next = copied(d.settings.Load())
		if err := change(&next); err != nil {
			return err
		}
		v, err := save(ctx, d.turn.of(permission.OfSettings, permission.OfPolicy), next, permission.Entry{At: d.state.Now(),
			Kind: permission.SettingsChanged, Actor: permission.ActorPerson, Data: permission.Data(map[string]any{"settings": next})})
		if err != nil {
			return told("save settings", err)
		}
		return told("save settings", d.set(ctx, next, v))
	})
	return next, err
}

// set makes settings that the store has those in force. The turn is the caller's.
func (d *Policy) set(ctx context.Context, next permission.Settings, v permission.Versions) (err error) {
	if !next.Brake.Same(d.settings.Load().Brake) {
		err = d.counts.SetBrake(context.WithoutCancel(ctx), next.Brake)
	}
	d.settings.put(&next, v[permission.OfSettings])
	if d.state.Disputed() == "" {
		d.unset = permission.Explanation{}
	}
	if !d.unread {
		d.plain = d.plain.Reading(next.Reads)
	}
	d.moveOn(v[permission.OfPolicy])
	return err
}

func copied(s *permission.Settings) permission.Settings {
	c := *s
	c.Brake, c.Patience = s.Brake.Copy(), maps.Clone(s.Patience)
	for _, p := range []**float64{&c.Deadlines.Low, &c.Deadlines.Medium, &c.Deadlines.High} {
		if *p != nil {
			seconds := **p
			*p = &seconds
		}
	}
	return c
}

// Retain forgets what the settings do not keep: nothing where the time is not to be
// believed.
func (d *Policy) Retain(ctx context.Context) error {
	r := d.settings.Load().Retention
	if d.state.Ahead() != "" {
		return nil
	}
	before := func(days int64) permission.Time {
		if days == 0 {
			return 0
		}
		return d.state.Now().Add(-time.Duration(days) * 24 * time.Hour)
	}
	if r.InputDays > 0 {
		if _, err := d.store.WipeInputs(ctx, before(r.InputDays), nil); err != nil {
			return told("wipe inputs", err)
		}
	}
	if r.JournalDays > 0 || r.JournalMegabytes > 0 {
		if _, err := d.store.TrimJournal(ctx, before(r.JournalDays), r.JournalMegabytes<<20); err != nil {
			return told("trim journal", err)
		}
	}
	return nil
}

// ClientPatience is how long a person set that a client of this name waits; false when
// nothing was set.
func (d *Policy) ClientPatience(name string) (time.Duration, bool) {
	seconds, ok := d.settings.Load().Patience[name]
	return time.Duration(seconds) * time.Second, ok
}

// Unanswered is what becomes of a call of an agent program's hook that nobody answers in time.
func (d *Policy) Unanswered() permission.Unanswered { return d.settings.Load().Hooks.Unanswered }
