package advice

import (
	"cmp"
	"fmt"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// maxCommands is how many commands of one tool are proposed: a person is to read them,
// and each is held against what was declined.
const maxCommands = 10

// commands proposes to allow commands of a tool, those first that were approved most
// often.
func (s *suggester) commands(h *habit) {
	if h.blind || h.risk.Rank() >= permission.RiskHigh.Rank() {
		return
	}
	r := permission.Rule{ServerID: h.server, ToolName: &h.tool, Effect: permission.Allow, AutoApprove: true}
	near := s.near(extentOf(&r))
	place, free := placeFor(near)
	if !free {
		return
	}
	r.Priority = place
	tried := 0
	for _, same := range h.repeated() {
		if d := s.set.Decide(same[0].call, s.now); !s.unguarded(d.Rule) {
			continue // or decided already
		}
		if tried++; tried > maxCommands {
			return
		}
		s.command(h, same, r, near)
	}
}

// repeated are the commands that were approved often enough, each with all its calls: the
// first of them with a description, if one has, since what pins it goes for those without
// one too.
func (h *habit) repeated() (list [][]answeredCommand) {
	of, approvals := map[string][]answeredCommand{}, map[string]int{}
	for _, c := range h.commands {
		of[c.same] = append(of[c.same], c)
		approvals[c.same] += c.approved
	}
	for same, calls := range of {
		if approvals[same] >= minAnswers {
			if i := slices.IndexFunc(calls, func(c answeredCommand) bool { return c.described }); i > 0 {
				calls[0], calls[i] = calls[i], calls[0]
			}
			list = append(list, calls)
		}
	}
	slices.SortFunc(list, func(a, b []answeredCommand) int {
		return cmp.Or(cmp.Compare(approvals[b[0].same], approvals[a[0].same]), cmp.Compare(a[0].same, b[0].same))
	})
	return list
}

// command proposes to allow what is pinned by the first of calls that are the same to a
// person, unless the rule would allow anything that was declined.
func (s *suggester) command(h *habit, same []answeredCommand, r permission.Rule, near []permission.Rule) {
	conditions := pins(same[0].call)
	if len(conditions) == 0 {
		return
	}
	r.Condition = &conditions[0]
	alone := r
	alone.ID, alone.Enabled = "alone", true
	pinned := policy.Compile([]permission.Rule{alone}, 0)
	for _, c := range h.commands {
		if c.declined > 0 && pinned.Decide(c.call, s.now).Effect == permission.Allow {
			return
		}
	}
	calls, approvals := make([]policy.Call, len(same)), 0
	for i, c := range same {
		calls[i], approvals = c.call, approvals+c.approved
	}
	s.propose(r, near, calls, permission.Suggestion{Answers: approvals, Tools: []string{h.tool},
		Reason: fmt.Sprintf("this same call was approved %d times, never declined", approvals)})
}
