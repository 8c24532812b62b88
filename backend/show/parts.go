package show

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
)

// partsOf are the parts of a line with what each does.
func partsOf(line *command.Line) []permission.CommandPart {
	parts := []permission.CommandPart{}
	for i := range line.Parts[:min(len(line.Parts), maxPieces)] {
		p := &line.Parts[i]
		if p.Program == "" && !p.Opaque && len(p.Writes) == 0 {
			continue // assignments alone, or nothing
		}
		parts = append(parts, permission.CommandPart{Name: nameOf(p), Effects: effectsOf(p), Writes: append([]string{}, p.Writes...)})
	}
	return parts
}

// nameOf is a part's program with its verb; "" is the shell itself.
func nameOf(p *command.Part) string {
	if p.Program == ":" {
		return ""
	}
	return p.Name
}

// deleters are programs that do nothing but delete what is named.
var deleters = []string{"rm", "rmdir", "unlink", "shred", "trash"}

// known are the effects of the table, as they are told.
var known = []struct {
	effect command.Effect
	told   permission.PartEffect
}{
	{command.Destroys, permission.EffectDestroys}, {command.Raises, permission.EffectRaises}, {command.Remote, permission.EffectRemote},
	{command.Sends, permission.EffectSends}, {command.Secrets, permission.EffectSecrets}, {command.Runs, permission.EffectRuns},
	{command.Changes, permission.EffectChanges}, {command.Fetches, permission.EffectFetches}, {command.Reads, permission.EffectReads},
}

// effectsOf says what a part does, the gravest first.
func effectsOf(p *command.Part) []permission.PartEffect {
	var all []permission.PartEffect
	for _, k := range known {
		if p.Effects.Has(k.effect) {
			all = append(all, k.told)
		}
	}
	add := func(is bool, told permission.PartEffect) {
		if is {
			all = append(all, told)
		}
	}
	deletes := p.Effects.Has(command.Changes) && slices.Contains(deleters, p.Program)
	add(deletes, permission.EffectDeletes)
	add(p.Opaque, permission.EffectOpaque)
	add(p.Program != "" && !p.Opaque && (p.Effects == 0 || p.Unusual), permission.EffectUnknown)
	add(p.Code, permission.EffectCode)
	add(len(p.Writes) > 0, permission.EffectWrites)
	return plainly(all, deletes)
}

// plainly puts effects in their order, each once, without those that another one says with
// more.
func plainly(all []permission.PartEffect, deletes bool) []permission.PartEffect {
	has := func(e permission.PartEffect) bool { return slices.Contains(all, e) }
	told := []permission.PartEffect{}
	for _, e := range permission.PartEffects {
		switch {
		case !has(e):
		case e == permission.EffectReads && len(told) > 0:
		case e == permission.EffectFetches && (has(permission.EffectSends) || has(permission.EffectRemote)):
		case e == permission.EffectRuns && (has(permission.EffectCode) || has(permission.EffectRemote)):
		case e == permission.EffectDeletes && has(permission.EffectDestroys):
		case e == permission.EffectChanges && deletes:
		default:
			told = append(told, e)
		}
	}
	return told
}

// maxNamed bounds the programs that a summary names.
const maxNamed = 4

// summaryOfLine says which programs a line runs, and what each does.
func summaryOfLine(line *command.Line) permission.Summary {
	if line.Foreign {
		return told(permission.SummaryRunsNotRead, "")
	}
	var words []string
	programs, opaque := programsOf(line, &words)
	s := permission.Summary{}
	switch {
	case line.Opaque || opaque:
		s = told(permission.SummaryRunsUnclear, permission.Param("count", len(programs)))
	case len(programs) == 0 && len(words) > 0:
		return told(permission.SummaryShellWords, permission.Param("names", strings.Join(words, ", ")))
	case len(programs) == 0:
		return told(permission.SummaryRunsNone, "")
	case len(programs) == 1 && slices.Equal(programs[0].Effects, []permission.PartEffect{permission.EffectUnknown}):
		return told(permission.SummaryRunsUnknown, permission.Param("program", programs[0].Program))
	default:
		s = told(permission.SummaryRuns, permission.Param("count", len(programs)))
	}
	s.Programs, s.Rest = gravest(programs)
	s.Params = s.Params.With(permission.Param("more", len(programs)-len(s.Programs)))
	s.Text = sentence(&s)
	return s
}

// programsOf gathers the parts of a line by their programs. words are those of the shell's
// own that change nothing, which are no programs.
func programsOf(line *command.Line, words *[]string) (programs []permission.ProgramSummary, opaque bool) {
	for i := range line.Parts {
		p := &line.Parts[i]
		effects := effectsOf(p)
		switch quiet := slices.Equal(effects, []permission.PartEffect{permission.EffectReads}); {
		case quiet && command.Builtin(p.Program):
			if name := permission.Short(p.Program, maxName); !slices.Contains(*words, name) && len(*words) < maxNamed {
				*words = append(*words, name)
			}
			continue
		case quiet && p.Neutral && p.Stranger: // a function of the line, whose parts are among the others
			continue
		case p.Program == "" && len(p.Writes) == 0:
			opaque = opaque || p.Opaque
			continue
		}
		name := permission.Short(p.Program, maxName)
		if name == ":" {
			name = ""
		}
		at := slices.IndexFunc(programs, func(s permission.ProgramSummary) bool { return s.Program == name })
		if at < 0 {
			programs = append(programs, permission.ProgramSummary{Program: name, Effects: effects})
			continue
		}
		programs[at].Effects = joined(programs[at].Effects, effects)
	}
	return programs, opaque
}

// maxName bounds the name of a program in a summary.
const maxName = 60

// joined are the effects of two parts.
func joined(a, b []permission.PartEffect) []permission.PartEffect {
	all := slices.Concat(a, b)
	return plainly(all, !slices.Contains(all, permission.EffectChanges))
}

// gravest picks the programs that a summary names, in their order, and says what the others
// do.
func gravest(all []permission.ProgramSummary) (named []permission.ProgramSummary, rest []permission.PartEffect) {
	places := make([]int, len(all))
	for i := range places {
		places[i] = i
	}
	gravity := func(i int) int { return slices.Index(permission.PartEffects[:], all[i].Effects[0]) }
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(gravity(a), gravity(b)) })
	chosen := places[:min(len(places), maxNamed)]
	named = []permission.ProgramSummary{}
	for i, p := range all {
		if slices.Contains(chosen, i) {
			named = append(named, p)
		} else {
			rest = joined(rest, p.Effects)
		}
	}
	return named, append([]permission.PartEffect{}, rest...)
}

// effectWords say in English what a program does.
var effectWords = map[permission.PartEffect]string{
	permission.EffectDestroys: "destroys", permission.EffectRaises: "takes or gives more rights",
	permission.EffectRemote: "runs code from the internet", permission.EffectSends: "sends",
	permission.EffectSecrets: "shows keys or passwords", permission.EffectOpaque: "does what the text does not tell",
	permission.EffectUnknown: "is not known to Sekisho", permission.EffectCode: "runs a text as a program",
	permission.EffectRuns: "runs other code", permission.EffectDeletes: "deletes files", permission.EffectChanges: "changes files or settings",
	permission.EffectWrites: "writes a file", permission.EffectFetches: "uses the network", permission.EffectReads: "reads",
}

// EffectsText is a list of effects in English.
func EffectsText(effects []permission.PartEffect) string {
	texts := make([]string, len(effects))
	for i, e := range effects {
		texts[i] = effectWords[e]
	}
	return strings.Join(texts, " and ")
}

// programsText is what the programs of a summary do, in English.
func programsText(s *permission.Summary, more int) string {
	var texts []string
	for _, p := range s.Programs {
		texts = append(texts, cmp.Or(p.Program, "the shell")+" "+EffectsText(p.Effects))
	}
	if more > 0 {
		texts = append(texts, strconv.Itoa(more)+" more ("+EffectsText(s.Rest)+")")
	}
	return strings.Join(texts, ", ")
}
