package risk

import (
	"encoding/json"

	"sekisho/backend/permission"
)

// Call is what is judged.
type Call struct {
	Tool   string
	Server string
	Hint   bool // the server says that the tool may destroy
	Own    bool // the tool is the desk's own
	// Level is what a person said of the tool, in place of its name and the hint; nil is
	// nothing.
	Level *permission.Risk
	Input json.RawMessage
	Cwd   string // "" is not known
}

// maxReasons bounds the reasons of a level.
const maxReasons = 12

// judge gathers reasons.
type judge struct {
	Call
	high   []permission.RiskReason
	medium []permission.RiskReason
	level  permission.Risk   // the highest of what was added, kept also where the reasons are too many
	parts  []permission.Risk // of the line, each by itself
	given  bool              // a person called the tool low, and no line says what it does
}

func higher(a, b permission.Risk) permission.Risk {
	if a.Rank() > b.Rank() {
		return a
	}
	return b
}

// add adds a reason of a level, once.
func (j *judge) add(level permission.Risk, code permission.RiskCode, params permission.Params, at *permission.InputPlace) {
	j.level = higher(j.level, level)
	list := &j.medium
	if level == permission.RiskHigh {
		list = &j.high
	}
	if len(*list) >= maxReasons {
		return
	}
	for _, r := range *list {
		if r.Code == code && r.Params == params {
			return
		}
	}
	*list = append(*list, Reason(code, params, at))
}

// Reason is one of those for which the risk of a call is above low, with its text.
func Reason(code permission.RiskCode, params permission.Params, at *permission.InputPlace) permission.RiskReason {
	return permission.RiskReason{Code: code, Params: params, Text: sentence(code, params), At: at}
}
