package mcpwire_test

import (
	"strings"
	"testing"
	"time"

	"sekisho/backend/mcpwire"
)

func TestBridged(t *testing.T) {
	whole := mcpwire.Bridged{Run: "0198-a", Call: "0198-b", Waited: 1500 * time.Millisecond, Beats: 7, Again: true}
	for _, want := range []mcpwire.Bridged{{}, whole, {Waited: time.Second}} {
		if got, ok := mcpwire.ReadBridged(want.Header()); !ok || got != want {
			t.Errorf("%q: %+v", want.Header(), got)
		}
	}
	if _, ok := mcpwire.ReadBridged(""); ok {
		t.Error("there was none")
	}
	for _, odd := range []string{"1", "%zz", "run=a", "call=b", "run=A&call=b", "run=a%0Ab&call=c", "run=a&call=" + strings.Repeat("b", 65),
		"waited=-1", "waited=99999999999999999999", "beats=x", "beats=1e3", "again=true"} {
		if got, ok := mcpwire.ReadBridged(odd); !ok || got != (mcpwire.Bridged{}) {
			t.Errorf("%q: %+v", odd, got)
		}
	}
}
