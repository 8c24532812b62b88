package permission

import "slices"

// Covering gives the grants that settle a call, out of those that stand: one that declines
// it, or those that together approve it, the first of which is what the decision names. It
// gives none where a person is asked. This is the only place that says how far an answer
// reaches (CONTRACT sections 6 and 7).
//
// A no reaches every call of its kind, of any risk, whenever it was said, and a line when it
// reaches one of its parts. A yes of scope session reaches what is asked of its server, and
// the yeses of scope class reach a line when each of its parts has one, given to a part of at
// least its risk. A yes of scope mode reaches every later call of its session but those
// that want data with a yes. hold keeps every yes from reaching anything.
func Covering(grants []Grant, c *Call, hold bool, at Time) []*Grant {
	var yes, mode []*Grant
	for i := range grants {
		switch g := &grants[i]; {
		case !g.stands(c, at):
		case !g.Approved && g.declines(c):
			return []*Grant{g}
		case g.Scope == ScopeMode:
			if !hold && !c.ResumeRequired && g.CreatedAt < c.CreatedAt {
				mode = []*Grant{g}
			}
		case g.Approved && !hold && g.mayApprove(c):
			yes = append(yes, g)
		}
	}
	if mode != nil {
		return mode
	}
	for _, g := range yes {
		if g.approvesAll(c) {
			return []*Grant{g}
		}
	}
	return together(yes, c)
}

// together are grants of which one or another reaches each part of a line. What else there is
// to it, such as its neutral parts, is of no higher risk than a part that was answered.
func together(yes []*Grant, c *Call) (by []*Grant) {
	if c.Class == nil {
		return nil
	}
	answered := RiskLow
	for i := range c.Class.Parts {
		var of *Grant
		most := RiskLow
		for _, g := range yes {
			if !g.ofTool(c.Class) {
				continue
			}
			if upTo, reached := g.Class.approves(g.MaxRisk, &c.Class.Parts[i], c.Risk); reached && (of == nil || upTo.Rank() > most.Rank()) {
				of, most = g, upTo
			}
		}
		if of == nil {
			return nil
		}
		if most.Rank() > answered.Rank() {
			answered = most
		}
		if !slices.Contains(by, of) {
			by = append(by, of)
		}
	}
	if c.Risk.Rank() > answered.Rank() {
		return nil
	}
	return by
}

// stands reports whether a grant is one of the call's session, and not over.
func (g *Grant) stands(c *Call, at Time) bool {
	return g.AgentID == c.AgentID && g.SessionID == c.SessionID && (g.ExpiresAt.IsZero() || g.ExpiresAt > at)
}

// mayApprove reports whether a yes can speak for a call, whatever its kind and risk: the call
// is not answered once only, and nothing is asked that was not asked then.
func (g *Grant) mayApprove(c *Call) bool {
	if c.OnlyOnce != "" || c.Risk.Rank() >= RiskHigh.Rank() || len(c.Questions) == 0 {
		return false
	}
	for _, id := range c.Questions {
		if !slices.Contains(g.Questions, id) {
			return false
		}
	}
	return true
}

// approvesAll reports whether the call is of a kind that a yes reaches by itself.
func (g *Grant) approvesAll(c *Call) bool {
	within := c.Risk.Rank() <= g.MaxRisk.Rank()
	switch {
	case g.Scope == ScopeSession:
		return within && sameServer(g.ServerID, c.ServerID)
	case c.Class == nil || !g.ofTool(c.Class) || g.Class.hasLine() != c.Class.hasLine():
		return false
	case !c.Class.hasLine():
		return within && Within(g.Class.Folder, c.Class.Folder)
	}
	return len(together([]*Grant{g}, c)) > 0
}

// declines reports whether the call is of a kind that a no reaches.
func (g *Grant) declines(c *Call) bool {
	switch {
	case g.Scope == ScopeSession:
		return sameServer(g.ServerID, c.ServerID)
	case c.Class == nil || !g.ofTool(c.Class):
		return false
	case !g.Class.hasLine() && !c.Class.hasLine():
		return Within(g.Class.Folder, c.Class.Folder)
	}
	return slices.ContainsFunc(c.Class.Parts, g.Class.declines)
}

// ofTool reports whether a grant is of scope class and about the tool of one.
func (g *Grant) ofTool(c *Class) bool {
	return g.Scope == ScopeClass && g.Class != nil && g.Class.sameTool(c)
}

// Answering makes a grant of an answer to a call: what it has of the call, and how far it
// reaches. A call of no class has none of scope class.
func (g *Grant) Answering(c *Call) {
	g.AgentID, g.AgentName, g.SessionID, g.CallID, g.ServerID = c.AgentID, c.AgentName, c.SessionID, c.ID, c.ServerID
	g.Class, g.Questions, g.MaxRisk = nil, c.Questions, c.Risk
	if g.Scope == ScopeClass {
		g.Class = c.Class
	}
	if !g.Approved || g.Scope == ScopeMode {
		g.MaxRisk = RiskHigh
	}
	g.Spell()
}

// Spell says in words what a grant reaches.
func (g *Grant) Spell() { g.Covers = coverageOf(g.Scope, g.ServerID, g.Class, g.MaxRisk) }

// Reach is the widest scope that an answer to a call can have, up to the one that was meant.
func (c *Call) Reach(meant Scope, approved bool) Scope {
	once := c.OnlyOnce != "" || c.Risk.Rank() >= RiskHigh.Rank() || len(c.Questions) == 0
	if approved && once || meant == ScopeClass && (c.Class == nil || approved && !c.Class.reaches()) {
		return ScopeOnce
	}
	return meant
}
