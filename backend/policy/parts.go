package policy

import (
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
)

// maxLooks bounds how often conditions look at the parts of one line: what is asked after
// that has failed.
const maxLooks = 2_000

const tooManyParts = "the line has too many parts to be judged one by one"

// judgement is how the rules decide about the line of a call, part by part (CONTRACT
// section 6). Rules are given to it in the order of judgement.
type judgement struct {
	q       question
	parts   []part
	open    int         // parts that need a rule and have none yet
	barred  bool        // an ask or deny rule came that applies to the line or a part
	guards  []*compiled // ask and deny rules that apply to the line and came before all its parts were decided
	beside  []*compiled // ask rules that apply, of the priority of one that decided about a part before them
	fixes   int         // rules to come that may allow the line as a whole
	opaque  bool
	tracing bool
	rows    []permission.TraceStep
}

// fewRules are how many may decide about most calls: for those no memory is asked.
const fewRules = 8

// part is a part of a line, and the rule that decided about it.
type part struct {
	*command.Part
	rule    *compiled
	passed  *compiled // the first that applies but for its limit
	neutral bool      // it needs no rule
}

// lineOf finds the line of the call, if a rule to be asked looks at it.
func (q *question) lineOf() *reading {
	for _, r := range q.soft {
		if r.condition != nil && r.condition.use().reads {
			return q.lines.of(&q.Call)
		}
	}
	return nil
}

// begin takes the parts of the line.
func (j *judgement) begin(r *reading) {
	j.q.line, j.opaque = r, r.line.Opaque
	list := r.line.Parts
	j.parts = make([]part, len(list))
	needs := false
	for i := range list {
		needs = needs || !list[i].Neutral
	}
	for i := range list {
		j.parts[i] = part{Part: &list[i], neutral: needs && list[i].Neutral && !j.q.tellsSecret(r, list[i].Span)}
		if !j.parts[i].neutral {
			j.open++
		}
	}
}

// tellsSecret reports whether a stretch of the line is a reason of risk because it prints
// a secret, as echo $TOKEN does: such a part needs a rule of its own.
func (q *question) tellsSecret(r *reading, s command.Span) bool {
	return slices.ContainsFunc(q.Reasons, func(reason permission.RiskReason) bool {
		at := reason.At
		return reason.Code == permission.RiskSecret && at != nil && at.Pointer == "/"+r.key && at.Start < s.End16 && at.End > s.Start16
	})
}

// judgeLine decides about a call with a line by the candidates.
func judgeLine(q question, r *reading) Decision {
	j := judgement{q: q}
	j.begin(r)
	var few [fewRules]*compiled
	rules := few[:0]
	for _, r := range q.soft {
		if !q.over(r) {
			rules = append(rules, r)
		}
	}
	if q.firm != nil {
		rules = append(rules, q.firm)
	}
	for _, r := range q.beside {
		if !q.over(r) {
			rules = append(rules, r)
		}
	}
	j.expect(rules)
	for _, r := range rules {
		if !j.done() {
			j.next(r)
		}
		j.asksBeside(r)
	}
	return j.conclude()
}

// asksBeside notes an ask rule that applies where one of its priority has decided about a part.
func (j *judgement) asksBeside(r *compiled) {
	if r.Effect != permission.Ask {
		return
	}
	for i := range j.parts {
		p := &j.parts[i]
		if effect, by := j.verdict(p); effect != permission.Ask || by == nil || by == r || !by.asksBeside(r) {
			continue
		}
		applies, w := j.holds(r, 0)
		if j.aboutText(w) {
			applies = false
		}
		if !applies && r.condition.use().reads && !j.q.line.whole {
			applies, _ = j.holds(r, i+1)
		}
		if applies {
			j.beside = append(j.beside, r)
			return
		}
	}
}

// aboutText reports whether a rule could not be asked about a line that is a list of words: it
// is about a text, which the parts have.
func (j *judgement) aboutText(w why) bool {
	return j.q.line.list && !j.q.line.whole && w.code == permission.TraceConditionDoubt
}

// expect tells of the rules that will come.
func (j *judgement) expect(rules []*compiled) {
	for _, r := range rules {
		if j.fixesAll(r) {
			j.fixes++
		}
	}
}

func (j *judgement) fixesAll(r *compiled) bool {
	return r.Effect == permission.Allow && r.condition.use().fixed(j.q.line.members...)
}

// done reports whether no rule to come can change anything.
func (j *judgement) done() bool {
	return !slices.ContainsFunc(j.parts, func(p part) bool { return p.rule == nil })
}

// next takes the next rule in the order of judgement that is about the call.
func (j *judgement) next(r *compiled) {
	use := r.condition.use()
	switch {
	case !use.reads:
		j.alike(r)
	case r.Effect == permission.Allow:
		j.allows(r, use)
	default:
		j.guard(r)
	}
	if j.fixesAll(r) {
		j.fixes--
	}
}

// holds asks a rule about a part, from 1, or about the whole line.
func (j *judgement) holds(r *compiled, part int) (applies bool, w why) {
	j.q.asked = part
	applies, w = j.q.holds(r)
	j.q.asked = 0
	for i := range j.parts {
		if p := &j.parts[i]; w.limit != nil && p.rule == nil && p.passed == nil && (part == 0 || part == i+1) {
			p.passed = r
		}
	}
	return applies, w
}

// alike takes a rule that says the same of the line and all parts.
func (j *judgement) alike(r *compiled) {
	applies, w := j.holds(r, 0)
	j.say(r, 0, applies, w)
	for i := range j.parts {
		j.say(r, i+1, applies, w)
		if applies {
			j.decide(r, i)
		}
	}
	j.barred = j.barred || applies && r.Effect != permission.Allow
}

// guard takes an ask or deny rule that looks at the line.
func (j *judgement) guard(r *compiled) {
	open, all := j.open > 0, j.fixes > 0 || j.tracing
	applies, w := true, why{code: permission.TraceConditionDoubt, failure: tooManyParts}
	if (open || all) && !j.q.line.line.Cut {
		applies, w = j.holds(r, 0)
		if j.aboutText(w) {
			applies, w = false, because(permission.TraceParts)
		}
	}
	if j.say(r, 0, applies, w); applies && open {
		j.guards = append(j.guards, r)
	}
	j.barred = j.barred || applies && (open || all)
	for i := range j.parts {
		if j.parts[i].rule != nil && !all {
			continue
		}
		here, w := applies, w
		if !j.q.line.whole {
			here, w = j.holds(r, i+1)
		}
		if j.say(r, i+1, here, w); here {
			j.barred = true
			j.decide(r, i)
		}
	}
}

// allows takes an allow rule that looks at the line.
func (j *judgement) allows(r *compiled, use use) {
	if applies, w := j.allowsAll(r, use); applies {
		for i := range j.parts {
			j.say(r, i+1, applies, w)
			j.decide(r, i)
		}
		return
	} else if j.q.line.whole {
		return
	}
	for i := range j.parts {
		p := &j.parts[i]
		if p.rule != nil && !j.tracing {
			continue
		}
		applies, w := false, because(j.bar(p, use))
		if w.code == "" {
			applies, w = j.holds(r, i+1)
		}
		if j.say(r, i+1, applies, w); applies {
			j.decide(r, i)
		}
	}
}

// allowsAll says whether an allow rule decides about the line as a whole.
func (j *judgement) allowsAll(r *compiled, use use) (applies bool, w why) {
	w = because(permission.TraceParts)
	switch {
	case use.fixed(j.q.line.members...) && (j.open > 0 || j.tracing):
		if applies, w = j.holds(r, 0); applies && j.barred && !j.q.line.whole {
			applies, w = false, because(permission.TracePartGuarded)
		}
	case j.q.line.whole:
		if w = because(j.bar(&j.parts[0], use)); w.code == "" {
			applies, w = j.holds(r, 0)
		}
	}
	j.say(r, 0, applies, w)
	return applies && j.open > 0, w
}

// bar says why a rule that looks at the line cannot allow a part, or "".
func (j *judgement) bar(p *part, use use) permission.TraceCode {
	fixed := use.fixed(j.q.line.key) && !j.q.line.whole
	switch {
	case j.opaque:
		return permission.TraceLineOpaque
	case (p.Code || p.Opaque) && !(fixed && selfContained(p.Part)):
		return permission.TracePartCode
	case len(p.Writes) > 0 && !fixed && !use.writes:
		return permission.TracePartWrites
	}
	return ""
}

// selfContained reports whether all that a part runs is in its own text.
func selfContained(p *command.Part) bool {
	computed := slices.ContainsFunc(p.Assigns, func(a command.Assign) bool { return !a.Value.Literal })
	return !p.Opaque && !p.Piped && !p.Loose && !p.Glob && !computed && !strings.Contains(p.Text, "$")
}

// decide notes the first rule that applies to a part.
func (j *judgement) decide(r *compiled, i int) {
	if j.parts[i].rule != nil {
		return
	}
	if j.parts[i].rule = r; !j.parts[i].neutral {
		j.open--
	}
}

// say adds a row to the trace. A part that is the whole line has none of its own.
func (j *judgement) say(r *compiled, part int, applies bool, w why) {
	if !j.tracing || part > 0 && j.q.line.whole {
		return
	}
	later := j.open == 0
	if part > 0 {
		later = j.parts[part-1].rule != nil
	}
	if applies && later {
		w = because(permission.TraceLater)
	}
	row := w.step(r.ID, applies)
	if part > 0 {
		row.Part = new(part - 1)
	}
	j.rows = append(j.rows, row)
}

// verdict is what became of a part. A neutral one asks only by a rule that looks at it.
func (j *judgement) verdict(p *part) (permission.Effect, *compiled) {
	switch r := p.rule; {
	case p.neutral && (r == nil || r.Effect != permission.Allow && !r.condition.use().reads):
		return permission.Allow, nil
	case r == nil:
		return permission.Ask, nil
	default:
		return r.Effect, r
	}
}

// conclude gives the strictest outcome.
func (j *judgement) conclude() Decision {
	d := Decision{Effect: permission.Allow, Parts: make([]permission.PartVerdict, len(j.parts))}
	var by, passed *compiled
	name, found := "", false
	stricter := func(effect permission.Effect, r *compiled) bool {
		if Strength(effect) < Strength(d.Effect) || !found && effect == d.Effect && (r != nil || effect == permission.Ask) {
			d.Effect, by, found = effect, r, true
			return true
		}
		return false
	}
	var asked []string
	ask := func(id string) {
		if !slices.Contains(asked, id) {
			asked = append(asked, id)
		}
	}
	for i := range j.parts {
		p := &j.parts[i]
		effect, r := j.verdict(p)
		d.Parts[i] = permission.PartVerdict{Name: p.Name, Decision: effect}
		if r != nil {
			d.Parts[i].Rule = &r.ref
		}
		if stricter(effect, r) {
			name = p.Name
		}
		if effect == permission.Ask && passed == nil {
			passed = p.passed
		}
		switch {
		case effect == permission.Ask && r == nil:
			ask(permission.AskedByDefault)
		case effect == permission.Ask:
			ask(string(r.ID))
		}
	}
	for _, r := range j.guards {
		stricter(r.Effect, r)
		if r.Effect == permission.Ask {
			ask(string(r.ID))
		}
	}
	for _, r := range j.beside {
		ask(string(r.ID))
	}
	parts := d.Parts
	d = conclude(by, j.q.issue).after(passed)
	if d.Code == permission.ReasonNoRule && len(parts) > 1 {
		d.Params, d.Reason = permission.Param("part", name), d.Reason+" to the part "+permission.Show(name)
	}
	switch d.Parts = parts; d.Effect {
	case permission.Ask:
		d.Asked = asked
	case permission.Allow:
		d.Places = j.places()
	}
	return d
}

// places are those that the rules take together which allow the parts.
func (j *judgement) places() (list []permission.Place) {
	for i := range j.parts {
		_, r := j.verdict(&j.parts[i])
		if r != nil && r.places != nil && !slices.Contains(list, r.places[0]) {
			list = append(list, r.places[0])
		}
	}
	return list
}

// traceLine is Trace for a call with a line: rows for each rule about the line as a whole,
// and behind it about each part, where the rule is about the call.
func (s *Set) traceLine(q question, r *reading, d Decision) (Decision, []permission.TraceStep) {
	j := judgement{q: q, tracing: true, rows: make([]permission.TraceStep, 0, s.size)}
	j.begin(r)
	var rules []*compiled
	for r := range s.index.all {
		if j.q.aside(r) == "" {
			rules = append(rules, r)
		}
	}
	j.expect(rules)
	for r := range s.index.all {
		if aside := j.q.aside(r); aside != "" {
			j.rows = append(j.rows, because(aside).step(r.ID, false))
			continue
		}
		j.next(r)
	}
	if d.Parts == nil {
		d.Parts = j.conclude().Parts
	}
	return d, j.rows
}
