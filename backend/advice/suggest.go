package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// Bounds of suggestions.
const (
	minAnswers   = 3  // that a rule must have saved
	maxProposals = 30 // that a person is to read
)

// Propose proposes allow rules that would have given a person's repeated yes to past calls:
// few rules for many calls, those that save most answers first. Of lines it is what only
// reads in a folder, and the programs and verbs that were approved there; of other calls the
// files of a folder, a host, or the tool, whatever the narrowest choice for one call is that
// has company. What was declined is never matched, nor is anything of high risk, opaque or
// running code.
func Propose(set *policy.Set, past []permission.PastCall, now permission.Time) []Proposal {
	g := gatherer{memory: newMemory(past), bundles: map[string]*bundle{}, asks: map[int]bool{}, now: now, set: set}
	for i := range past {
		g.take(i)
	}
	return g.proposals()
}

// gatherer puts approved calls together for which one rule may do.
type gatherer struct {
	memory  *memory
	set     *policy.Set
	now     permission.Time
	bundles map[string]*bundle
	order   []*bundle
	asks    map[int]bool // indexes of approved calls that are asked about now
}

// bundle are approved calls that one rule may be for.
type bundle struct {
	subject  *subject // the first of them
	offer    offer
	terms    terms // of lines: what the rule says of their parts
	counts   []int // of terms: how many approved calls have them
	approved int
}

// take looks at a past call.
func (g *gatherer) take(i int) {
	c := &g.memory.calls[i]
	if c.Answer != permission.AnswerApproved {
		return
	}
	s, offered := subjectOf(c)
	if !offered || g.set.Decide(s.call, g.now).Effect != permission.Ask {
		return
	}
	g.asks[i] = true
	if s.line != nil && s.Risk != permission.RiskLow {
		g.takeLine(s)
		return
	}
	offers := s.offers(nil, g.now)
	if s.line != nil {
		offers = slices.DeleteFunc(offers, func(o offer) bool { return o.covers != permission.CoversReading })
	}
	if len(offers) > 0 {
		b := g.bundle(s, s.toolText()+offers[0].condition)
		b.offer = offers[0]
		b.approved++
	}
}

func (s *subject) toolText() string {
	server := ""
	if s.ServerID != nil {
		server = *s.ServerID
	}
	return fmt.Sprintf("%q %q %q ", server, s.Method, s.ToolName)
}

func (g *gatherer) bundle(s *subject, key string) *bundle {
	b := g.bundles[key]
	if b == nil {
		b = &bundle{subject: s}
		g.bundles[key] = b
		g.order = append(g.order, b)
	}
	return b
}

// takeLine adds the parts of a line to what is known of its folder.
func (g *gatherer) takeLine(s *subject) {
	folder, keys := s.lineFolder(), s.lineKeys()
	terms := s.terms(folder)
	if keys == "" || terms == nil {
		return
	}
	key := s.toolText() + s.order.Key + " " + folder + " " + keys
	if slices.ContainsFunc(s.parts, func(p command.Part) bool { return s.carries(&p) }) {
		key += " " + string(s.Input)
	}
	b := g.bundle(s, key)
	b.approved++
	for _, t := range terms {
		var at int
		if b.terms, at = b.terms.with(t); at == len(b.counts) {
			b.counts = append(b.counts, 0)
		}
		b.counts[at]++
	}
}

// proposals are the rules that bundles make.
func (g *gatherer) proposals() []Proposal {
	slices.SortStableFunc(g.order, func(a, b *bundle) int { return cmp.Compare(b.approved, a.approved) })
	list := []Proposal{}
	for _, b := range g.order {
		if b.approved < minAnswers || len(list) >= maxProposals {
			break
		}
		if b.terms == nil {
			list = g.add(list, b.subject, b.offer)
			continue
		}
		for _, some := range b.groups() {
			if some = g.undeclined(b, some); len(some) > 0 {
				list = g.add(list, b.subject, b.subject.termOffer(some))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Proposal) int { return cmp.Compare(b.Past.Approved, a.Past.Approved) })
	return list
}

// groups are the terms of a bundle in portions that one rule can say, the commonest first.
func (b *bundle) groups() (list []terms) {
	order := make([]int, len(b.terms))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b.counts[j], b.counts[i]) })
	var some terms
	for _, i := range order {
		if b.counts[i] < 2 && len(b.terms) > maxTerms {
			continue
		}
		if some = append(some, b.terms[i]); len(some) == maxTerms/2 {
			list, some = append(list, some), nil
		}
	}
	if len(some) > 0 {
		list = append(list, some)
	}
	return list
}

// undeclined leaves the terms of which no part of a declined line in that folder has the name.
func (g *gatherer) undeclined(b *bundle, some terms) terms {
	s := b.subject
	return slices.DeleteFunc(some, func(t term) bool {
		return slices.ContainsFunc(g.memory.of[keyOf(s.ServerID, s.Method, s.ToolName)], func(c remembered) bool {
			past := &g.memory.calls[c.at]
			return past.Answer == permission.AnswerDeclined && slices.Contains(c.names, t.name) && inFolder(past, s.lineFolder())
		})
	})
}

// termOffer is a rule for the parts that terms say, in the folder of a call.
func (s *subject) termOffer(some terms) offer {
	folder, params := s.lineFolder(), s.params()
	params.Folder, params.Parts, params.Hosts = folder, some.parts(), some.hosts()
	conditions := []string{s.bound(), some.condition(s.order.Key)}
	if folder != "" {
		conditions = append(conditions, `under(".", `+quote(folder)+`)`)
	}
	return offer{covers: permission.CoversCommands, params: params, sieve: sieve{some.names(), folder, false},
		condition: strings.Join(append(conditions, s.lineKeys()), " && ")}
}

// add adds a rule, if it saves enough answers that are asked for now and matches nothing that was declined, nor only
// what other proposals match already.
func (g *gatherer) add(list []Proposal, s *subject, o offer) []Proposal {
	p, ok := s.propose(o)
	if !ok {
		return list
	}
	g.memory.match(&p, &o.sieve, g.now)
	new := 0
	for _, at := range p.Calls {
		if g.asks[at] && !slices.ContainsFunc(list, func(other Proposal) bool { return slices.Contains(other.Calls, at) }) {
			new++
		}
	}
	if p.Past.Declined > 0 || new < minAnswers {
		return list
	}
	sample, _ := subjectOf(&g.memory.calls[p.Calls[0]])
	w := widener{set: g.set, call: sample.call, now: g.now}
	if !w.look() {
		return list
	}
	p.Rule.ID = "suggested"
	if p.Rule.Priority = w.place(&p.Rule); !w.holds(p.Rule) || w.odd(p.Rule) {
		return list
	}
	return append(list, p)
}

// Suggest gives the proposals of Propose as suggestions, and behind them a deny rule for each
// tool that was declined three times or more, never approved, and asks now. A rule cannot say
// "no server", so that tools without one are left out of these.
func Suggest(set *policy.Set, past []permission.PastCall, now permission.Time) []permission.Suggestion {
	list := []permission.Suggestion{}
	for _, p := range Propose(set, past, now) {
		list = append(list, permission.Suggestion{Rule: formOf(&p.Rule), Answers: p.Past.Approved, Tools: []string{*p.Rule.ToolName},
			Reason: fmt.Sprintf("approved %d times, never declined", p.Past.Approved), Covers: p.Covers, Past: p.Past})
	}
	return append(list, denials(set, past, now)...)
}

// denials are the deny rules.
func denials(set *policy.Set, past []permission.PastCall, now permission.Time) (list []permission.Suggestion) {
	counts, order := map[toolKey]*permission.Matches{}, []*permission.PastCall{}
	for i := range past {
		c := &past[i]
		if c.ServerID == nil || !permission.AboutTool(c.Method) {
			continue
		}
		key := keyOf(c.ServerID, c.Method, c.ToolName)
		if counts[key] == nil {
			counts[key] = &permission.Matches{}
			order = append(order, c)
		}
		counts[key].Add(c)
	}
	depends := newConditional(now, set)
	for _, c := range order {
		count := counts[keyOf(c.ServerID, c.Method, c.ToolName)]
		call := policy.Call{ServerID: c.ServerID, ToolName: c.ToolName}
		d := set.Decide(call, now)
		if count.Declined < minAnswers || count.Approved > 0 || d.Effect != permission.Ask || d.Alone || depends.on(call) {
			continue
		}
		method := permission.CallTool
		r := permission.Rule{ID: "suggested", ServerID: c.ServerID, Method: &method, ToolName: &c.ToolName, Effect: permission.Deny,
			Enabled: true}
		if d.Rule != nil {
			r.Priority = d.Rule.Priority // within one priority deny comes before ask
		}
		w := widener{set: set, call: call, now: now}
		if r.Valid() != nil || set.Draft([]permission.Rule{r}, nil).Decide(call, now).Effect != permission.Deny || w.odd(r) {
			continue
		}
		params := permission.CoverageParams{ServerID: c.ServerID, ToolName: c.ToolName, MaxRisk: permission.RiskHigh}
		list = append(list, permission.Suggestion{Rule: formOf(&r), Answers: count.Declined, Tools: []string{c.ToolName},
			Reason: fmt.Sprintf("declined %d times, never approved", count.Declined),
			Covers: permission.CoverageOf(permission.CoversTool, params), Past: *count})
	}
	slices.SortStableFunc(list, func(a, b permission.Suggestion) int { return cmp.Compare(b.Answers, a.Answers) })
	return list
}
