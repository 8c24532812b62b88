package permission

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Class is the kind of a call: what all calls have in common that an answer of scope class
// reaches, beside agent and session (CONTRACT section 6).
type Class struct {
	ServerID *string     `json:"serverId"`
	Method   string      `json:"method"`
	ToolName string      `json:"toolName"`
	Folder   string      `json:"folder" doc:"where the call runs; empty: not known, or each part says it"`
	Parts    []ClassPart `json:"parts" doc:"the parts of a shell line that need an answer of their own; null: the call has no line"`
}

// ClassPart is a program with its verb, as "git status", with what of its words a yes to it
// does not leave open: what it does as far as that is known, the folder that it runs in, the
// code that it is told to run, the files that it is redirected to, and its risk.
type ClassPart struct {
	Name   string   `json:"name"`
	Chosen []string `json:"chosen,omitempty" doc:"words that say which code it runs; a yes reaches only a part with the same"`
	Writes []string `json:"writes,omitempty" doc:"files that it writes by redirection; a yes reaches only a part that writes no other"`
	Folder string   `json:"folder" doc:"empty: not known"`
	Risk   Risk     `json:"risk,omitempty" enum:"low,medium,high" doc:"where it is not that of the call; a yes reaches no part of a higher one"`
	Lost   bool     `json:"lost,omitempty" doc:"it cannot be told from the line where it runs: no answer reaches it"`
	Unsure bool     `json:"unsure,omitempty" doc:"it cannot be told from the line which code it runs, or what it writes: no yes reaches it"`

	Effects []string `json:"effects,omitempty" doc:"what it is known to do; a yes reaches only a part that, but for reading, does no more"`
}

// Same reports whether two parts have all in common.
func (p *ClassPart) Same(other *ClassPart) bool {
	return p.Name == other.Name && p.Folder == other.Folder && p.Risk == other.Risk && p.Lost == other.Lost && p.Unsure == other.Unsure &&
		slices.Equal(p.Effects, other.Effects) && slices.Equal(p.Chosen, other.Chosen) && slices.Equal(p.Writes, other.Writes)
}

// OnlyOnce is a word for why a yes is for its call alone; "" is no reason.
type OnlyOnce string

// Why a yes is for its call alone.
const (
	OnceHigh     OnlyOnce = "high_risk"
	OnceOpaque   OnlyOnce = "opaque"       // something of its line cannot be known from the text
	OnceCode     OnlyOnce = "code"         // its line runs code that it brings, or makes a program run another one
	OnceUnusual  OnlyOnce = "unusual"      // a program of its line lies where programs usually do not
	OnceAlone    OnlyOnce = "own_question" // it is asked about for a reason of its own: its name, its tool, hold
	OnceData     OnlyOnce = "data"         // whoever says yes gives data
	OnceCaller   OnlyOnce = "no_session"   // its caller has no session
	OnceEnvelope OnlyOnce = "envelope"     // it carries more than its name and input
)

// sameTool reports whether two classes are of one tool of one server, asked for by one method.
func (c *Class) sameTool(other *Class) bool {
	return c.Method == other.Method && c.ToolName == other.ToolName && sameServer(c.ServerID, other.ServerID)
}

// hasLine reports whether calls of the class have a shell line.
func (c *Class) hasLine() bool { return c.Parts != nil }

// reaches reports whether a yes to a call of this class can be one to another call.
func (c *Class) reaches() bool {
	return !c.hasLine() || slices.ContainsFunc(c.Parts, func(p ClassPart) bool { return !p.Lost && !p.Unsure })
}

// declines reports whether a no to a call of this class is one to a part of another: to the
// program with its verb, whatever it is told to run.
func (c *Class) declines(part ClassPart) bool {
	return slices.ContainsFunc(c.Parts, func(p ClassPart) bool { return p.sameKind(&part) })
}

// approves gives the risk up to which a yes to a call of this class and of a risk reaches a
// part of another call of a risk, if it does.
func (c *Class) approves(answered Risk, part *ClassPart, asked Risk) (upTo Risk, reached bool) {
	asked = cmp.Or(part.Risk, asked)
	for i := range c.Parts {
		p := &c.Parts[i]
		given := cmp.Or(p.Risk, answered)
		if p.sameKind(part) && !p.Unsure && !part.Unsure && given.Rank() < RiskHigh.Rank() && asked.Rank() <= given.Rank() && p.doesAll(part) &&
			slices.Equal(p.Chosen, part.Chosen) && within(p.Writes, part.Writes) && (!reached || given.Rank() > upTo.Rank()) {
			upTo, reached = given, true
		}
	}
	return upTo, reached
}

// sameKind reports whether two parts are of one program and verb, in one folder or below.
func (p *ClassPart) sameKind(later *ClassPart) bool {
	return p.Name == later.Name && !p.Lost && !later.Lost && Within(p.Folder, later.Folder)
}

// reading is the effect that any known one has room for.
const reading = "reads"

// doesAll reports whether a part does all that another one does. Of what is not known, only
// what is not known either does.
func (p *ClassPart) doesAll(later *ClassPart) bool {
	if len(p.Effects) == 0 || len(later.Effects) == 0 {
		return len(p.Effects) == len(later.Effects)
	}
	return !slices.ContainsFunc(later.Effects, func(effect string) bool { return effect != reading && !slices.Contains(p.Effects, effect) })
}

// within reports whether all of some texts are among others.
func within(all, some []string) bool {
	return !slices.ContainsFunc(some, func(text string) bool { return !slices.Contains(all, text) })
}

func sameServer(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// Within reports whether a folder is another or lies below it, by their names alone. The
// folder that is not known holds the relative ones.
func Within(outer, inner string) bool {
	outer, inner = cleanFolder(outer), cleanFolder(inner)
	switch {
	case outer == inner:
		return true
	case strings.HasPrefix(outer, "..") || strings.HasPrefix(inner, ".."):
		return false // nobody knows where that is
	case outer == "":
		return !path.IsAbs(inner) && !isDrive(inner)
	case outer == "/":
		return path.IsAbs(inner)
	}
	return strings.HasPrefix(inner, outer+"/")
}

// cleanFolder is a folder in one spelling, with the signs of Windows made ours.
func cleanFolder(folder string) string {
	if isDrive(folder) || strings.HasPrefix(folder, `\\`) {
		folder = strings.ReplaceAll(folder, `\`, "/")
	}
	if folder = path.Clean(folder); folder == "." {
		return ""
	}
	return folder
}

// isDrive reports whether a folder begins with a drive of Windows.
func isDrive(folder string) bool {
	return len(folder) > 1 && folder[1] == ':' && (folder[0]|0x20 >= 'a' && folder[0]|0x20 <= 'z')
}
