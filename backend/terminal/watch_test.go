package terminal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestALineIsToWhatWasShownWhenItWasTyped: one that was read before a call could be is no
// answer to it, however late the desk lets it be looked at; and more than a yes is none.
func TestALineIsToWhatWasShownWhenItWasTyped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		w := &watch{out: &out} // without a desk: to answer would panic
		typed := time.Now()
		time.Sleep(time.Second)
		w.on = &onScreen{call: waiting(), text: []string{"all"}, shown: 1, armed: time.Now().Add(arming)}
		time.Sleep(time.Minute)
		for line, want := range map[typedLine]string{{"y", typed}: "typed before this call could be read",
			{"y 30m", time.Now()}: `"y 30m" is none of y, n`, {"yes it is wrong", time.Now()}: `"yes it is wrong" is none of`} {
			out.Reset()
			if err := w.typed(t.Context(), line); err != nil || !strings.Contains(out.String(), want) {
				t.Errorf("%q: %v %s", line.text, err, &out)
			}
		}
	})
}
