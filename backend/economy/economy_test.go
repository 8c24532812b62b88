package economy

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEconomy holds the goals: how often a person is asked once the rules that the dialog
// offered first were taken, against no rules and against rules of exact strings.
func TestEconomy(t *testing.T) {
	if os.Getenv("SEKISHO_ECONOMY") == "" {
		t.Skip("make economy: minutes of work")
	}
	results := make([]result, len(recordings))
	t.Run("recordings", func(t *testing.T) {
		for i, name := range recordings {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				results[i] = measure(t, name, record(t, name))
			})
		}
	})
	if t.Failed() {
		return
	}
	for _, r := range results {
		fmt.Print(r.details())
	}
	fmt.Print(heading)
	for _, r := range results {
		fmt.Print(r.table())
		r.safe(t)
		r.goals(t)
	}
}

// TestSample is the beginning of one recording: what is learned is not asked again, and lets
// no dangerous call pass.
func TestSample(t *testing.T) {
	w := firstRule(t, record(t, "coding")[:120])
	if w.rules == 0 || w.same.asked >= w.learning.asked || w.unseen.asked >= w.before.asked || len(w.dangerous()) > 0 {
		t.Errorf("%d rules; asked %d times while learning, %d of the same half again, %d of the other half and %d without rules; passed: %v",
			w.rules, w.learning.asked, w.same.asked, w.unseen.asked, w.before.asked, w.dangerous())
	}
}

// tally counts one pass over some calls.
type tally struct {
	calls, asked int
	passed       []passed           // dangerous calls that nobody was asked about
	kinds        map[string][]*call // what a desk asked about
}

// passed is a dangerous call, and what let it pass.
type passed struct {
	call *call
	by   string
}

// rate is the questions per 100 calls.
func (t tally) rate() float64 { return 100 * float64(t.asked) / float64(t.calls) }

// way is a manner of not being asked again, as it was replayed. Of days, in which every other
// session was learned, the other sessions are counted.
type way struct {
	name                                 string
	rules                                int
	before, learning, same, unseen, days tally
}

// dangerous are all dangerous calls that passed, in whichever pass.
func (w *way) dangerous() []passed {
	return slices.Concat(w.before.passed, w.learning.passed, w.same.passed, w.unseen.passed, w.days.passed)
}

// result is one recording, replayed in every way: first those of the product, then others'.
type result struct {
	name         string
	calls        []call
	ours, others []way
}

func measure(t *testing.T, name string, calls []call) result {
	first := firstRule(t, calls)
	first.days = otherSessions(t, calls)
	r := result{name: name, calls: calls, ours: []way{first, thisKind(t, calls), suggestions(t, calls)}}
	for _, n := range notebooks {
		r.others = append(r.others, n.measure(calls))
	}
	return r
}

func (n notebook) measure(calls []call) way {
	learned, unseen := alternate(calls)
	w, rules := way{name: n.name}, map[string]bool{}
	w.before = n.replay(rules, unseen, false)
	w.learning = n.replay(rules, learned, true)
	w.rules = len(rules)
	w.same, w.unseen = n.replay(rules, learned, false), n.replay(rules, unseen, false)
	learned, unseen = sessions(calls)
	rules = map[string]bool{}
	n.replay(rules, learned, true)
	w.days = n.replay(rules, unseen, false)
	return w
}

// yes is how a person who answers sensibly approves what is harmless: how far it reaches, and
// whether the rule is made that the dialog offers first. What is dangerous is declined.
type yes struct {
	scope string
	rule  bool
}

// firstRule is the way that the goals are about.
func firstRule(t *testing.T, calls []call) way {
	learned, unseen := alternate(calls)
	d := newDesk(t)
	w := way{name: "first rule", before: d.count(unseen)}
	w.learning = d.work("learning", learned, yes{"once", true})
	w.rules, w.same, w.unseen = len(d.rules), d.count(learned), d.count(unseen)
	return w
}

// otherSessions is firstRule with the harder cut.
func otherSessions(t *testing.T, calls []call) tally {
	learned, unseen := sessions(calls)
	d := newDesk(t)
	d.work("learning", learned, yes{"once", true})
	return d.count(unseen)
}

// thisKind is firstRule where each yes is for this kind too, until its session ends. Without
// rules such answers stand alone.
func thisKind(t *testing.T, calls []call) way {
	learned, unseen := alternate(calls)
	d, kind := newDesk(t), yes{"class", false}
	w := way{name: "first rule and this kind", before: newDesk(t).work("without", unseen, kind)}
	w.learning = d.work("learning", learned, yes{"class", true})
	w.rules, w.same, w.unseen = len(d.rules), d.work("same", learned, kind), d.work("unseen", unseen, kind)
	return w
}

// suggestions is a day of plain answers; in its evening every rule is made that is suggested.
func suggestions(t *testing.T, calls []call) way {
	learned, unseen := alternate(calls)
	d := newDesk(t)
	w := way{name: "suggestions in the evening", before: d.count(unseen)}
	w.learning = d.work("learning", learned, yes{"once", false})
	for offered := d.suggested(); len(offered) > 0; offered = d.suggested() {
		d.keep(offered[0])
	}
	w.rules, w.same, w.unseen = len(d.rules), d.count(learned), d.count(unseen)
	return w
}

// count is what would be asked by the rules that are there.
func (d *fresh) count(calls []call) tally {
	t := tally{calls: len(calls), kinds: map[string][]*call{}}
	for i := range calls {
		c := &calls[i]
		switch v := d.evaluate(c); {
		case v.Decision == "deny" && c.Danger:
		case v.Decision != "allow":
			t.ask(v, c)
		case c.Danger:
			t.passed = append(t.passed, passed{c, d.why(v)})
		}
	}
	return t
}

// work is one day of an agent beside the person.
func (d *fresh) work(day string, calls []call, how yes) tally {
	t := tally{calls: len(calls), kinds: map[string][]*call{}}
	for i := range calls {
		c := &calls[i]
		a := d.ask(day, c)
		switch {
		case a.Status == "approved":
			if c.Danger {
				t.passed = append(t.passed, passed{c, a.Decision.By + ": " + d.why(d.evaluate(c))})
			}
			d.run(a)
		case a.Status != "pending" && c.Danger: // a rule denies it
		case a.Status != "pending":
			d.Fatalf("%s %s stands %s", c.name(), c.Input, a.Status)
		case c.Danger:
			t.ask(d.evaluate(c), c)
			d.decide(a, false, "once")
		default:
			t.ask(d.evaluate(c), c)
			d.approve(a, how)
		}
	}
	return t
}

// approve says yes, and makes the rule that was offered first.
func (d *fresh) approve(a asked, how yes) {
	var offered map[string]any
	if how.rule {
		offered = d.first(a)
	}
	d.decide(a, true, how.scope)
	d.run(a)
	if offered != nil {
		d.keep(offered)
	}
}

func (t *tally) ask(v verdict, c *call) {
	t.asked++
	kind := kindOf(v, c)
	if c.Danger {
		kind = "danger: " + kind
	}
	t.kinds[kind] = append(t.kinds[kind], c)
}

// kindOf names what is asked about: the parts of a line that no rule allows, or the tool.
func kindOf(v verdict, c *call) string {
	var names []string
	for _, p := range v.Parts {
		if p.Decision != "allow" && !slices.Contains(names, p.Name) {
			names = append(names, cmp.Or(p.Name, "?"))
		}
	}
	code := ""
	if len(v.RiskReasons) > 0 {
		code = v.RiskReasons[0].Code
	}
	what := strings.Join(names, " + ")
	if what == "" {
		what = c.name()
	}
	return fmt.Sprintf("%s (%s %s)", what, v.Risk, code)
}

// why names the rules that let a call pass.
func (d *fresh) why(v verdict) string {
	said := []string{v.Risk}
	for _, p := range v.Parts {
		if p.Rule != nil {
			said = append(said, fmt.Sprintf("%s: %v", p.Name, d.rules[p.Rule.ID]))
		}
	}
	if v.Rule != nil && len(said) == 1 {
		said = append(said, fmt.Sprint(d.rules[v.Rule.ID]))
	}
	return strings.Join(said, "; ")
}

// safe fails where a dangerous call passed.
func (r *result) safe(t *testing.T) {
	for _, w := range r.ours {
		if n := len(w.dangerous()); n > 0 {
			t.Errorf("%s, %s: %d dangerous calls passed", r.name, w.name, n)
		}
	}
}

// goals fails where the first rule saves less than it should.
func (r *result) goals(t *testing.T) {
	first, exact := r.ours[0], r.others[0]
	for _, g := range []struct {
		what      string
		got, most float64
	}{
		{"the same half again", first.same.rate(), first.before.rate() / 6},
		{"the unseen half", first.unseen.rate(), first.before.rate() / 3},
		{"the unseen half against exact strings", first.unseen.rate(), exact.unseen.rate() / 2},
	} {
		if g.got > g.most {
			t.Errorf("%s: %s asks %.1f times per 100 calls, the goal is %.1f", r.name, g.what, g.got, g.most)
		}
	}
}

const heading = "questions per 100 calls            without  learning      same    unseen  other sessions    passed     rules\n"

// table prints how often each way asks, and how many dangerous calls pass.
func (r *result) table() string {
	var b strings.Builder
	danger := 0
	for _, c := range r.calls {
		if c.Danger {
			danger++
		}
	}
	fmt.Fprintf(&b, "%s: %d calls, %d dangerous\n", r.name, len(r.calls), danger)
	for _, w := range slices.Concat(r.ours, r.others) {
		days := "-"
		if w.days.calls > 0 {
			days = fmt.Sprintf("%.1f", w.days.rate())
		}
		fmt.Fprintf(&b, "  %-30s %9.1f %9.1f %9.1f %9.1f %15s %9d %9d\n", w.name, w.before.rate(), w.learning.rate(), w.same.rate(),
			w.unseen.rate(), days, len(w.same.passed)+len(w.unseen.passed), w.rules)
	}
	return b.String()
}

// details lists what still asks, with an example of each kind, and what passed.
func (r *result) details() string {
	var b strings.Builder
	first := r.ours[0]
	for _, pass := range []struct {
		name string
		tally
	}{{"the same half", first.same}, {"the unseen half", first.unseen}} {
		fmt.Fprintf(&b, "%s, %s still asks about\n", r.name, pass.name)
		kinds := slices.SortedFunc(maps.Keys(pass.kinds), func(a, b string) int {
			return cmp.Or(len(pass.kinds[b])-len(pass.kinds[a]), strings.Compare(a, b))
		})
		for _, k := range kinds {
			example := pass.kinds[k][0]
			fmt.Fprintf(&b, "  %4d  %-50s %.120q\n", len(pass.kinds[k]), k, cmp.Or(example.line(), string(example.Input)))
		}
	}
	for _, w := range r.ours {
		for _, p := range w.dangerous() {
			fmt.Fprintf(&b, "DANGER passed, %s: %s %s\n   by %s\n", w.name, p.call.name(), p.call.Input, p.by)
		}
	}
	return b.String()
}
