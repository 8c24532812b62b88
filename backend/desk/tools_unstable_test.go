package desk_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

// TestAnUnstableListIsToldOnceAMinute: a server that changes its tools with each list fills
// no journal; what was not kept of them asks, and is kept a minute later.
func TestAnUnstableListIsToldOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		defer h.close()
		h.install("npx")
		h.rule(permission.Allow, "*")
		list := func(round int) {
			var tools []string
			for i := range 100 {
				tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":"%d"}`, i, round))
			}
			h.saw(tools...)
		}
		size := func() (n int) {
			for _, e := range h.entries() {
				n += len(e.Data)
			}
			return n
		}
		list(0)
		one := size()
		for round := range 50 {
			list(1 + round)
		}
		if got := size(); got > 10*one {
			t.Errorf("51 lists cost %d bytes of journal, the first %d", got, one)
		}
		h.wantAsked("tool_7", permission.ChangedUnknown)
		before := size()
		time.Sleep(61 * time.Second)
		list(50)
		kept := size()
		if kept < before+one/2 {
			t.Errorf("a minute later: %d bytes after %d", kept, before)
		}
		h.wantAllowed("tool_8")
		list(51) // allowed by now: a person hears of that at once
		h.wantAsked("tool_8", permission.ChangedDefinition)
		list(52)
		list(53)
		if got := size(); got > kept+2*one {
			t.Errorf("two lists more: %d bytes after %d", got, kept)
		}
	})
}
