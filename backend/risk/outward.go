package risk

import (
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/lazyregexp"
	"sekisho/backend/permission"
)

// outward are words in the name of a script or of a target that say that it sends or
// destroys.
var outward = map[string]permission.RiskCode{
	"deploy": permission.RiskPublishes, "deploys": permission.RiskPublishes, "publish": permission.RiskPublishes,
	"destroy": permission.RiskDestroys, "teardown": permission.RiskDestroys, "purge": permission.RiskDestroys,
	"push": permission.RiskPublishes,
	"drop": permission.RiskDestroys, "wipe": permission.RiskDestroys, "nuke": permission.RiskDestroys,
	"upload": permission.RiskSendsData, "delete": permission.RiskDestroys,
}

var (
	// wipes are tasks of frameworks that delete a database.
	wipes = strings.Fields("db:drop db:reset db:wipe db:purge db:drop:all db:migrate:reset db:truncate_all db:migrate:undo:all migrate:fresh " +
		"migrate:reset migrate:refresh flush reset_db sqlflush doctrine:database:drop doctrine:schema:drop")
)

// removing is an option that says that a program takes away what it finds.
var removing = lazyregexp.New(`^--(delete|purge|destroy|drop|wipe|erase|obliterate)([-=].*)?$`)

// outward judges what a project or an unknown program runs by the names that they give it.
func (l *lineJudge) outward(p *command.Part) {
	unknown := p.Stranger || p.Effects == 0
	if unknown && slices.ContainsFunc(p.Options, removing.MatchString) {
		l.add(permission.RiskHigh, permission.RiskDestroys, permission.Param("name", short(p.Name)), l.at(p.Span))
	}
	if !p.Effects.Has(command.Runs) && !unknown {
		return
	}
	names := []string{p.Verb}
	if unknown || p.Effects.Has(command.Fetches) || slices.Contains(launchers, p.Program) || p.Chooses {
		names = append(names, p.Operands[:min(len(p.Operands), 3)]...)
	}
	for _, name := range names {
		if strings.ContainsAny(name, "/.") || len(name) > 64 {
			continue // a script or a file
		}
		for _, word := range split(name) {
			if code, known := outward[word]; known {
				l.add(permission.RiskHigh, code, permission.Param("name", short(p.Name)), l.at(p.Span))
			}
		}
	}
	if slices.ContainsFunc(append([]string{p.Verb}, p.Operands...), func(w string) bool { return slices.Contains(wipes, w) }) {
		l.add(permission.RiskHigh, permission.RiskDropsData, permission.Param("name", short(p.Name)), l.at(p.Span))
	}
}
