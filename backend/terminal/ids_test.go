package terminal

import (
	"testing"

	"sekisho/backend/permission"
)

// TestNoTwoCallsThatWaitHaveOneName: who takes back one of two that end alike, before its answer comes,
// would have the other one answered.
func TestNoTwoCallsThatWaitHaveOneName(t *testing.T) {
	const (
		one   = "01890a5d-ac96-774b-bcce-0000aaf00001"
		other = "01890a5d-ac96-774b-bcce-1111aaf00001"
		third = "01890a5d-ac96-774b-bcce-0000aaf00002"
	)
	names := namesOf([]permission.Call{{ID: one}, {ID: other}, {ID: third}})
	for id, want := range map[permission.CallID]string{one: one + ".3", other: other + ".3", third: "f00002.3"} {
		got := names.of(id, 3)
		if got != want {
			t.Errorf("%s is called %s", id, got)
		}
		if n, err := parseName(got); err != nil || n.rev != 3 || n.whole != (len(got) > len("f00002.3")) {
			t.Errorf("%s is read as %+v, %v", got, n, err)
		}
	}
	s := &standing{Waiting: []waitingCall{{ID: one, rev: 1}, {ID: other, rev: 2}}}
	if s.name(); s.Waiting[0].Name != one+".1" || s.Waiting[1].Name != other+".2" {
		t.Errorf("%+v", s.Waiting)
	}
}
