package learn

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/history"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// Priorities of the rules that say what an entry says: what denies or asks comes first, as
// it does in all these programs.
const (
	guardPriority = 100
	allowPriority = 10
	// safely keeps what is allowed from reaching a dangerous call.
	safely = `risk != "high"`
)

// entry notes an entry of a program's list.
func (l *learner) entry(e history.Entry) { l.entries = append(l.entries, e) }

// lists gives the entries, equal ones of one program once, with what they would let pass.
func (l *learner) lists() {
	type name struct {
		client history.Client
		effect permission.Effect
		text   string
	}
	at := map[name]int{}
	for i := range l.entries {
		e := &l.entries[i]
		key := name{e.Client, e.Effect, e.Text}
		if n, known := at[key]; known {
			if files := &l.result.Lists[n].Files; !slices.Contains(*files, e.File) {
				*files = append(*files, e.File)
			}
			continue
		}
		at[key] = len(l.result.Lists)
		l.result.Lists = append(l.result.Lists, l.listed(e, len(l.result.Lists)))
	}
}

// listed is an entry with the rule that says the same.
func (l *learner) listed(e *history.Entry, nth int) ListEntry {
	out := ListEntry{Client: e.Client, Files: []string{e.File}, Effect: e.Effect, Text: e.Text, Unsafe: dangers(e)}
	form, ok := l.form(e)
	if !ok {
		if e.Tool != "" && !offered(e) {
			out.Unsafe = append(out.Unsafe, unsafe(Untranslated, ""))
		}
		return out
	}
	rule, ok := ruleOf(form, "listed", nth)
	if !ok {
		out.Unsafe = append(out.Unsafe, unsafe(Untranslated, ""))
		return out
	}
	out.Rule = &form
	program := ""
	if p := partOf(e); p != nil {
		program = p.Program
	}
	out.Calls = l.reach(rule, program)
	return out
}

// ruleOf makes a rule of a form; it is not ok where no desk would take it.
func ruleOf(form permission.RuleForm, name string, nth int) (permission.Rule, bool) {
	rule, err := form.Apply(permission.Rule{ID: permission.RuleID(name + "-" + strconv.Itoa(nth))})
	return rule, err == nil && rule.Valid() == nil && policy.CheckRule(&rule) == nil
}

// form is the rule that says what an entry says, as far as that is safe.
func (l *learner) form(e *history.Entry) (f permission.RuleForm, ok bool) {
	if e.Tool == "" || offered(e) {
		return f, false
	}
	f = permission.NewRuleForm()
	f.Effect, f.Priority, f.ServerID = &e.Effect, guardPriority, e.Server
	var conditions []string
	if e.Server == nil {
		conditions = append(conditions, "serverId == null")
	}
	switch about, ok := l.about(e); {
	case !ok:
		return f, false
	case about != "":
		conditions = append(conditions, about)
	}
	if e.Effect == permission.Allow {
		f.Priority = allowPriority
		conditions = append(conditions, safely)
	}
	switch tool := e.Tool; {
	case tool == "*":
	case strings.Contains(tool, "*"):
		f.ToolPattern = &tool
	default:
		f.ToolName = &tool
	}
	if len(conditions) > 0 {
		all := strings.Join(conditions, " && ")
		f.Condition = &all
	}
	return f, true
}

// about is the condition for what an entry says beside its tool; "" is none.
func (l *learner) about(e *history.Entry) (condition string, ok bool) {
	switch {
	case e.Line != "":
		return lineCondition(e)
	case e.Host != "":
		return "input.url.startsWith(" + strconv.Quote("https://"+e.Host+"/") + ")", !strings.Contains(e.Host, "*")
	case e.Path != "":
		return l.pathCondition(e)
	}
	return "", true
}

// pathCondition is about a file, or about a folder with all below it.
func (l *learner) pathCondition(e *history.Entry) (string, bool) {
	member := map[history.Client]string{history.Claude: "input.file_path", history.Opencode: "input.filePath"}[e.Client]
	file := e.Path
	switch rest, home := strings.CutPrefix(file, "~/"); {
	case home && l.Home != "":
		file = filepath.ToSlash(filepath.Join(l.Home, rest))
	case e.Client == history.Claude && strings.HasPrefix(file, "//"):
		file = file[1:]
	case e.Client == history.Claude || !strings.HasPrefix(file, "/"):
		return "", false // it begins where the settings lie, or anywhere
	}
	folder, all := strings.CutSuffix(file, "/**")
	switch {
	case member == "" || strings.ContainsAny(folder, "*?[{"):
		return "", false
	case all:
		return "under(" + member + ", " + strconv.Quote(folder) + ")", true
	}
	return member + " == " + strconv.Quote(file), true
}

// lineCondition is about the programs that a line runs. An entry whose words reach beyond
// a program and its verb is held against these words.
func lineCondition(e *history.Entry) (string, bool) {
	member := "input." + e.Key
	switch words, starred := strings.CutSuffix(e.Line, "*"); {
	case e.Match == history.Exact:
		return member + " == " + strconv.Quote(e.Line), e.Effect == permission.Allow
	case e.Match == history.Glob && (!starred || strings.Contains(words, "*")):
		return "", false
	}
	p := partOf(e)
	if p == nil {
		return "", false
	}
	about := []string{"p.program == " + strconv.Quote(p.Program)}
	if p.Verb != "" {
		about = []string{"p.name == " + strconv.Quote(p.Name)}
	}
	if more := command.Read(p.Name + " x").Parts[0].Name; more != p.Name && p.Verb != "" { // as npm run, whose verbs have two words
		about = []string{"p.name.startsWith(" + strconv.Quote(p.Name+" ") + ")"}
	}
	for i, word := range p.Operands {
		about = append(about, fmt.Sprintf("p.operands.size() > %d && p.operands[%d] == %s", i, i, strconv.Quote(word)))
	}
	for _, word := range p.Options {
		about = append(about, strconv.Quote(word)+" in p.options")
	}
	each := "all"
	if e.Effect != permission.Allow {
		each = "exists"
	}
	return "shell(" + member + ").parts." + each + "(p, " + strings.Join(about, " && ") + ")", true
}

// partOf is the one command that the words of an entry are; nil: they are none, or more.
func partOf(e *history.Entry) *command.Part {
	line := command.Read(strings.TrimSpace(strings.TrimSuffix(e.Line, "*")))
	if len(line.Parts) != 1 || line.Opaque {
		return nil
	}
	if p := &line.Parts[0]; !p.Code && !p.Unusual && p.Program != "" {
		return p
	}
	return nil
}
