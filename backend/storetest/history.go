package storetest

import (
	"encoding/json"
	"fmt"
	"slices"

	"sekisho/backend/permission"
)

// steps are the lawful changes of a call's status (CONTRACT section 3). "" is the
// call's arrival, which may be told with the status that it was given at once.
var steps = map[permission.Status][]permission.Status{
	"":                   {permission.Pending, permission.Approved, permission.Denied},
	permission.Pending:   {permission.Approved, permission.Denied, permission.Declined, permission.Expired, permission.Cancelled},
	permission.Approved:  {permission.Claimed, permission.Revoked, permission.Expired, permission.Cancelled, permission.Pending},
	permission.Claimed:   {permission.Completed, permission.Failed, permission.InDoubt},
	permission.InDoubt:   {permission.Completed, permission.Failed, permission.Approved},
	permission.Denied:    {},
	permission.Declined:  {},
	permission.Expired:   {},
	permission.Cancelled: {},
	permission.Revoked:   {},
	permission.Completed: {},
	permission.Failed:    {},
}

// History is what the journal says of one call.
type History struct {
	Status   permission.Status
	Claims   int  // how often the right to execute was given
	Yes      bool // a rule, a grant or a person has approved it since it last waited
	Decided  int  // entries that settled the question
	Entries  int
	problems []string
}

// Replay follows every call through the journal and complains of what must not be:
// a step that is not lawful, or a claim without a committed yes.
func Replay(entries []permission.Entry) (calls map[permission.CallID]*History, complaints []string) {
	calls = map[permission.CallID]*History{}
	for _, e := range entries {
		if e.CallID == nil {
			continue
		}
		h := calls[*e.CallID]
		if h == nil {
			h = &History{}
			calls[*e.CallID] = h
		}
		h.take(e)
	}
	for id, h := range calls {
		for _, p := range h.problems {
			complaints = append(complaints, fmt.Sprintf("call %s: %s", id, p))
		}
	}
	return calls, complaints
}

func (h *History) take(e permission.Entry) {
	var said struct {
		Status  permission.Status `json:"status"`
		Renewed bool              `json:"renewed"`
	}
	if err := json.Unmarshal(e.Data, &said); err != nil {
		h.problems = append(h.problems, err.Error())
	}
	if h.Entries++; h.Entries == 1 && e.Kind != permission.CallCreated {
		h.problems = append(h.problems, "begins with "+string(e.Kind))
	}
	if e.Kind == permission.CallDecided {
		h.Decided++
	}
	if said.Status == "" || said.Renewed {
		return
	}
	arrived := e.Kind == permission.CallDecided && h.Entries == 2 && said.Status == h.Status // a rule decided on arrival
	if !arrived && !slices.Contains(steps[h.Status], said.Status) {
		h.problems = append(h.problems, fmt.Sprintf("entry %d: %q becomes %q", e.Seq, h.Status, said.Status))
	}
	if said.Status == permission.Claimed {
		h.Claims++
		if !h.Yes {
			h.problems = append(h.problems, fmt.Sprintf("entry %d: claimed without a yes", e.Seq))
		}
	}
	h.Yes = said.Status == permission.Approved
	h.Status = said.Status
}

// Reaches reports whether a call that was seen in one state may lawfully be in
// another later.
func Reaches(from, to permission.Status) bool {
	seen := map[permission.Status]bool{}
	var walk func(permission.Status) bool
	walk = func(at permission.Status) bool {
		if at == to {
			return true
		}
		if seen[at] {
			return false
		}
		seen[at] = true
		return slices.ContainsFunc(steps[at], walk)
	}
	return walk(from)
}
