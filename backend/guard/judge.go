package guard

import (
	"slices"

	"sekisho/backend/permission"
)

// Verdict is what is said of a call that is not refused.
type Verdict struct {
	Level   permission.Risk
	Reasons []Reason // why it is above low
	Once    bool     // an answer reaches this call alone
	Program string
	Verb    string
	Network bool     // it is started with a network
	Paths   []string // of the workspace, that its words name
}

// Reason is why a call is above low.
type Reason struct {
	Code  permission.RiskCode
	Level permission.Risk
	Word  int // the argument of a command that is meant; WholeCall is none
}

// WholeCall is in the place of an argument where all of a command, or a path, is meant.
const WholeCall = -1

// Judge refuses a call, or gives its base level.
func Judge(root string, c Call) (Verdict, *Refusal) {
	switch c.Tool {
	case ReadFile, ListDirectory:
		v := Verdict{Level: permission.RiskLow, Paths: []string{c.Path}}
		if Secret(c.Path) || c.Tool == ListDirectory && namesSecret(c.Pattern) {
			v.raise(permission.RiskHigh, permission.RiskSecret, WholeCall)
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
		v.raise(level, why, WholeCall)
		return v, nil
	case ExecuteCommand:
		return commandVerdict(root, c)
	}
	return Verdict{}, refuse(BadInput, "there is no tool of this name")
}

// raise puts the level up, and never down.
func (v *Verdict) raise(level permission.Risk, why permission.RiskCode, word int) {
	if order(level) > order(v.Level) {
		v.Level = level
	}
	same := func(r Reason) bool { return r.Code == why && (r.Word == word || why != permission.RiskSecret) }
	if !slices.ContainsFunc(v.Reasons, same) {
		v.Reasons = append(v.Reasons, Reason{why, level, word})
	}
}

func order(r permission.Risk) int { return slices.Index(permission.Risks[:], r) }
