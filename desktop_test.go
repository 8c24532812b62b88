package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestQuitUntilOver: a wish to quit that is lost is said again, and none that was heard.
func TestQuitUntilOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		said := 0
		untilOver(ctx, func() {
			if said++; said == 3 { // the main loop runs by now
				stop()
			}
		})
		if said != 3 {
			t.Errorf("said %d times", said)
		}
		untilOver(ctx, func() { t.Error("said when it was over") })

		ctx, stop = context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, stop)
		said = 0
		untilOver(ctx, func() { said++ })
		if said < 2 || said > 1000 {
			t.Errorf("said %d times in a minute", said)
		}
	})
}
