package desk

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// PolicyStore keeps rules, settings and grants, and forgets what the settings do not keep.
// damaged describes rows of rules that were left out; what is saved gives the policy a new
// version.
type PolicyStore interface {
	Rules(ctx context.Context) (rules []permission.Rule, version int64, damaged []permission.DamagedRule, err error)
	Rule(ctx context.Context, id permission.RuleID) (permission.Rule, error)
	ChangeRules(ctx context.Context, c permission.RuleChange) (version int64, err error)

	Settings(ctx context.Context) (permission.Settings, error)
	SaveSettings(ctx context.Context, of permission.Versions, s permission.Settings,
		e permission.Entry) (after permission.Versions, err error)
	// Hold is SaveSettings for a hold or its end alone, which is kept also where the stored
	// settings are in dispute.
	Hold(ctx context.Context, of permission.Versions, s permission.Settings, e permission.Entry) (after permission.Versions, err error)
	TrimJournal(ctx context.Context, before permission.Time, maxBytes int64) (removed int64, err error)
	WipeInputs(ctx context.Context, before permission.Time, ids []permission.CallID) (wiped int64, err error)

	Grants(ctx context.Context, at permission.Time) ([]permission.Grant, error)
	// EndGrant takes a grant back, and by the template what it approved and nobody
	// has claimed.
	EndGrant(ctx context.Context, id permission.GrantID, revoke permission.Transition) ([]permission.Call, error)
}

// CountStore knows what was allowed lately, by itself. What it says a moment before a call is
// kept is only what a judge is told: the store holds the call against it again, in the
// transaction that keeps the call, and answers permission.ErrSpent.
type CountStore interface {
	// Full reports whether a rule has allowed as many calls as its limit says, before a time.
	Full(rule permission.RuleID, limit permission.Limit, at permission.Time) bool
	// Braked gives the brake where the same call was allowed as often as it says, before a
	// time; nil is none.
	Braked(c *permission.Call, at permission.Time) *permission.Limit
	// SetBrake says what the brake is; nil is none. What was allowed lately counts.
	SetBrake(ctx context.Context, limit *permission.Limit) error
}

// Policy is what decides: rules, settings and grants, and what is said of rules before
// they are saved. Its fields from plain on are those of whoever has the turn.
type Policy struct {
	store     PolicyStore
	calls     PastStore
	state     StateStore
	counts    CountStore
	opts      Options
	catalogue *Catalogue
	edited    func(ctx context.Context, id permission.RuleID) (matches int, err error) // holds what waits against the rules
	turn      *turn

	rules    cached[policy.Set] // what decides now, hold included
	settings cached[permission.Settings]
	unsure   atomic.Pointer[permission.Explanation] // what is damaged; see Trouble

	looking sync.Mutex // a leaf, guards past
	past    history

	plain  *policy.Set // the rules without doubt and hold
	unread bool        // plain is not what is stored, which could not be read

	doubt  permission.Explanation // why no rule may allow: a guard is missing
	absent permission.Explanation // which allow rule is missing
	unset  permission.Explanation // why the settings are not those that were kept
}

func newPolicy(s Stores, opts Options, turn *turn, c *Catalogue) *Policy {
	d := &Policy{store: s.Policy, calls: s.Past, state: s.State, counts: s.Counts, opts: opts, turn: turn, catalogue: c}
	d.settings.read, d.rules.read = d.readSettings, d.compile
	turn.copies[permission.OfSettings], turn.copies[permission.OfPolicy] = &d.settings, &d.rules
	return d
}

// compile makes the stored rules what decides, as of a version that was read before. A
// damaged row never allows; one that may have been a guard keeps all others from it.
func (d *Policy) compile(ctx context.Context, version int64) (*policy.Set, error) {
	rules, _, damaged, err := d.store.Rules(ctx)
	if err != nil {
		// What decided until now may be what was just forbidden: ask for everything.
		d.plain, d.unread = policy.Compile(nil, 0).Reading(permission.Reads{}), true
		d.absent = permission.Explanation{}
		d.doubt = permission.Explanation{Code: permission.ReasonRulesUnread,
			Reason: "the stored rules could not be read: until they are, nothing is allowed without asking"}
		return d.deciding(), err
	}
	d.plain, d.unread = policy.Compile(rules, version).Reading(d.settings.Load().Reads), false
	d.doubt, d.absent = permission.Explanation{}, permission.Explanation{}
	for _, row := range damaged {
		d.opts.Logger.Warn("a damaged rule was left out", "rule", row.Row)
		d.absent = permission.Explanation{Code: permission.ReasonRuleDamaged, Params: permission.Param("row", row.Row),
			Reason: "a stored rule is damaged (" + row.Row + "): it allows nothing until it is replaced or deleted"}
		if row.Guard {
			d.doubt = permission.Explanation{Code: permission.ReasonGuardDamaged, Params: permission.Param("row", row.Row),
				Reason: "a stored rule is damaged (" + row.Row + "): until it is replaced or deleted, nothing is allowed without asking"}
		}
	}
	return d.deciding(), nil
}

// inForce are the rules that decide: in trouble with the disk they allow nothing, since
// what is allowed could not be kept. Where the time is not believed, guards do not end.
func (d *Policy) inForce() *policy.Set {
	set := d.rules.Load()
	if d.state.Ahead() != "" {
		set = set.GuardsLasting()
	}
	if words := d.state.Trouble(); words != "" {
		return set.Doubting(permission.Explanation{Code: permission.ReasonStoreTrouble, Params: permission.Param("detail", words), Reason: words})
	}
	if disputed := d.disputed(); disputed.Reason != "" {
		return set.Doubting(cmp.Or(*d.unsure.Load(), disputed))
	}
	return set
}

// disputed says that rows read other than the journal says, or nothing.
func (d *Policy) disputed() permission.Explanation {
	words := d.state.Disputed()
	if words == "" {
		return permission.Explanation{}
	}
	var params permission.Params
	if list := d.state.Differences(); len(list) > 0 {
		params = permission.Param("set", list[0].Set).With(permission.Param("key", list[0].Key)).With(permission.Param("more", len(list)-1))
	}
	return permission.Explanation{Code: permission.ReasonStateDisputed, Params: params, Reason: words}
}

// held reports whether nothing may be allowed without asking, by a grant neither.
func (d *Policy) held() bool { return d.settings.Load().Hold || d.state.Disputed() != "" }

// Trouble says what is not as it was kept, and what that means, or "": the disk, a rule or
// the settings. Until it is mended everything asks, but for a damaged allow rule, which is
// left out alone, and for a time that is not believed.
func (d *Policy) Trouble() string {
	if words := d.state.Trouble(); words != "" {
		return words
	}
	return cmp.Or(d.unsure.Load().Reason, d.state.Disputed(), d.state.Ahead())
}

// holding says that the desk is on hold.
func holding() permission.Explanation {
	return permission.Explanation{Code: permission.ReasonHold, Reason: "the desk is on hold: nothing is allowed without asking"}
}

// publish makes the rules, and what keeps them from allowing, decide.
func (d *Policy) publish() { d.rules.put(d.deciding(), d.plain.Version()) }

// deciding are the rules with what keeps them from allowing.
func (d *Policy) deciding() *policy.Set {
	set := d.plain.Withholding(d.catalogue.withhold).Counting(d.counts.Full)
	if d.doubt.Reason != "" {
		set = set.Doubting(d.doubt)
	}
	if d.settings.Load().Hold {
		set = set.Doubting(holding())
	}
	unsure := cmp.Or(d.doubt, d.unset, d.absent)
	d.unsure.Store(&unsure)
	return set
}

// refresh waits for the edit that overtook what was made under a version of the rules, and
// makes sure that it is what decides now.
func (d *Policy) refresh(ctx context.Context, outdated int64) error {
	d.turn.Lock()
	defer d.turn.Unlock()
	if d.rules.Load().Version() != outdated {
		return nil
	}
	return d.turn.reload(ctx, false)
}

// moveOn takes over the version that the policy has after an edit of settings, tools or
// servers; 0 is the one that it had. The turn is the caller's.
func (d *Policy) moveOn(version int64) {
	if d.unread {
		_ = d.turn.reload(context.Background(), false) // its doubt says that the rules are still not read
		return
	}
	if version != 0 && version != d.plain.Version() {
		d.plain = d.plain.Edit(nil, nil, version)
		d.publish()
	}
}
