package workspace

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/risk"
)

// Judgement is what is said of a call before the rules.
type Judgement struct {
	// Refused is why the call is refused, whatever rules and persons say; nil: they decide.
	Refused *permission.Explanation
	Level   permission.Risk
	Reasons []permission.RiskReason // of that level
	Once    bool                    // an answer reaches this call alone
}

// Judge judges a call of a tool of a workspace. confined says that its commands are.
func Judge(s *permission.Server, tool string, input json.RawMessage, confined bool) Judgement {
	root := ""
	if s.RunsHere() {
		root = s.Cwd
	}
	c, bad := guard.Parse(root, tool, input)
	var v guard.Verdict
	if bad == nil {
		v, bad = guard.Judge(root, c)
	}
	own, reasons := risk.Judge(risk.Call{Tool: tool, Server: s.ID, Own: true, Level: new(permission.RiskLow), Input: input, Cwd: root})
	reasons = slices.DeleteFunc(reasons, func(r permission.RiskReason) bool { return r.Code == permission.RiskPerson })
	if bad != nil {
		if own == permission.RiskLow { // nobody has looked at it any further
			own, reasons = permission.RiskMedium, []permission.RiskReason{risk.Reason(permission.RiskUnknownTool, "", nil)}
		}
		return Judgement{Refused: Explain(bad), Level: own, Reasons: reasons}
	}
	j := Judgement{Level: v.Level, Once: v.Once}
	all := said(c, v, input)
	if tool == guard.ExecuteCommand && !confined {
		all = append(all, leveled{permission.RiskMedium, risk.Reason(permission.RiskUnconfined, permission.Param("name", name(v)), nil)})
	}
	if own == permission.RiskHigh { // what is medium there, the table has its own word for
		for _, r := range reasons {
			all = append(all, leveled{own, r})
		}
	}
	for _, r := range all {
		if r.level.Rank() > j.Level.Rank() {
			j.Level = r.level
		}
	}
	j.Reasons = gathered(all, j.Level)
	return j
}

// Explain is a refusal as the reason of a decision.
func Explain(bad *guard.Refusal) *permission.Explanation {
	return &permission.Explanation{Code: permission.ReasonCode(bad.Code), Params: permission.Param("detail", bad.Detail), Reason: bad.Error()}
}

// leveled is a reason with the level that it is of.
type leveled struct {
	level permission.Risk
	permission.RiskReason
}

// said are the reasons of the table, with what of the input is meant.
func said(c guard.Call, v guard.Verdict, input json.RawMessage) (all []leveled) {
	var given struct{ Path string }
	_ = json.Unmarshal(input, &given) // guard has read it
	for _, r := range v.Reasons {
		params, at := permission.Param("name", name(v)), place("/command", c.Command)
		switch {
		case c.Tool != guard.ExecuteCommand:
			params, at = permission.Param("path", c.Path), place("/path", given.Path)
			if r.Code == permission.RiskChanges {
				r.Code = permission.RiskWrites
			}
		case r.Word != guard.WholeCall:
			at = place(fmt.Sprintf("/args/%d", r.Word), c.Args[r.Word])
			if r.Code == permission.RiskSecret {
				params = permission.Param("path", c.Args[r.Word])
			}
		}
		all = append(all, leveled{r.Level, risk.Reason(r.Code, params, at)})
	}
	return all
}

// name is what a person calls a command by: git push, and not what stands behind.
func name(v guard.Verdict) string { return strings.TrimSpace(v.Program + " " + v.Verb) }

func place(pointer, text string) *permission.InputPlace {
	return &permission.InputPlace{Pointer: pointer, End: len(utf16.Encode([]rune(text)))}
}

// gathered are the reasons of a level, each code once for the same thing.
func gathered(all []leveled, level permission.Risk) []permission.RiskReason {
	out := []permission.RiskReason{}
	for _, r := range all {
		if r.level != level || level == permission.RiskLow {
			continue
		}
		same := func(o permission.RiskReason) bool { return o.Code == r.Code && o.Params == r.Params }
		if !slices.ContainsFunc(out, same) {
			out = append(out, r.RiskReason)
		}
	}
	return out
}
