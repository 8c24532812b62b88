package permission_test

import (
	"testing"

	"sekisho/backend/permission"
)

// TestGiven: the yes of a call that was handed over is given as long as its lease, and no other
// call's is.
func TestGiven(t *testing.T) {
	for _, tt := range []struct {
		handed bool
		at     permission.Time
		want   bool
	}{{true, 9, true}, {true, 10, false}, {true, 11, false}, {false, 9, false}} {
		c := permission.Call{Status: permission.Completed, HandedOver: tt.handed, LeaseExpiresAt: 10}
		if got := c.Given(tt.at); got != tt.want {
			t.Errorf("handed over %v, at %d of a lease to 10: %v", tt.handed, tt.at, got)
		}
	}
}
