package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// atOnce is how many callers the rates are measured with.
const atOnce = 16

// gateway measures tool calls of 1 KiB through the desk, decided by a rule, with all
// that is kept of them, against the same call without it. The fast server is the
// official one of the Go SDK, written for its conformance suite; the ordinary one is
// npm's server-everything. The relay looks at nothing: what a second hop costs
// by itself. A large result comes from a server of this program. A bridge makes an
// HTTP server of a stdio one, as the desk does too.
func gateway(ctx context.Context, s settings, dir string) (rows []row, err error) {
	var all yard
	defer func() { err = errors.Join(err, all.close()) }()
	fast, err := buildFast(ctx, dir)
	if err != nil {
		return nil, err
	}
	bare, err := all.listen(ctx, func(address string) []string { return []string{fast, "-http", address} }, "/")
	if err != nil {
		return nil, err
	}
	ordinary, err := all.listenOnPort(ctx, func(port string) []string { return []string{"node", everything, "streamableHttp"} }, "/mcp")
	if err != nil {
		return nil, err
	}
	relay, err := all.listen(ctx, func(address string) []string { return []string{os.Args[0], relayCommand, address, bare} }, "/")
	if err != nil {
		return nil, err
	}
	huge, err := all.listen(ctx, func(address string) []string { return []string{os.Args[0], largeCommand, address} }, "/")
	if err != nil {
		return nil, err
	}
	bridge := func(flags ...string) (string, error) {
		return all.listenOnPort(ctx, func(port string) []string {
			return append([]string{"node", supergateway, "--stdio", fast, "--outputTransport", "streamableHttp", "--logLevel", "none", "--port",
				port}, flags...)
		}, "/mcp")
	}
	super, err := bridge("--stateful")
	if err != nil {
		return nil, err
	}
	plain, err := bridge()
	if err != nil {
		return nil, err
	}
	proxy, err := all.listenOnPort(ctx, func(port string) []string {
		return []string{"node", mcpProxy, "--port", port, "--host", "127.0.0.1", "--server", "stream", "--", fast}
	}, "/mcp")
	if err != nil {
		return nil, err
	}
	desk, err := all.desk(ctx, s.sekishod, filepath.Join(dir, "data"), []entry{
		{ID: "http", Transport: "http", URL: bare}, {ID: "stdio", Transport: "stdio", Command: fast},
		{ID: "large", Transport: "http", URL: huge},
		{ID: "ordinary", Transport: "stdio", Command: "node", Args: []string{everything, "stdio"}}})
	if err != nil {
		return nil, err
	}
	pad := strings.Repeat("x", 1024)
	simple, echo := tool{"test_simple_text", fmt.Sprintf(`{"pad":%q}`, pad)}, tool{"echo", fmt.Sprintf(`{"message":%q}`, pad)}
	long := tool{"log", "{}"}
	lines := map[string]*line{}
	for name, l := range map[string]*line{
		"bare": {url: bare, tool: simple}, "desk": {url: desk.url + "/mcp/http", token: desk.token, tool: simple},
		"stdio": {url: desk.url + "/mcp/stdio", token: desk.token, tool: simple},
		"large": {url: huge, tool: long}, "large desk": {url: desk.url + "/mcp/large", token: desk.token, tool: long},
		"relay": {url: relay, tool: simple}, "plain": {url: plain, tool: simple},
		"super": {url: super, tool: simple}, "proxy": {url: proxy, tool: simple},
		"ordinary": {url: ordinary, tool: echo}, "ordinary stdio": {url: desk.url + "/mcp/ordinary", token: desk.token, tool: echo},
	} {
		if err := l.open(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		lines[name] = l
	}
	return race(s, lines)
}

func race(s settings, lines map[string]*line) ([]row, error) {
	one := func(name, of string) *contestant { return &contestant{name: name, turn: lines[of].median(s.turn)} }
	many := func(name, of string) *contestant { return &contestant{name: name, turn: lines[of].rate(s.turn)} }
	bare1, desk1 := one("fast server over HTTP, one call", "bare"), one("the same behind the desk", "desk")
	large, largeDesk := one("a result of 20 MB over HTTP, one call", "large"), one("the same behind the desk", "large desk")
	bare, desk := many(fmt.Sprintf("fast server over HTTP, %d at once", atOnce), "bare"), many("the same behind the desk", "desk")
	stdio := many(fmt.Sprintf("fast server over stdio behind the desk, %d at once", atOnce), "stdio")
	relay1, relay := one("the same behind a relay that keeps and decides nothing", "relay"),
		many("the same behind a relay that keeps and decides nothing", "relay")
	super, proxy := many("the same behind supergateway --stateful", "super"), many("the same behind mcp-proxy", "proxy")
	plain := many("the same behind supergateway as it is by default", "plain")
	own, ours := many(fmt.Sprintf("ordinary server over its own HTTP, %d at once", atOnce), "ordinary"),
		many("the same over stdio behind the desk", "ordinary stdio")
	if err := compete(s.rounds, bare1, relay1, desk1, large, largeDesk, bare, relay, desk, stdio, super, proxy, plain, own, ours); err != nil {
		return nil, err
	}
	slower := func(c, of *contestant, against string, most float64) row {
		times := c.median() / of.median()
		return row{c.name + against, c.times(), fmt.Sprintf("%.2fx", times), fmt.Sprintf("≤ %gx", most), times <= most}
	}
	share := func(c, of *contestant, figure string, least float64) row {
		times := of.median() / c.median()
		return row{c.name, figure, fmt.Sprintf("%.2fx", times), fmt.Sprintf("≥ %gx", least), times >= least}
	}
	bridge := func(c *contestant) row {
		times := c.median() / stdio.median()
		return row{c.name, c.rates(), fmt.Sprintf("ours is %.1fx", times), "≥ 4x", times >= 4}
	}
	beside := func(c *contestant, figure string, times float64) row {
		return row{what: c.name, figure: figure, ratio: fmt.Sprintf("%.2fx", times)}
	}
	return []row{
		{what: bare1.name, figure: bare1.times()}, beside(relay1, relay1.times(), relay1.median()/bare1.median()),
		beside(desk1, desk1.times(), desk1.median()/bare1.median()), slower(desk1, relay1, ", against the relay", 1.7),
		{what: large.name, figure: large.times()}, slower(largeDesk, large, "", 1.5),
		{what: bare.name, figure: bare.rates()}, beside(relay, relay.rates(), bare.median()/relay.median()),
		share(desk, relay, desk.rates(), 0.75),
		{what: own.name, figure: own.rates()}, share(ours, own, ours.rates(), 1.05),
		{what: stdio.name, figure: stdio.rates()}, bridge(plain), bridge(super), bridge(proxy),
	}, nil
}

// median makes a turn of one caller: the median time of a call.
func (l *line) median(turn time.Duration) func() (float64, error) {
	return func() (float64, error) {
		var times []time.Duration
		for began := time.Now(); time.Since(began) < turn; {
			at := time.Now()
			if err := l.call(); err != nil {
				return 0, err
			}
			times = append(times, time.Since(at))
		}
		slices.Sort(times)
		return float64(times[len(times)/2].Nanoseconds()), nil
	}
}

// rate makes a turn of many callers: the time by the number of calls.
func (l *line) rate(turn time.Duration) func() (float64, error) {
	return func() (float64, error) {
		var done atomic.Int64
		var callers sync.WaitGroup
		var once sync.Once
		var fault error
		began := time.Now()
		for range atOnce {
			callers.Go(func() {
				for time.Since(began) < turn {
					if err := l.call(); err != nil {
						once.Do(func() { fault = err })
						return
					}
					done.Add(1)
				}
			})
		}
		callers.Wait()
		if fault != nil {
			return 0, fault
		}
		return float64(time.Since(began).Nanoseconds()) / float64(done.Load()), nil
	}
}
