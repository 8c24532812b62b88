package bus_test

import (
	"testing"

	"sekisho/backend/bus"
	"sekisho/backend/permission"
)

func events(from, n int) (out []permission.Event) {
	for i := range n {
		out = append(out, permission.Event{Seq: int64(from + i)})
	}
	return out
}

func TestEveryoneHearsInOrder(t *testing.T) {
	b := bus.New()
	first, stop := b.Subscribe()
	second, _ := b.Subscribe()
	b.Publish(events(1, 3))
	stop()
	stop()
	b.Publish(events(4, 1))
	b.Close()
	for name, c := range map[string]struct {
		from <-chan permission.Event
		n    int64
	}{"stopped": {first, 3}, "open": {second, 4}} {
		seq := int64(0)
		for e := range c.from {
			if seq++; e.Seq != seq {
				t.Errorf("%s heard %d as number %d", name, e.Seq, seq)
			}
		}
		if seq != c.n {
			t.Errorf("%s heard %d events, want %d", name, seq, c.n)
		}
	}
	if late, _ := b.Subscribe(); late != nil {
		if _, open := <-late; open {
			t.Error("a closed bus speaks")
		}
	}
}

func TestSlowOneIsDroppedAndNobodyWaits(t *testing.T) {
	b := bus.New()
	slow, _ := b.Subscribe()
	b.Publish(events(1, bus.Buffer))
	quick, _ := b.Subscribe()
	b.Publish(events(bus.Buffer+1, 1))
	if e := <-quick; e.Seq != bus.Buffer+1 {
		t.Errorf("the quick one heard %d", e.Seq)
	}
	n := 0
	for range slow {
		n++
	}
	if n != bus.Buffer {
		t.Errorf("the slow one heard %d before it was dropped", n)
	}
}
