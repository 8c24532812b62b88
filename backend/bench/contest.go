package main

import (
	"fmt"
	"slices"
	"time"
)

// contestant is measured once each round: turn gives nanoseconds an operation.
type contestant struct {
	name string
	turn func() (float64, error)

	rounds []float64
}

// compete lets all take their turns, round by round.
func compete(rounds int, all ...*contestant) error {
	for range rounds {
		for _, c := range all {
			ns, err := c.turn()
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			c.rounds = append(c.rounds, ns)
		}
	}
	return nil
}

func (c *contestant) median() float64 {
	sorted := slices.Sorted(slices.Values(c.rounds))
	return sorted[len(sorted)/2]
}

// times is the median and the spread as durations.
func (c *contestant) times() string {
	return fmt.Sprintf("%s (%s..%s)", duration(c.median()), duration(slices.Min(c.rounds)), duration(slices.Max(c.rounds)))
}

// rates is the same as operations a second.
func (c *contestant) rates() string {
	rate := func(ns float64) string { return fmt.Sprintf("%.0f/s", 1e9/ns) }
	return fmt.Sprintf("%s (%s..%s)", rate(c.median()), rate(slices.Max(c.rounds)), rate(slices.Min(c.rounds)))
}

func duration(ns float64) string {
	switch {
	case ns < 1000:
		return fmt.Sprintf("%.3g ns", ns)
	case ns < 1e7:
		return fmt.Sprintf("%.4g µs", ns/1e3)
	}
	return fmt.Sprintf("%.4g ms", ns/1e6)
}

// turnFor is how long a turn without a disk lasts.
const turnFor = 40 * time.Millisecond

// repeat makes a turn of an operation: it runs with 0, 1, 2 … until the turn is over
// or limit is reached. The clock is read once in a batch.
func repeat(limit, batch int, op func(int)) func() (float64, error) {
	return func() (float64, error) {
		n, start := 0, time.Now()
		for n < limit && time.Since(start) < turnFor {
			for range min(batch, limit-n) {
				op(n)
				n++
			}
		}
		return float64(time.Since(start).Nanoseconds()) / float64(n), nil
	}
}
