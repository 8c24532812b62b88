package permission

import (
	"slices"
	"strings"
)

// Coverage says what an answer of wider scope reaches, in words for a client and as a
// sentence.
type Coverage struct {
	Code   CoverageCode   `json:"code" enum:"commands,line,reading_tools,reading,looking,file,files,host,tool,resource,prompt,server,own_tools,mode"`
	Params CoverageParams `json:"params"`
	Text   string         `json:"text"`
}

// CoverageCode is what kind of thing an answer or a rule reaches.
type CoverageCode string

// The kinds of what an answer or a rule reaches.
const (
	CoversCommands CoverageCode = "commands"  // programs with their verbs, run by a tool
	CoversTool     CoverageCode = "tool"      // one tool
	CoversResource CoverageCode = "resource"  // one resource
	CoversPrompt   CoverageCode = "prompt"    // one prompt
	CoversServer   CoverageCode = "server"    // all of a server
	CoversOwnTools CoverageCode = "own_tools" // all tools of the agent's own
	CoversMode     CoverageCode = "mode"      // all that a session does, in BypassMode

	// These are of rules alone.
	CoversLine CoverageCode = "line" // one line, word for word
	// CoversReadingTools are the tools of a server whose names say that they only read.
	CoversReadingTools CoverageCode = "reading_tools"

	CoversReading CoverageCode = "reading" // commands that only read
	CoversLooking CoverageCode = "looking" // commands that only read or ask the network
	CoversFile    CoverageCode = "file"    // a tool, on one file
	CoversFiles   CoverageCode = "files"   // a tool, on the files of a folder
	CoversHost    CoverageCode = "host"    // a tool, on a host
)

// CoverageOf is what a rule reaches.
func CoverageOf(code CoverageCode, params CoverageParams) Coverage {
	if params.Parts == nil {
		params.Parts = []ClassPart{}
	}
	if params.Hosts == nil {
		params.Hosts = []string{}
	}
	of := Coverage{Code: code, Params: params}
	of.Text = of.sentence()
	return of
}

// CoverageParams are what the sentence of a Coverage names.
type CoverageParams struct {
	ServerID *string     `json:"serverId"`
	ToolName string      `json:"toolName" doc:"empty for all of a server"`
	Folder   string      `json:"folder" doc:"empty: not known, or each part says it"`
	Parts    []ClassPart `json:"parts"`
	Path     string      `json:"path" doc:"the one file that is meant"`
	Hosts    []string    `json:"hosts" doc:"with their ports"`
	MaxRisk  Risk        `json:"maxRisk" enum:"low,medium,high" doc:"nothing of a higher risk is reached"`
}

// Covers is what a yes to a waiting call would let pass beside it; null where no such yes
// can be given.
type Covers struct {
	Class   *Coverage `json:"class"`
	Session *Coverage `json:"session"`
}

// Spread is what a yes of wider scope to a call would let pass; nil where it is answered once
// only.
func (c *Call) Spread() *Covers {
	if c.Reach(ScopeSession, true) == ScopeOnce {
		return nil
	}
	session := coverageOf(ScopeSession, c.ServerID, nil, c.Risk)
	of := &Covers{Session: &session}
	if c.Class != nil && c.Class.reaches() {
		class := coverageOf(ScopeClass, c.ServerID, c.Class, c.Risk)
		of.Class = &class
	}
	return of
}

// coverageOf is the one printed form of what an answer reaches.
func coverageOf(scope Scope, server *string, class *Class, upTo Risk) Coverage {
	of := Coverage{Code: CoversOwnTools, Params: CoverageParams{ServerID: server, Parts: []ClassPart{}, Hosts: []string{}, MaxRisk: upTo}}
	switch {
	case scope == ScopeMode:
		of.Code = CoversMode
	case server != nil:
		of.Code = CoversServer
	}
	if scope == ScopeClass && class != nil {
		of.Code = class.code()
		of.Params.ToolName, of.Params.Folder = class.ToolName, class.Folder
		for _, p := range class.Parts {
			if p.Effects = nil; upTo == RiskHigh { // a no, whatever they are told to run and to write
				p.Chosen, p.Writes, p.Risk, p.Unsure = nil, nil, "", false
			}
			if !p.Lost && !p.Unsure && !slices.ContainsFunc(of.Params.Parts, func(known ClassPart) bool { return known.Same(&p) }) {
				of.Params.Parts = append(of.Params.Parts, p)
			}
		}
	}
	of.Text = of.sentence()
	return of
}

func (c *Class) code() CoverageCode {
	switch {
	case c.hasLine():
		return CoversCommands
	case AboutResource(c.Method):
		return CoversResource
	case !AboutTool(c.Method):
		return CoversPrompt
	}
	return CoversTool
}

// sentence says it as "git status, git log by execute_command on shell, in /work, reading only".
func (c *Coverage) sentence() string {
	p, text := &c.Params, ""
	switch c.Code {
	case CoversServer:
		return "everything on " + Show(*p.ServerID) + upTo(p.MaxRisk)
	case CoversReadingTools:
		return "tools on " + Show(*p.ServerID) + " whose names say that they only read" + upTo(p.MaxRisk)
	case CoversMode:
		return "everything that the agent does in this session" + upTo(p.MaxRisk)
	case CoversOwnTools:
		return "every tool of the agent's own" + upTo(p.MaxRisk)
	case CoversCommands:
		text = partsOf(p.Parts, p.MaxRisk) + " by "
	case CoversLine:
		text = "exactly this line, by "
	case CoversReading:
		text = "commands that only read, by "
	case CoversLooking:
		text = "commands that only read or ask the network, by "
	case CoversResource:
		text = "the resource "
	case CoversPrompt:
		text = "the prompt "
	}
	text += Show(p.ToolName)
	if p.ServerID != nil {
		text += " on " + Show(*p.ServerID)
	}
	if len(p.Hosts) > 0 {
		text += ", at " + showAll(p.Hosts)
	}
	if p.Path != "" {
		text += ", on " + Show(p.Path)
	}
	switch {
	case p.Folder != "" && c.Code == CoversFiles:
		text += ", on files in " + Show(p.Folder)
	case p.Folder != "":
		text += ", in " + Show(p.Folder)
	}
	return text + upTo(p.MaxRisk)
}

// partsOf names parts, those of one folder together: "git log, git diff > x in /work".
func partsOf(parts []ClassPart, upTo Risk) string {
	var texts []string
	for i, p := range parts {
		name := showWords(p.Name)
		for _, word := range p.Chosen {
			name += " " + Show(word)
		}
		for _, file := range p.Writes {
			name += " > " + Show(file)
		}
		if p.Risk == RiskLow && upTo == RiskMedium {
			name += " (only reading)"
		}
		if last := i == len(parts)-1 || parts[i+1].Folder != p.Folder; last && p.Folder != "" {
			name += " in " + Show(p.Folder)
		}
		texts = append(texts, name)
	}
	return strings.Join(texts, ", ")
}

func showAll(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = Show(name)
	}
	return strings.Join(shown, ", ")
}

// showWords is Show for words with one blank between.
func showWords(name string) string {
	for word := range strings.SplitSeq(name, " ") {
		if word == "" || Show(word) != word {
			return Show(name)
		}
	}
	return name
}

// upTo says which risk bounds it.
func upTo(risk Risk) string {
	switch risk {
	case RiskLow:
		return ", as long as it only reads"
	case RiskMedium:
		return ", up to medium risk"
	}
	return ", of any risk"
}
