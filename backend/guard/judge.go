package guard

import (
	"slices"

	"sekisho/backend/permission"
)

// Verdict is what is said of a call that is not refused.
type Verdict struct {
	Level   permission.Risk
	Reasons []permission.RiskCode // why it is above low
	Once    bool                  // an answer reaches this call alone
	Program string
	Verb    string
	Network bool     // it is started with a network
	Paths   []string // of the workspace, that its words name
}

// Judge refuses a call, or gives its base level.
func Judge(root string, c Call) (Verdict, *Refusal) {
	switch c.Tool {
	case ReadFile, ListDirectory:
		v := Verdict{Level: permission.RiskLow, Paths: []string{c.Path}}
		if secret(c.Path) || c.Tool == ListDirectory && namesSecret(c.Pattern) {
			v.raise(permission.RiskHigh, permission.RiskSecret)
		}
		return v, nil
	case WriteFile:
		if c.Path == "." {
			return Verdict{}, refuse(FileTypeNotAllowed, "the workspace itself is a folder")
		}
		level, why, bad := writing(c.Path)
		if bad != nil {
			return Verdict{}, bad
		}
		v := Verdict{Paths: []string{c.Path}}
		v.raise(level, why)
		return v, nil
	case ExecuteCommand:
		return commandVerdict(root, c)
	}
	return Verdict{}, refuse(BadInput, "there is no tool of this name")
}

// raise puts the level up, and never down.
func (v *Verdict) raise(level permission.Risk, why permission.RiskCode) {
	if order(level) > order(v.Level) {
		v.Level = level
	}
	if !slices.Contains(v.Reasons, why) {
		v.Reasons = append(v.Reasons, why)
	}
}

func order(r permission.Risk) int { return slices.Index(permission.Risks[:], r) }
