package advice

import (
	"slices"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
)

// Proposal is an allow rule that a person may make, what it reaches in words, and the past
// calls that it matches by itself.
type Proposal struct {
	Rule   permission.Rule
	Covers permission.Coverage
	Past   permission.Matches
	Calls  []int // indexes of the past calls that it matches
	// First says that it is the one to be offered first: wider than others, and as safe.
	First bool

	rank int
}

// Choices proposes rules for one call, at most five, the narrowest first, each with what it
// would have matched among past calls (CONTRACT section 6). There are none for a call of
// high risk, and no rule that is proposed allows such a call: each is bounded to the call's risk,
// or to what is not high. Where nothing else can be said of a line, as of one that runs code, the
// one choice is that very line, in its folder.
//
// The priority of a rule is just enough to come before the rule that asks now, or 10 where
// none does. Nothing is proposed that would come before
//
//   - a deny rule with a call in common, whatever its condition is;
//   - an ask rule with a call in common that is not about this call, where the proposal
//     is about more than the tool: such a rule guards something else.
//
// Each is tried out before it is proposed, and lint has nothing to say of it. A set that
// doubts allows nothing, so that none is.
func Choices(set *policy.Set, call permission.PastCall, past []permission.PastCall, now permission.Time) []Proposal {
	list := []Proposal{}
	s, offered := subjectOf(&call)
	w := widener{set: set, call: s.call, now: now}
	if !w.look() {
		return list
	}
	memory := newMemory(past)
	add := func(o offer) {
		p, ok := s.propose(o)
		if ok = ok && len(list) < maxOffers; !ok {
			return
		}
		if p.Rule.Priority = w.place(&p.Rule); !w.holds(p.Rule) || w.odd(p.Rule) {
			return
		}
		memory.match(&p, &o.sieve, now)
		if p.Past.Declined > 0 {
			p.rank = 0 // what a person has declined is not offered first
		}
		list = append(list, p)
	}
	if offered {
		for _, o := range s.offers(set, now) {
			add(o)
		}
	}
	if o, ok := s.same(); ok && len(list) == 0 {
		add(o)
	}
	first(list)
	return list
}

// first leaves one proposal to be offered first: the narrowest of the highest rank.
func first(list []Proposal) {
	if len(list) > 0 {
		at := slices.IndexFunc(list, func(p Proposal) bool {
			return !slices.ContainsFunc(list, func(other Proposal) bool { return other.rank > p.rank })
		})
		list[at].First = true
	}
}

// Forms are proposals as a door gives them.
func Forms(list []Proposal) permission.Choices {
	out := permission.Choices{Rules: []permission.RuleForm{}, Choices: []permission.Choice{}}
	for i := range list {
		out.Rules = append(out.Rules, formOf(&list[i].Rule))
		out.Choices = append(out.Choices, permission.Choice{Covers: list[i].Covers, Past: list[i].Past, First: list[i].First})
	}
	return out
}

func formOf(r *permission.Rule) permission.RuleForm {
	form := r.Form()
	form.Effect = &r.Effect
	return form
}

// ownTools begins the condition of a rule for lines of the agent's own tools.
const ownTools = "serverId == null && "

// propose makes a rule of an offer. It is false for one that is too long to be read.
func (s *subject) propose(o offer) (Proposal, bool) {
	rule := permission.Rule{ID: "widened", ServerID: s.ServerID, ToolName: &s.ToolName, Condition: &o.condition,
		Effect: permission.Allow, AutoApprove: true, Enabled: true}
	if o.anyTool {
		rule.ToolName = nil
	}
	if !permission.AboutTool(s.Method) {
		rule.Method = &s.Method
	}
	if s.ServerID == nil && s.line != nil {
		condition := ownTools + o.condition
		rule.Condition = &condition
	}
	return Proposal{Rule: rule, Covers: permission.CoverageOf(o.covers, o.params), rank: o.rank}, len(*rule.Condition) <= maxCondition
}

// memory is what past calls are looked up in.
type memory struct {
	calls []permission.PastCall
	of    map[toolKey][]remembered
}

// toolKey is what a rule of one tool is about.
type toolKey struct{ server, method, tool string }

// remembered is a past call that a rule may match.
type remembered struct {
	at    int
	names []string // of its line's parts; nil: it has none
}

func keyOf(server *string, method, tool string) toolKey {
	k := toolKey{method: method, tool: tool}
	if server != nil {
		k.server = "=" + *server
	}
	if permission.AboutTool(method) {
		k.method = ""
	}
	return k
}

func newMemory(past []permission.PastCall) *memory {
	m := &memory{past, map[toolKey][]remembered{}}
	for i := range past {
		c := &past[i]
		if c.Input != nil && c.Risk.Rank() < permission.RiskHigh.Rank() {
			key := keyOf(c.ServerID, c.Method, c.ToolName)
			m.of[key] = append(m.of[key], remembered{i, spokenNames(c)})
		}
	}
	return m
}

// spokenNames are those of the parts of a call's line that a rule must speak of.
func spokenNames(c *permission.PastCall) (names []string) {
	members, err := rawjson.Members(c.Input)
	if err != nil {
		return nil
	}
	line, found := command.Of(rawjson.Values(members), c.ToolName, "", false)
	if !found {
		return nil
	}
	for _, p := range spoken(&line) {
		names = append(names, p.Name)
	}
	return names
}

// lets reports whether a rule may match a call.
func (s *sieve) lets(c *permission.PastCall, names []string) bool {
	switch {
	case s.low && c.Risk != permission.RiskLow, s.folder != "" && !inFolder(c, s.folder):
		return false
	}
	return s.names == nil || !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(s.names, name) })
}

// inFolder reports whether a call was made in a folder, "" being any.
func inFolder(c *permission.PastCall, folder string) bool {
	return folder == "" || c.Cwd != nil && policy.Under(".", folder, []string{*c.Cwd})
}

// match holds a proposal against the past calls of its tool, by the judgement of rules.
func (m *memory) match(p *Proposal, sieve *sieve, now permission.Time) {
	r := &p.Rule
	method := permission.CallTool
	if r.Method != nil {
		method = *r.Method
	}
	alone := policy.Compile([]permission.Rule{*r}, 0)
	for _, c := range m.about(r, method) {
		if !sieve.lets(&m.calls[c.at], c.names) {
			continue
		}
		if alone.Decide(callOf(&m.calls[c.at]), now).Effect == permission.Allow {
			p.Calls = append(p.Calls, c.at)
			p.Past.Add(&m.calls[c.at])
		}
	}
	if p.Past.MaxRisk == "" {
		p.Past.MaxRisk = permission.RiskLow
	}
}

// about are the calls that a rule may be about, in their order.
func (m *memory) about(r *permission.Rule, method string) (calls []remembered) {
	if r.ToolName != nil {
		return m.of[keyOf(r.ServerID, method, *r.ToolName)]
	}
	ofServer := keyOf(r.ServerID, method, "")
	for key, of := range m.of {
		if key.tool = ""; key == ofServer {
			calls = append(calls, of...)
		}
	}
	slices.SortFunc(calls, func(a, b remembered) int { return a.at - b.at })
	return calls
}
