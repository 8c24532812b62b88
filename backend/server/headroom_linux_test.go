package server

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestHeadroomTouchesNothing: it makes room in a heap that was in use before, and takes no memory.
func TestHeadroomTouchesNothing(t *testing.T) {
	used := make([]byte, headroom/2)
	for i := range used {
		used[i] = 1
	}
	used = nil
	runtime.GC()
	before := resident(t)
	room := Headroom()
	if grown := resident(t) - before; grown > headroom/4 || room.Cap() < headroom {
		t.Errorf("%d bytes more in memory, for a room of %d", grown, room.Cap())
	}
}

// resident is how many bytes of this program are in memory.
func resident(t *testing.T) (bytes int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var pages int
	if _, err := fmt.Sscan(strings.Fields(string(status))[1], &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
